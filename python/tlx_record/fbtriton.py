"""Finding fbtriton, and saying clearly when it is absent or another version."""
import importlib
import importlib.metadata
import sys

from .errors import RecordError

TESTED_VERSION = "3.7.4"
REINSTALL = "pip install --force-reinstall --no-deps fbtriton==" + TESTED_VERSION


def install_hint():
    """The command that installs what recording needs where this interpreter finds it."""
    packages = "fbtriton==%s numpy" % TESTED_VERSION
    if sys.prefix == sys.base_prefix:  # systems' own interpreters take no packages from pip
        return "python3 -m venv tlx-env && tlx-env/bin/pip install %s && export TLX_PYTHON=$PWD/tlx-env/bin/python" % packages
    return "%s -m pip install %s" % (sys.executable, packages)


def load():
    """Imports triton with TLX; RecordError when it is absent or is not fbtriton. Warns about an untested version."""
    try:
        importlib.import_module("triton")
    except ImportError as error:
        raise RecordError("fbtriton cannot be imported (%s)" % error, install_hint()) from None
    try:
        importlib.import_module("triton.language.extra.tlx")
    except ImportError:
        raise RecordError(
            "the installed triton has no TLX",
            "PyTorch brings a triton of its own that hides fbtriton: " + REINSTALL,
        ) from None
    try:
        version = importlib.metadata.version("fbtriton")
    except importlib.metadata.PackageNotFoundError:
        version = getattr(sys.modules["triton"], "__version__", "unknown").split("+")[0]
    if version != TESTED_VERSION:
        print("tlx-record: warning: fbtriton %s; tested with %s" % (version, TESTED_VERSION), file=sys.stderr)
    return sys.modules["triton"]
