#!/usr/bin/env python3
"""Writes manual pages, from what --help of the commands says.

    scripts/man_pages.py [--build FOLDER] --out FOLDER

The build installs them; `scripts/man_pages.py --out pages && man -l pages/tlx.1.gz` shows one.
"""
import argparse
import gzip
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import reference_docs  # noqa: E402

# Pages, and the commands whose help each holds; the first one's opens it.
PAGES = {
    "tlx": (("tlx",), ("tlx", "explain"), ("tlx", "chips"), ("tlx", "doctor"), ("tlx", "completion")),
    "tlx-verify": (("tlx", "verify"),),
    "tlx-run": (("tlx", "run"),),
    "tlx-compile": (("tlx", "compile"),),
    "tlx-opt": (("tlx", "opt"),),
    "tlx-record": (("tlx", "record"),),
    "tlx-lsp-server": (("tlx-lsp-server",),),
}
ITEM = re.compile(r"( {2,12})(\S.*?)(?: {2,}(.*)| ?)$")
HEAD = re.compile(r"(\S[^:]*):\s*$")


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def parts(text):
    """(usage, description, [(heading, lines)]) of a help."""
    usage, description, sections = "", [], []
    for line in text.splitlines():
        found = re.match(r"(?i)(usage|overview): *(.*)", line)
        if found and found.group(1).lower() == "usage":
            usage = found.group(2)
        elif found:
            description.append(found.group(2))
        elif usage and not description and not sections and line.startswith("    "):
            usage += " " + line.strip()  # argparse wraps
        elif HEAD.match(line):
            sections.append((HEAD.match(line).group(1), []))
        elif sections and (line.startswith(" ") or not line):
            sections[-1][1].append(line)
        elif sections and re.match(r"(Exit|Example)", line):
            title, _, rest = line.partition(":")
            sections.append((title, ["  " + rest.strip()] if rest.strip() else []))
        elif sections and sections[-1][0].startswith("Exit") and line:
            sections[-1][1].append("  " + line)
        elif line:
            description.append(line)
    return usage, " ".join(description), [(title, lines) for title, lines in sections if any(map(str.strip, lines))]


def body(title, lines):
    """The lines of a section: options with their meaning, examples as they stand, anything else as text."""
    if title.lower().startswith("example"):
        return [".EX", *map(roff, lines), ".EE"]
    if title.lower().startswith("exit"):
        return [roff(line.strip()) for line in lines]
    out = []
    for line in lines:
        item = ITEM.match(line)
        if item:
            term, meaning = item.group(2), (item.group(3) or "").strip()
            if " - " in line and term.startswith(("-", "=")):  # LLVM's
                term, _, meaning = line.strip().partition(" - ")
            out += [".TP", ".B " + roff(term.strip()), roff(re.sub(r"^- +", "", meaning.strip()))]
        elif line.strip():
            out.append(roff(line.strip()))
    return [line for line in out if line]


def page(name, version, helps):
    """helps: [(title, text)], the page's own first."""
    usage, description, sections = parts(helps[0][1])
    summary = re.split(r"[.;]( |$)", description)[0]
    out = ['.TH %s 1 "" "tlx %s" "TLX"' % (name.upper(), version), ".SH NAME", "%s \\- %s" % (name, roff(summary[:1].lower() + summary[1:])),
           ".SH SYNOPSIS", roff(usage), ".SH DESCRIPTION", roff(description)]  # fmt: skip
    for title, lines in sections:
        out += [".SH " + roff(title.upper()), *body(title, lines)]
    for title, text in helps[1:]:
        usage, description, sections = parts(text)
        out += [".SH " + roff(title.upper()), ".B " + roff(usage), ".PP", roff(description)]
        for heading, lines in sections:
            out += [".SS " + roff(heading), *body(heading, lines)]
    others = sorted(set(PAGES) - {name})
    return "\n".join([*out, ".SH SEE ALSO", ", ".join("\\fB%s\\fR(1)" % roff(other) for other in others)]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(reference_docs.SOURCE, "build"), help="a finished build (default: build)")
    parser.add_argument("--out", required=True, help="folder that the pages go to")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    binary = lambda name: os.path.join(options.build, "bin", name)
    version = reference_docs.run(binary("tlx"), "--version").split()[-1]
    for name, commands in PAGES.items():
        text = page(name, version, [(" ".join(command), reference_docs.helpOf(binary, command)) for command in commands])
        with gzip.GzipFile(os.path.join(options.out, name + ".1.gz"), "wb", 9, mtime=0) as file:
            file.write(text.encode())


if __name__ == "__main__":
    main()
