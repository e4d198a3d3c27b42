"""Records what a Python program full of TLX/Triton kernels launches, on a machine without a GPU.

As a command, tlx-record PROGRAM.py; under pytest, pytest -p tlx_record; from Python:

    with tlx_record.Recorder("cuda:90", "recorded") as recorder:
        my_gemm(a, b)
    print(recorder.names)
"""
import sys

__version__ = "0.1.0"

from .errors import RecordError  # noqa: E402

__all__ = ["NumpyTensor", "RecordError", "Recorder", "bfloat16"]


def __getattr__(name):
    """What needs numpy, when it is asked for: numpy's absence is reported by the command."""
    if name == "Recorder":
        from .recorder import Recorder

        return Recorder
    if name in ("NumpyTensor", "bfloat16"):
        from . import tensors

        return getattr(tensors, name)
    raise AttributeError("module 'tlx_record' has no attribute '%s'" % name)


if "pytest" in sys.modules:  # loaded by `pytest -p tlx_record`, which looks for its hooks here
    from .pytest_plugin import (  # noqa: F401
        pytest_addoption,
        pytest_collection_modifyitems,
        pytest_configure,
        pytest_pycollect_makemodule,
        pytest_runtest_call,
        pytest_terminal_summary,
        pytest_unconfigure,
    )
