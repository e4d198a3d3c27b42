#!/usr/bin/env python3
"""Writes the table of kernels/README.md: what each kernel computes, and what the tools say of it.

    scripts/kernels_table.py [--check] [--build FOLDER]

The verdict is tlx-verify's, the time that of the recorded launch on the simulator. Hardware times come from
docs/reference/measurements/kernels.json, where one was measured. --check writes nothing and fails when the table is stale.
"""
import argparse
import ast
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
README = os.path.join(ROOT, "kernels", "README.md")
MEASURED = os.path.join(ROOT, "docs", "reference", "measurements", "kernels.json")
BEGIN, END = "<!-- table: scripts/kernels_table.py -->\n", "<!-- end of table -->\n"
HEAD = "| kernel | computes | target | features | verdict | simulated | measured |\n|---|---|---|---|---|---|---|\n"


def kernels():
    """Paths without extension, relative to kernels/."""
    base = os.path.join(ROOT, "kernels")
    found = [os.path.relpath(os.path.join(folder, name), base)[:-len(".mlir")] for folder, _, names in os.walk(base)
             for name in names if name.endswith(".mlir")]
    return sorted(found)


def described(kernel):
    """(the first sentence of the file, its FEATURES)."""
    with open(os.path.join(ROOT, "kernels", kernel + ".py")) as file:
        tree = ast.parse(file.read())
    first = ast.get_docstring(tree).split("\n\n")[0].replace("\n", " ").split(": ")[0].rstrip(".")
    features = next(node.value.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "FEATURES")
    return first, features


def tool(build, *arguments):
    done = subprocess.run([os.path.join(build, "bin", arguments[0]), *arguments[1:]], capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except ValueError:
        sys.exit("kernels_table: error: %s\n%s" % (" ".join(arguments), done.stderr))


def row(build, kernel, measured):
    path = os.path.join(ROOT, "kernels", kernel)
    computes, features = described(kernel)
    with open(path + ".json") as file:
        target = json.load(file)["target"]
    result = tool(build, "tlx-verify", path + ".mlir", "--json")["results"][0]
    verdict = result["verdict"] + ("(%s)" % result["class"] if result.get("class") else "")
    if result.get("preconditions"):
        verdict += " if " + ", ".join("`%s`" % p for p in result["preconditions"])
    run = tool(build, "tlx-run", "--device", "sim", path + ".mlir", "--manifest", path + ".json", "--timing-only", "--json")
    time = "%.2f us on %s" % (run["ns"] / 1000, run["chip"].upper())
    cells = "[%s](%s.py)" % (kernel, kernel), computes, "`%s`" % target, features, verdict, time, measured.get(kernel, "")
    return "| " + " | ".join(cells) + " |\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare only")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="a finished build (default: build)")
    options = parser.parse_args()
    measured = {}
    if os.path.exists(MEASURED):
        with open(MEASURED) as file:
            measured = json.load(file)
    table = HEAD + "".join(row(options.build, kernel, measured) for kernel in kernels())
    with open(README) as file:
        text = file.read()
    before, rest = text.split(BEGIN)
    wanted = before + BEGIN + table + END + rest.split(END)[1]
    if options.check:
        if wanted != text:
            print("kernels_table: error: kernels/README.md is stale\n  hint: scripts/kernels_table.py writes it", file=sys.stderr)
        return int(wanted != text)
    with open(README, "w") as file:
        file.write(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
