#!/usr/bin/env python3
"""Adds up what the test run left in its results folder and prints one closing line.

ctest knows programs, not cases. Programs that write their own report (GoogleTest, lit, the Python
tests) are counted by their cases, every other ctest entry counts as one; a program that failed
without a failing case in its report (a crash, a time limit) counts as one failure more.
"""
import os
import sys
import xml.etree.ElementTree as ElementTree


def countReport(path):
    """(passed, failed, skipped) of one JUnit-like file."""
    passed = failed = skipped = 0
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        skipped_here = case.find("skipped") is not None or case.get("result") in ("skipped", "suppressed")
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif skipped_here or case.get("status") == "notrun":
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def main():
    folder = sys.argv[1]
    totals = [0, 0, 0]
    for case in ElementTree.parse(os.path.join(folder, "ctest.junit")).getroot().iter("testcase"):
        own = os.path.join(folder, case.get("name") + ".xml")
        ok = case.get("status") == "run"
        skipped_whole = case.find("skipped") is not None  # its report then holds skipped cases only
        try:
            counts = countReport(own) if os.path.exists(own) else None
        except ElementTree.ParseError:  # the program died while writing
            counts = None
        if counts is None:
            counts = (1, 0, 0) if ok else (0, 0, 1) if skipped_whole else (0, 1, 0)
        elif not ok and not skipped_whole and counts[1] == 0:
            counts = (counts[0], 1, counts[2])
        totals = [a + b for a, b in zip(totals, counts)]
    print("{} passed, {} failed, {} skipped".format(*totals))
    return 1 if totals[1] or not totals[0] else 0


if __name__ == "__main__":
    sys.exit(main())
