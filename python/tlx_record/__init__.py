"""Records what a Python program full of TLX/Triton kernels launches, on a machine without a GPU.

As a command, tlx-record PROGRAM.py; under pytest, pytest -p tlx_record; from Python:

    with tlx_record.Recorder("cuda:90", "recorded") as recorder:
        my_gemm(a, b)
    print(recorder.names)
"""
__version__ = "0.1.0"

from .errors import RecordError  # noqa: E402
from .recorder import Recorder  # noqa: E402
from .tensors import NumpyTensor  # noqa: E402

__all__ = ["NumpyTensor", "RecordError", "Recorder"]

_HOOKS = ("pytest_addoption", "pytest_configure", "pytest_collection_modifyitems", "pytest_runtest_call", "pytest_terminal_summary",
          "pytest_unconfigure")  # fmt: skip


def __getattr__(name):
    # pytest looks the hooks up in this module; without it pytest need not be installed.
    if name in _HOOKS:
        from . import pytest_plugin

        return getattr(pytest_plugin, name)
    raise AttributeError("module 'tlx_record' has no attribute '%s'" % name)


def __dir__():
    return [*globals(), *_HOOKS]
