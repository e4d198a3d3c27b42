#!/usr/bin/env python3
"""Kept inputs of the fuzzers: thousands of small files as one that can be read and compared.

    kept.py unpack CORPUS FOLDER    CORPUS/minimised.json and the files beside it, as files of FOLDER
    kept.py pack FOLDER CORPUS      the files of FOLDER that are not beside it, as CORPUS/minimised.json

minimised.json is a list of strings; a character is a byte.
"""
import json
import os
import sys

LIST = "minimised.json"


def contents(folder):
    for name in sorted(os.listdir(folder)):
        if name != LIST:
            with open(os.path.join(folder, name), "rb") as file:
                yield file.read()


def kept(corpus):
    path = os.path.join(corpus, LIST)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [text.encode("latin-1") for text in json.load(file)]


def unpack(corpus, folder):
    os.makedirs(folder)
    for number, data in enumerate([*contents(corpus), *kept(corpus)]):
        with open(os.path.join(folder, "%05d" % number), "wb") as file:
            file.write(data)


def pack(folder, corpus):
    beside = set(contents(corpus))
    texts = sorted({data.decode("latin-1") for data in contents(folder) if data not in beside}, key=lambda t: (len(t), t))
    with open(os.path.join(corpus, LIST), "w", encoding="utf-8") as file:
        json.dump(texts, file, indent=0)
        file.write("\n")


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("pack", "unpack"):
        sys.exit(__doc__)
    {"pack": pack, "unpack": unpack}[sys.argv[1]](sys.argv[2], sys.argv[3])


if __name__ == "__main__":
    main()
