"""Runs a recorded launch on the simulator and puts what it computed back into the program's tensors."""
import glob
import os
import shutil
import subprocess
import tempfile

import numpy as np

from .errors import RecordError


def find_runner():
    """The path of tlx-run: $TLX_RUN, else on PATH."""
    found = os.environ.get("TLX_RUN") or shutil.which("tlx-run")
    if not found or not os.path.exists(found):
        raise RecordError("--check-torch needs tlx-run", "put it on PATH, or name it in the environment variable TLX_RUN")
    return found


def run(runner, stem, views):
    """Simulates stem.ttgir as stem.json says; views: storage number -> tensors.View to be filled with the result."""
    with tempfile.TemporaryDirectory() as folder:
        command = [runner, "--device", "sim", "--functional-only", stem + ".ttgir", "--manifest", stem + ".json", "--save-outputs", folder]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RecordError("the simulator stopped at %s:\n%s" % (os.path.basename(stem), (done.stderr or done.stdout).strip()[-2000:]),
                              " ".join(command[:-2]))
        for path in glob.glob(os.path.join(folder, "*.npy")):
            number = int(os.path.basename(path)[: -len(".npy")])
            views[number].write_back(np.load(path).tobytes())
