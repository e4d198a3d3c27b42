"""tlx-record: the command."""
import argparse
import os
import sys
import traceback
import types

from . import __version__
from .comparisons import NOTE
from .errors import RecordError
from .failures import is_compilation, lines_of
from .fbtriton import REINSTALL, install_hint
from .targets import TARGETS

EXIT_DISAGREES, EXIT_BAD_INPUT, EXIT_INTERRUPTED = 1, 2, 130


def configurations(text):
    """all -> None, first -> 1, N -> N."""
    if text in ("all", "first"):
        return None if text == "all" else 1
    if text.isdigit() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError("'%s' is neither all, first nor a positive number" % text)


def positive(text):
    if text.isdigit() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError("'%s' is no positive number" % text)


def parser():
    result = argparse.ArgumentParser(
        prog="tlx-record", description="Runs a Python program without a GPU and records the TLX/Triton kernels that it launches.",
        epilog="Example: tlx-record --target cuda:90 --out recorded my_gemm.py --size 1024",
    )  # fmt: skip
    result.add_argument("--target", default="cuda:90", metavar="TARGET", help="%s (default: cuda:90)" % ", ".join(TARGETS))
    result.add_argument("--out", default="recorded", metavar="DIR", help="folder for IR and manifests (default: recorded)")
    result.add_argument("--configs", type=configurations, default=1, metavar="all|first|N",
                        help="configurations of an autotuned kernel (default: first)")  # fmt: skip
    result.add_argument("--data", choices=("auto", "exact", "generated"), default="auto",
                        help="how inputs are kept: exact up to 1 MiB a tensor (auto), exact, or generated with their range")  # fmt: skip
    result.add_argument("--check-torch", action="store_true", help="simulate each launch, so that the program compares with its reference")
    result.add_argument("--limit", type=positive, metavar="N", help="stop after N kernels")
    result.add_argument("--prefix", default="", help="put in front of every file name")
    result.add_argument("--quiet", action="store_true", help="name no kernels")
    result.add_argument("--traceback", action="store_true", help="of a program that fails, all calls")
    result.add_argument("--version", action="version", version="tlx-record " + __version__)
    result.add_argument("program", help="the Python program")
    result.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    return result


def run_program(path, arguments, comparisons):
    sys.argv = [path, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    if comparisons:
        comparisons.cover(path)
    with open(path, "rb") as file:
        text = file.read()
    main_module = types.ModuleType("__main__")
    main_module.__file__ = path
    sys.modules["__main__"] = main_module
    names = main_module.__dict__
    try:
        exec(comparisons.compile(text, path, names) if comparisons else compile(text, path, "exec", dont_inherit=True), names)
    except SystemExit as end:
        if end.code not in (None, 0):
            raise


def main(argv=None):
    try:
        return record(parser().parse_args(argv))
    except KeyboardInterrupt:
        print("tlx-record: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED


def record(options):
    say = (lambda line: None) if options.quiet else (lambda line: print("tlx-record: " + line, file=sys.stderr, flush=True))
    try:
        try:
            from .recorder import Recorder, Stop
        except ModuleNotFoundError as error:
            raise RecordError(str(error), install_hint()) from None
        if not os.path.isfile(options.program):
            raise RecordError("there is no file '%s'" % options.program)
        recorder = Recorder(options.target, options.out, options.configs, options.data, options.check_torch, options.limit, options.prefix, say)
        recorder.start()
    except (RecordError, OSError) as error:
        print("tlx-record: error: %s" % error, file=sys.stderr)
        return EXIT_BAD_INPUT
    status = 0
    try:
        run_program(options.program, options.arguments, recorder.comparisons)
    except Stop:
        pass
    except RecordError as error:
        status = EXIT_BAD_INPUT
        print("tlx-record: error: %s" % error, file=sys.stderr)
    except (Exception, SystemExit) as error:
        # What was simulated is not what the program expects: that is a finding. Else there is nothing to judge.
        judged = options.check_torch and recorder.names and isinstance(error, (AssertionError, SystemExit))
        status = EXIT_DISAGREES if judged else EXIT_BAD_INPUT
        print_failure(options, error)
        if recorder.names and recorder.comparisons and not is_compilation(error):
            print("  hint: nothing is computed while recording; tlx record --check-torch simulates each launch", file=sys.stderr)
    finally:
        recorder.stop()
    if not recorder.names and not status:
        print("tlx-record: error: %s launched no kernel\n  hint: does it launch under `if __name__ == \"__main__\"`? for tests, "
              "pytest -p tlx_record" % options.program, file=sys.stderr)  # fmt: skip
        return EXIT_BAD_INPUT
    for kernel in recorder.unrecorded():
        print("tlx-record: %s was launched, but not recorded" % kernel, file=sys.stderr)
    if recorder.comparisons and recorder.comparisons.passed and not status:
        print("tlx-record: note: " + NOTE % "tlx record --check-torch", file=sys.stderr)
    if recorder.names:
        say(recorder.summary())
    return status


def print_failure(options, error):
    if isinstance(error, SystemExit):
        print("tlx-record: error: %s ended with status %s\n  hint: what follows the program's name are its own arguments; options of "
              "tlx stand before it" % (options.program, error.code), file=sys.stderr)  # fmt: skip
    elif options.traceback:
        print("tlx-record: error: %s stopped:" % options.program, file=sys.stderr)
        traceback.print_exception(type(error), error, error.__traceback__)
    else:
        print("tlx-record: error: " + "\n".join(lines_of(error)), file=sys.stderr)
        if isinstance(error, ModuleNotFoundError) and error.name == "torch":
            print("  hint: pip install torch, then %s, which torch's own triton hides" % REINSTALL, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
