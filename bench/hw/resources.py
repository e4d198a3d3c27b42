#!/usr/bin/env python3
"""Registers and stack of each Hopper kernel of the corpus, next to those of fbtriton's machine code,
as a table in Markdown; no GPU is needed.

    resources.py FOLDER      a folder that prepare.py filled

Both are read from the machine code itself: section .nv.info has the registers of a thread at launch
(roles of a warp-specialised kernel change theirs) and the bytes of its stack."""
import json
import os
import struct
import sys

REGISTERS, FRAME = 0x2F, 0x11  # EIATTR_REGCOUNT, EIATTR_FRAME_SIZE


def codeOf(package):
    with open(package, "rb") as file:
        file.readline()
        header = json.loads(file.read(int(file.readline())))
        return file.read(header["codes"][0]["bytes"])


def section(elf, name):
    """The contents of a section of a 64-bit little-endian ELF file."""
    start, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQ", elf, start + size * index) for index in range(count)]
    for nameAt, _, _, _, offset, length in headers:
        text = elf[headers[names][4] + nameAt:]
        if text[:text.index(b"\0")].decode() == name:
            return elf[offset:offset + length]
    return b""


def attributes(elf):
    """{attribute: largest value}, of the attributes that belong to a function."""
    info, at, found = section(elf, ".nv.info"), 0, {}
    while at + 4 <= len(info):
        form, attribute, size = struct.unpack_from("<BBH", info, at)
        at += 4
        if form != 4:
            continue
        if attribute in (REGISTERS, FRAME) and size == 8:
            found[attribute] = max(found.get(attribute, 0), struct.unpack_from("<I", info, at + 4)[0])
        at += size
    return found


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    folder, worse = sys.argv[1], 0
    print("| kernel | registers | fbtriton's | stack bytes | fbtriton's |\n|---|---:|---:|---:|---:|")
    for name in sorted(os.listdir(os.path.join(folder, "recorded"))):
        ours = attributes(codeOf(os.path.join(folder, "packages", "ttgir_" + name)))
        theirs = attributes(codeOf(os.path.join(folder, "recorded", name)))
        row = [ours.get(REGISTERS), theirs.get(REGISTERS), ours.get(FRAME, 0), theirs.get(FRAME, 0)]
        worse += row[0] > row[1] + 8 or row[2] > row[3]
        print("| %s | %d | %d | %d | %d |" % (name[len("hopper_"):-len(".tlxk")], *row))
    print("\n%d kernels have more than 8 registers more, or more stack." % worse)
    return 0


if __name__ == "__main__":
    sys.exit(main())
