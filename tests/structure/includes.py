"""Reads #include lines and judges them by rules.py. Kept apart from the test so that the rules can
be tried on made-up files."""
import posixpath
import re

INCLUDE = re.compile(r'^\s*#?\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
WINGS = ("compiler/", "sim/", "verify/", "runtime/", "tests/")


def within(path, folder):
    return path == folder or path.startswith(folder + "/")


def ruleFor(rules, path):
    """The row of the longest folder that holds `path`, or None."""
    return max((folder for folder in rules if within(path, folder)), key=len, default=None)


def familiesOf(families, header):
    """The families of an outside header; the longest prefix decides, so that a costly subfolder is
    a family of its own."""
    best = max((prefix for prefixes in families.values() for prefix in prefixes if header.startswith(prefix)),
               key=len, default=None)
    return {family for family, prefixes in families.items() if best in prefixes}


def includesOf(path, text, exists):
    """(target, is_project) for each include of one file. Quoted names are looked up beside the file
    first, as the compiler does."""
    for quoted, angled in INCLUDE.findall(text):
        name = quoted or angled
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        if quoted and exists(beside):
            yield beside, True
        else:
            yield name, name.startswith(WINGS)


def violations(rules, families, path, text, exists):
    """(target, why) for each include of `path` that the rules forbid."""
    folder = ruleFor(rules, path)
    if folder is None:
        if any(True for _ in includesOf(path, text, exists)):
            yield "", "its folder has no row in tests/structure/rules.py"
        return
    projects, outside = rules[folder]
    for target, is_project in includesOf(path, text, exists):
        if is_project:
            ok = within(target, folder) or within(target, "runtime/base") or any(within(target, p) for p in projects)
            # Units see each other only through ports: a subfolder of sim/units is a world of its own.
            if ok and folder == "sim/units":
                mine, other = path.split("/")[2:3], target.split("/")[2:3]
                if target.startswith("sim/units/") and mine != other and target.count("/") > 2 and path.count("/") > 2:
                    yield target, "a hardware unit may not include another one"
                    continue
            if not ok:
                yield target, "%s may not include %s" % (folder, posixpath.dirname(target))
        else:
            for family in familiesOf(families, target):
                if family not in outside:
                    yield target, "%s may not see headers of %s" % (folder, family)
