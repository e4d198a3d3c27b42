#!/usr/bin/env python3
"""Records the launches of launches.py, with fbtriton's machine code, without a GPU: record.py DIR [NAME...]

Needs fbtriton, numpy and PyTorch. A launch is FAMILY.SIZE.CONFIGURATION: its .ttgir, .cubin and .json in DIR. NAME keeps
launches whose name contains it. What was recorded before is kept.
"""
import glob
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "..", "python")]

from tlx_record.recorder import Recorder  # noqa: E402


class WithCode(Recorder):
    """Also writes the machine code. One launch has one name."""

    def _write_levels(self, stem, asm):
        super()._write_levels(stem, asm)
        with open(os.path.join(self.out, stem + ".cubin"), "wb") as file:
            file.write(asm["cubin"])

    def _free_name(self, kernel):
        return self.prefix


def main():
    out, names = sys.argv[1], sys.argv[2:]
    failed = 0
    with WithCode("cuda:90", out, data="generated") as recorder:
        import torch

        import launches

        for family, size, config, launch in launches.ALL:
            recorder.prefix = ".".join((family, size, config))
            if (names and not any(name in recorder.prefix for name in names)) or os.path.exists(os.path.join(out, recorder.prefix + ".json")):
                continue
            torch.manual_seed(0)
            before = len(recorder.names)
            try:
                launch()
            except Exception as error:
                print("FAILED %s: %s" % (recorder.prefix, str(error).strip().splitlines()[-1] if str(error) else type(error).__name__))
                failed += 1
                continue
            if len(recorder.names) != before + 1:
                print("FAILED %s: %d launches" % (recorder.prefix, len(recorder.names) - before))
                failed += 1
            else:
                print(recorder.prefix, flush=True)
    print("%d recorded, %d failed" % (len(glob.glob(os.path.join(out, "*.json"))), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
