"""A program that failed, said in the few lines that its author needs: where in the program, what, and who called.

    gemm.py:31:9: CompilationError: alloc_barriers() got an unexpected keyword argument 'count'
        bars = tlx.alloc_barriers(4, count=1)
      called at gemm.py:58
"""
import ast
import contextlib
import gc
import linecache
import os
import re
import sys
import sysconfig
import tempfile
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

    # Not isinstance: it asks an object for its class, and some of torch's then warn.
    return [found for found in gc.get_objects() if issubclass(type(found), JITFunction)]


def compiled_place(error, functions):
    """(file, line, column) of a kernel's line that fbtriton refuses; None where it does not say. Its lines count from the
    function's `def`, and it does not name the function."""
    line, source = getattr(error.node, "lineno", None), error.src
    for function in functions:
        if line is not None and source is not None and function.src == source:
            return function.fn.__code__.co_filename, function.def_file_line_number + line - 1, error.node.col_offset + 1
    return None


def visited_place(error):
    """(file, line, column) of the line that fbtriton was looking at when it failed before it compiles, as where it looks up names."""
    function = place = None
    for frame, _ in traceback.walk_tb(error.__traceback__):
        owner, node = frame.f_locals.get("self"), frame.f_locals.get("node")
        if hasattr(owner, "def_file_line_number"):
            function = owner
        elif function is not None and isinstance(node, ast.AST) and hasattr(node, "lineno"):
            place = function.fn.__code__.co_filename, function.def_file_line_number + node.lineno - 1, node.col_offset + 1
    return place


@contextlib.contextmanager
def compiler_output():
    """fbtriton's passes print what they refuse, and pages of IR, to the error stream. Of a compilation that fails the text becomes
    a note of the error; else it is printed as it was."""
    sys.stderr.flush()
    stream = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        text = ""
        try:
            yield
        except Exception as error:
            file.seek(0)
            text = file.read().decode(errors="replace")
            error.__notes__ = [*getattr(error, "__notes__", []), text]
            raise
        finally:
            os.dup2(stream, 2)
            os.close(stream)
            if not text:
                file.seek(0)
                sys.stderr.write(file.read().decode(errors="replace"))


def refused_place(error):
    """((file, line, column), message) of the first line that the compiler's passes refused; (None, None) where there is none."""
    for note in getattr(error, "__notes__", []):
        if found := re.search(r"^(\S[^\n]*?):(\d+):(\d+): error: ([^\n]*)", note, re.M):
            return (found[1], int(found[2]), int(found[3])), found[4]
    return None, None


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
    if cause is None or is_compilation(cause):
        return ""
    return str(cause) or "%s at `%s`" % (type(cause).__name__, traceback.extract_tb(cause.__traceback__)[-1].line)


def lines_of(error):
    """The lines that tell of a failure; the first begins with its place."""
    chain = [error]
    while chain[-1].__cause__ is not None:
        chain.append(chain[-1].__cause__)
    refused, why = refused_place(error)
    if any(map(is_compilation, chain)):
        functions = jitted_functions()
        places = [compiled_place(e, functions) for e in chain if is_compilation(e)]
    else:
        places = [visited_place(error), refused]
    places = [place for place in places if place is not None]
    callers = [(name, line, 0) for name, line in reversed(frames(error))]
    calls = places[::-1] + callers  # innermost first
    innermost = next((e for e in reversed(chain) if is_compilation(e)), error)
    said = (why or message_of(innermost, innermost.__cause__)).strip().split("\n")
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
