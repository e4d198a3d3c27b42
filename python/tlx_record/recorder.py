"""The recorder: installed around a program, it writes a kernel's IR and manifest for each distinct launch."""
import contextlib
import json
import os
import tempfile

from . import autotune, fbtriton, locations, manifest, simulate, torch_host
from .comparisons import Comparisons
from .driver import benchmark, make_driver
from .errors import RecordError
from .failures import compiler_output
from .names import file_name, in_folder
from .patches import Patches
from .targets import find_target
from .tensors import as_tensor

LEVELS = ("source", "ttir", "ttgir")


def identity(function):
    """(name, file) of a jitted function: tutorials and test suites have kernels of one name in many files."""
    return function.fn.__name__, function.fn.__code__.co_filename


class Stop(BaseException):
    """Ends the program: enough kernels are recorded."""


class Recorder:
    """Records launches between start() and stop(); also a context manager.

    target: such as "cuda:90". out: the folder that is written. configs: how many configurations of an autotuned
    kernel, None for all. data: auto, exact or generated. check: simulate each launch, results go back into the
    tensors. limit: raise Stop after so many kernels. say: called with a line for each kernel.

    names lists what was written; each has .source, .ttir, .ttgir and .json in out. unrecorded() names kernels, with their
    files, that were launched but of which nothing was written, as when they do not compile.
    """

    def __init__(self, target, out, configs=1, data="auto", check=False, limit=None, prefix="", say=lambda line: None):
        self.target = find_target(target)
        self.out, self.configs, self.prefix, self.say, self.limit = out, configs, prefix, say, limit
        self.data = "exact" if check else data
        self.runner = simulate.find_runner() if check else None
        self.names = []
        self.launched, self.recorded = set(), set()  # of (name, file) of kernels
        self.known = {}  # identity of a launch -> its name
        self.compiled = {}  # hash -> CompiledKernel
        self.comparisons = None if check else Comparisons()
        self.patches = Patches()
        self.cache = contextlib.ExitStack()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        triton = fbtriton.load()
        os.makedirs(self.out, exist_ok=True)
        try:
            import torch  # noqa: F401

            torch_host.patch(self.patches, self.target, check=self.runner is not None)
        except ImportError:
            pass
        if self.comparisons:
            self.comparisons.patch(self.patches)
        self._fresh_cache()
        self._patch_triton(triton)

    def _fresh_cache(self):
        """Triton's cache knows a kernel by its text, and keeps the name of the file in which it first saw it: findings would
        name that one. So nothing is taken that was compiled before, or is compiled meanwhile by another recording."""
        from triton import knobs

        self.cache.enter_context(knobs.cache.scope())
        self.cache.enter_context(knobs.compilation.scope())
        knobs.cache.dir = self.cache.enter_context(tempfile.TemporaryDirectory(prefix="tlx-record-"))
        knobs.compilation.always_compile = True

    def _patch_triton(self, triton):
        import triton.compiler
        import triton.testing
        from triton.compiler import compiler
        from triton.runtime import driver, jit
        from triton.tools.tensor_descriptor import TensorDescriptor

        stand_in = make_driver(self.target, self.on_launch)
        self.patches.set(driver, "_active", stand_in)
        self.patches.set(driver, "_default", stand_in)
        self.patches.set(triton.testing, "do_bench", benchmark)
        autotune.limit_configurations(self.patches, self.configs)
        initialise, run = compiler.CompiledKernel.__init__, jit.JITFunction.run

        def remember(kernel, *args, **kwargs):
            initialise(kernel, *args, **kwargs)
            self.compiled[kernel.metadata.hash] = kernel

        def run_with_arrays(function, *args, **kwargs):
            if not kwargs.get("warmup"):
                self.launched.add(identity(function))
            return run(function, *map(as_tensor, args), **{k: as_tensor(v) for k, v in kwargs.items()})

        validate = TensorDescriptor.__post_init__

        def validate_arrays(descriptor):
            descriptor.base = as_tensor(descriptor.base)
            validate(descriptor)

        from_tensor = TensorDescriptor.from_tensor
        self.patches.set(TensorDescriptor, "__post_init__", validate_arrays)
        self.patches.set(TensorDescriptor, "from_tensor", staticmethod(lambda tensor, *rest, **more: from_tensor(as_tensor(tensor), *rest, **more)))
        self.patches.set(triton.compiler, "compile", compiler_output()(compiler.compile))
        self.patches.set(compiler.CompiledKernel, "__init__", remember)
        self.patches.set(jit.JITFunction, "run", run_with_arrays)

    def stop(self):
        self.patches.restore()
        self.cache.close()

    def unrecorded(self):
        return ["%s of %s" % kernel for kernel in sorted(self.launched - self.recorded)]

    def summary(self):
        return "%d kernel%s in %s" % (len(self.names), "" if len(self.names) == 1 else "s", self.out)

    def on_launch(self, source, metadata, grid, values):
        self.recorded.add(identity(source.fn))
        stem = self._free_name(file_name(source.fn.__name__))
        arguments = manifest.Arguments(self.data, self.out, stem)
        before = set(os.listdir(self.out))
        launch = manifest.build(self.compiled[metadata.hash], source, self.target, grid, values, arguments)
        without_data = [{k: v for k, v in entry.items() if k != "data"} for entry in launch["args"]]
        launch_key = json.dumps([metadata.hash, launch["grid"], without_data], default=str)
        if launch_key in self.known and self.runner is None:
            self._forget_files(before)
            return
        if launch_key in self.known:
            self._forget_files(before)
            stem = self.known[launch_key]
            arguments = manifest.Arguments(self.data, self.out, stem)
            launch = manifest.build(self.compiled[metadata.hash], source, self.target, grid, values, arguments)
        else:
            self.known[launch_key] = stem
            self.names.append(stem)
            self._write_levels(stem, self.compiled[metadata.hash].asm)
            self.say("%s  grid %s" % (stem, "x".join(map(str, launch["grid"]))))
        path = os.path.join(self.out, stem)
        with open(in_folder(self.out, stem + ".json"), "w") as file:
            json.dump(launch, file, indent=1, default=str)
            file.write("\n")
        if self.runner is not None:
            simulate.run(self.runner, path, arguments.views)
        if self.limit is not None and len(self.names) >= self.limit:
            raise Stop

    def _free_name(self, kernel):
        base = self.prefix + kernel
        taken = set(self.names)
        if base not in taken:
            return base
        number = 2
        while "%s_%d" % (base, number) in taken:
            number += 1
        return "%s_%d" % (base, number)

    def _forget_files(self, before):
        for name in set(os.listdir(self.out)) - before:
            os.remove(os.path.join(self.out, name))

    def _write_levels(self, stem, asm):
        for level in LEVELS:
            if level not in asm:
                raise RecordError("fbtriton kept no .%s of %s" % (level, stem), "is this fbtriton %s?" % fbtriton.TESTED_VERSION)
            text = asm[level]
            with open(in_folder(self.out, "%s.%s" % (stem, level)), "w") as file:
                file.write(locations.shorten(text if isinstance(text, str) else str(text)))
