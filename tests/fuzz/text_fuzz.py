#!/usr/bin/env python3
"""Damages kernels at random and feeds them to a tool: whatever it says, it must say it, not crash.

    text_fuzz.py [--tool tlx-opt] [--count N] [--seed S] [--keep DIR] [FILE...]

Starts from the given files, else from those of kernels/ and, where the corpus is present, from small
ones of it. Allowed are the exit codes of docs/coding.md but 3 (internal fault), within the time
limit, and exactly one error line with exit code 2. Damaged files that break this are kept in DIR;
the seed is printed, and case i of seed S is always the same file.
"""
import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import pytlx  # noqa: E402

SECONDS = 60
TOKEN = re.compile(r'"[^"\n]*"|[%#!@^]?[\w.$]+|->|[^\w\s]')
NUMBERS = ("0", "1", "-1", "7", "65536", "2147483647", "2147483648", "-9223372036854775808", "18446744073709551616",
           "1" + "0" * 40, "1.5", "0xFF", "true")
PIECES = ("{", "}", "(", ")", "<", ">", "[", "]", ",", ":", "->", "=", '"', "\n", "loc(unknown)", "dense<0>", "i32", "i1", "f16",
          "index", "none", "()", "tensor<4xf32>", "tensor<?xi8>", "tensor<0xi32>", "!ttg.async.token", "?", "x", "\\", "\0", "é")


def damage(text, rng):
    """One to three random changes."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        tokens = list(TOKEN.finditer(text))
        lines = text.split("\n")
        if not tokens:
            return text
        kind = rng.randrange(9)
        token, other = rng.choice(tokens), rng.choice(tokens)
        if kind == 0:  # another token of the file instead
            text = text[:token.start()] + other.group() + text[token.end():]
        elif kind == 1:  # an odd number
            numbers = [t for t in tokens if re.fullmatch(r"-?\d+", t.group())]
            if numbers:
                token = rng.choice(numbers)
                text = text[:token.start()] + rng.choice(NUMBERS) + text[token.end():]
        elif kind == 2:  # a piece too many
            text = text[:token.start()] + rng.choice(PIECES) + text[token.start():]
        elif kind == 3:  # a token missing
            text = text[:token.start()] + text[token.end():]
        elif kind == 4:  # a line missing
            del lines[rng.randrange(len(lines))]
            text = "\n".join(lines)
        elif kind == 5:  # a line twice
            at = rng.randrange(len(lines))
            lines.insert(at, lines[at])
            text = "\n".join(lines)
        elif kind == 6:  # neighbours swapped
            at = rng.randrange(max(1, len(lines) - 1))
            lines[at:at + 2] = lines[at:at + 2][::-1]
            text = "\n".join(lines)
        elif kind == 7:  # two tokens swapped
            first, second = sorted((token, other), key=lambda t: t.start())
            if first.end() <= second.start():
                text = text[:first.start()] + second.group() + text[first.end():second.start()] + first.group() + text[second.end():]
        else:  # the end missing
            text = text[:rng.randrange(len(text))] if rng.random() < 0.2 else text
    return text


def fault(tool, path):
    """What is wrong with the tool's answer, or None."""
    command = [pytlx.tool(tool), path]
    if tool == "tlx-opt":
        command += ["-o", os.devnull]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "no answer within %d s" % SECONDS
    err = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 1, 2, 4) or done.returncode in (1, 4) and tool == "tlx-opt":
        return "exit code %d: %s" % (done.returncode, err[:400])
    errors = [line for line in err.splitlines() if re.search(r"\berror: ", line)]
    if done.returncode == 2 and len(errors) != 1:
        return "%d error lines: %s" % (len(errors), err[:400])
    if done.returncode == 0 and errors:
        return "exit code 0 with errors: %s" % err[:400]
    return None


def case(task):
    """(number, damaged text, fault) of one case."""
    tool, seed, number, sources = task
    rng = random.Random("%d/%d" % (seed, number))
    with open(rng.choice(sources), encoding="utf-8") as file:
        text = damage(file.read(), rng)
    with tempfile.NamedTemporaryFile("w", suffix=".mlir", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        return number, text, fault(tool, file.name)


def startingFiles():
    files = [os.path.join(pytlx.SOURCE, path) for path in pytlx.trackedFiles("kernels/*.mlir")]
    shared = pytlx.shared()
    if shared:
        for folder, _, names in sorted(os.walk(os.path.join(shared, "corpus"))):
            for name in sorted(names):
                path = os.path.join(folder, name)
                if name.endswith((".source", ".ttir", ".ttgir")) and os.path.getsize(path) < 12000:
                    files.append(path)
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", default="tlx-opt")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="folder for the files that break the tool")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    if not os.path.exists(pytlx.tool(arguments.tool)):
        print("error: %s is not built" % arguments.tool)
        return 2
    sources = arguments.files or startingFiles()
    if not sources:
        print("error: nothing to start from")
        return 2
    tasks = [(arguments.tool, arguments.seed, number, sources) for number in range(arguments.count)]
    broken = 0
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for number, text, found in pool.map(case, tasks, chunksize=4):
            if found:
                broken += 1
                print("case %d: %s" % (number, found))
                if arguments.keep:
                    os.makedirs(arguments.keep, exist_ok=True)
                    with open(os.path.join(arguments.keep, "%s-%d-%d.mlir" % (arguments.tool, arguments.seed, number)), "w", encoding="utf-8") as file:
                        file.write(text)
    print("%s: seed %d, %d cases, %d broken" % (arguments.tool, arguments.seed, arguments.count, broken))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
