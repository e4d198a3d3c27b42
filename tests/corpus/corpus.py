"""What the corpus scripts share: the files, a sample of them, running a tool over many files with
few processes, and a table per folder.

The corpus is not part of this repository. Its place is TLX_SHARED, or ../shared beside the source
tree; scripts say that they skip, and exit 77, where it is absent.
"""
import concurrent.futures
import os
import resource
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(sys.path[0], "..", "scripts"))  # launch_data
import pytlx  # noqa: E402

SKIP = 77
LEVELS = ("source", "ttir", "ttgir")


def root():
    """The corpus folder; ends the program where there is none."""
    shared = pytlx.shared()
    if shared is None:
        print("SKIP: no corpus: neither TLX_SHARED nor ../shared holds one")
        sys.exit(SKIP)
    return os.path.join(shared, "corpus")


def files(folder, levels=LEVELS, sample=None, names=()):
    """Relative paths of the IR files, sorted; `sample` takes that many of each top folder and level,
    spread evenly; `names` keeps paths that contain one of them."""
    groups = {}
    for path, _, entries in os.walk(folder):
        for entry in entries:
            level = entry.rsplit(".", 1)[-1]
            if level in levels:
                relative = os.path.relpath(os.path.join(path, entry), folder)
                if not names or any(name in relative for name in names):
                    groups.setdefault((relative.split(os.sep)[0], level), []).append(relative)
    chosen = []
    for group in groups.values():
        group.sort()
        if sample and sample < len(group):
            group = [group[i * len(group) // sample] for i in range(sample)]
        chosen += group
    return sorted(chosen)


class Outcome:
    """One run of a tool. `error` is the first line that tells what went wrong, or None."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err
        lines = [line for line in err.splitlines() if "error:" in line] or err.splitlines()
        self.error = None if code == 0 else (lines[0] if lines else "exit code %d, no message" % code)


def run(command, text=None, timeout=120, processor=None):
    """Runs a command, `text` on its standard input; `processor` bounds its processor time, which does not depend on what
    else the machine does."""
    limit = (lambda: resource.setrlimit(resource.RLIMIT_CPU, (processor, processor + 1))) if processor else None
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=timeout, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return Outcome(-1, "", "error: no answer within %d s" % timeout)
    except OSError as error:
        return Outcome(-1, "", "error: %s" % error)
    if processor and done.returncode == -signal.SIGXCPU:
        return Outcome(-1, "", "error: no answer within %d s of processor time" % processor)
    return Outcome(done.returncode, done.stdout, done.stderr)


def need(tool):
    """The path of a tool that must have been built."""
    path = pytlx.tool(tool)
    if not os.path.exists(path):
        print("error: %s is not built" % path)
        sys.exit(2)
    return path


def asKnown(function, items, jobs=None, chunk=8):
    """function(item) of each, in parallel processes, in order, as soon as it is known."""
    with concurrent.futures.ProcessPoolExecutor(jobs or os.cpu_count()) as pool:
        yield from pool.map(function, items, chunksize=chunk)


def forEach(function, items, jobs=None, chunk=8):
    return list(asKnown(function, items, jobs, chunk))


def table(rows, columns):
    """Prints one line per top folder and level, then a total. `rows`: {path: set of columns that hold}."""
    groups = {}
    for path, held in rows.items():
        key = (path.split(os.sep)[0], path.rsplit(".", 1)[-1])
        counts = groups.setdefault(key, [0] * (len(columns) + 1))
        counts[0] += 1
        for i, column in enumerate(columns):
            counts[i + 1] += column in held
    total = [sum(column) for column in zip(*groups.values())]
    print("%-18s %-7s %6s  " % ("folder", "level", "files") + "  ".join("%12s" % c for c in columns))
    order = {level: i for i, level in enumerate(LEVELS)}
    for (folder, level), counts in sorted(groups.items(), key=lambda item: (item[0][0], order[item[0][1]])):
        print("%-18s %-7s %6d  " % (folder, level, counts[0]) + "  ".join("%12d" % c for c in counts[1:]))
    print("%-18s %-7s %6d  " % ("all", "", total[0]) + "  ".join("%12d" % c for c in total[1:]))
    return total


def printCauses(failures, most=20, examples=2):
    """Failures grouped by cause. `failures`: [(path, cause, detail)]."""
    groups = {}
    for path, cause, detail in failures:
        groups.setdefault(cause, []).append((path, detail))
    for cause, members in sorted(groups.items(), key=lambda item: -len(item[1]))[:most]:
        print("\n%d x %s" % (len(members), cause))
        for path, detail in members[:examples]:
            print("    %s%s" % (path, "".join("\n        " + line for line in detail.splitlines())))
    if len(groups) > most:
        print("\n... and %d further causes" % (len(groups) - most))
