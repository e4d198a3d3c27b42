"""A program that failed, said in the few lines that its author needs: where in the program, what, and who called.

    gemm.py:31:9: CompilationError: alloc_barriers() got an unexpected keyword argument 'count'
        bars = tlx.alloc_barriers(4, count=1)
      called at gemm.py:58
"""
import gc
import linecache
import os
import sysconfig
import traceback

# Of a program, not of this recorder, of Python or of a package.
LIBRARIES = tuple({os.path.dirname(os.path.abspath(__file__)) + os.sep, *(sysconfig.get_path(name) + os.sep for name in ("stdlib", "purelib", "platlib"))})
MOST_CALLERS = 6
BFLOAT16_HINT = "numpy knows bfloat16 once ml_dtypes is imported (pip install ml_dtypes); tlx_record.bfloat16(array) needs nothing"


def shown(path):
    """A path as a user would write it here."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def jitted_functions():
    from triton.runtime.jit import JITFunction

    return [found for found in gc.get_objects() if isinstance(found, JITFunction)]


def compiled_place(error, functions):
    """(file, line, column) of a kernel's line that fbtriton refuses; None where it does not say. Its lines count from the
    function's `def`, and it does not name the function."""
    line, source = getattr(error.node, "lineno", None), error.src
    for function in functions:
        if line is not None and source is not None and function.src == source:
            return function.fn.__code__.co_filename, function.def_file_line_number + line - 1, error.node.col_offset + 1
    return None


def frames(error):
    """(file, line) of the program's own calls, innermost last; of all when none is its own."""
    every = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    own = [(name, line) for name, line in every if not name.startswith("<") and not os.path.abspath(name).startswith(LIBRARIES)]
    return own or every[-1:]


def is_compilation(error):
    return hasattr(error, "node") and hasattr(error, "src") and hasattr(error, "error_message")


def message_of(error, cause):
    if not is_compilation(error):
        return str(error)
    if error.error_message:
        return str(error.error_message)
    return "" if cause is None or is_compilation(cause) else str(cause)


def lines_of(error):
    """The lines that tell of a failure; the first begins with its place."""
    chain = [error]
    while chain[-1].__cause__ is not None:
        chain.append(chain[-1].__cause__)
    functions = jitted_functions() if any(map(is_compilation, chain)) else []
    places = [compiled_place(e, functions) for e in chain if is_compilation(e)]
    places = [place for place in places if place is not None]
    callers = [(name, line, 0) for name, line in reversed(frames(error))]
    calls = places[::-1] + callers  # innermost first
    innermost = next((e for e in reversed(chain) if is_compilation(e)), error)
    said = message_of(innermost, innermost.__cause__).strip().split("\n")
    what = type(innermost).__name__ + (": " + said[0] if said[0] else "")
    if not calls:
        return [what, *said[1:]]
    name, line, column = calls[0]
    out = ["%s:%d%s: %s" % (shown(name), line, ":%d" % column if column else "", what), *("    " + more for more in said[1:])]
    text = linecache.getline(name, line).strip()
    if text:
        out.append("    " + text)
    out += ["  called at %s:%d" % (shown(name), line) for name, line, _ in calls[1 : 1 + MOST_CALLERS]]
    if "bfloat16" in str(error) and isinstance(error, (TypeError, AttributeError)):
        out.append("  hint: " + BFLOAT16_HINT)
    return out
