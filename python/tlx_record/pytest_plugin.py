"""Recording under pytest: `pytest -p tlx_record --tlx-out DIR`. tlx_record re-exports these hooks."""
import pytest

from .cases import covering, first
from .cli import configurations, positive
from .comparisons import NOTE
from .errors import RecordError
from .recorder import Recorder, Stop


def pytest_addoption(parser):
    group = parser.getgroup("tlx-record", "recording TLX kernels without a GPU")
    group.addoption("--tlx-out", metavar="DIR", default="recorded", help="folder for IR and manifests")
    group.addoption("--tlx-target", metavar="TARGET", default="cuda:90", help="cuda:90, cuda:100, hip:gfx950, ...")
    group.addoption("--tlx-configs", type=configurations, default=1, metavar="all|first|N", help="configurations of an autotuned kernel")
    group.addoption("--tlx-data", choices=("auto", "exact", "generated"), default="auto", help="how inputs are kept")
    group.addoption("--tlx-check-torch", action="store_true", help="simulate launches, so that tests compare with their references")
    group.addoption("--tlx-first", type=positive, metavar="N", help="at most N cases of each test function")
    group.addoption("--tlx-cover", action="store_true", help="of each test function, cases until each value of each parameter has been seen")
    group.addoption("--tlx-limit", type=positive, metavar="N", help="stop after N kernels")


def pytest_configure(config):
    option = config.getoption
    try:
        config.tlx_recorder = Recorder(option("--tlx-target"), option("--tlx-out"), option("--tlx-configs"), option("--tlx-data"),
                                       option("--tlx-check-torch"), option("--tlx-limit"))  # fmt: skip
        config.tlx_recorder.start()
    except RecordError as error:
        raise pytest.UsageError("tlx-record: %s" % error) from None


def pytest_pycollect_makemodule(module_path, parent):
    comparisons = parent.config.tlx_recorder.comparisons
    if comparisons:
        comparisons.cover(module_path)


def pytest_collection_modifyitems(config, items):
    kept = items
    if config.getoption("--tlx-cover"):
        kept = covering(kept)
    if config.getoption("--tlx-first"):
        kept = first(kept, config.getoption("--tlx-first"))
    kept = list(kept)
    chosen = set(map(id, kept))
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in chosen])
    items[:] = kept


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    outcome = yield
    if outcome.excinfo is not None and issubclass(outcome.excinfo[0], Stop):
        outcome.force_result(None)
        item.session.shouldstop = "enough kernels are recorded"


def pytest_terminal_summary(terminalreporter, config):
    recorder = config.tlx_recorder
    for kernel in recorder.unrecorded():
        terminalreporter.write_line("tlx-record: %s was launched, but not recorded" % kernel)
    if recorder.comparisons and (recorder.comparisons.passed or terminalreporter.getreports("failed")):
        terminalreporter.write_line("tlx-record: note: " + NOTE % "--tlx-check-torch")
    terminalreporter.write_line("tlx-record: %s" % recorder.summary())


def pytest_unconfigure(config):
    if hasattr(config, "tlx_recorder"):
        config.tlx_recorder.stop()
