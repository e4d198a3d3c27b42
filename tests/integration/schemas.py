"""The part of JSON Schema 2020-12 that docs/reference/schemas uses. A keyword that it does not know is an error."""
import json
import os

import pytlx

FOLDER = os.path.join(pytlx.SOURCE, "docs", "reference", "schemas")
TYPES = {
    "object": lambda v: isinstance(v, dict), "array": lambda v: isinstance(v, list), "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool), "boolean": lambda v: isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool), "null": lambda v: v is None,
}  # fmt: skip
SILENT = {"$schema", "$defs", "title", "description"}


def load(name):
    with open(os.path.join(FOLDER, name + ".json"), encoding="utf-8") as file:
        return json.load(file)


def errors(value, schema, root=None, path="$"):
    """What is wrong with a value, as a list of texts."""
    root = root or schema
    found = []
    for keyword, wanted in schema.items():
        if keyword in SILENT:
            continue
        found += CHECKS[keyword](value, wanted, schema, root, path)
    return found


def checkType(value, wanted, _, __, path):
    names = wanted if isinstance(wanted, list) else [wanted]
    return [] if any(TYPES[name](value) for name in names) else ["%s: %r is no %s" % (path, value, " or ".join(names))]


def checkProperties(value, wanted, schema, root, path):
    if not isinstance(value, dict):
        return []
    return [text for key in value if key in wanted for text in errors(value[key], wanted[key], root, "%s.%s" % (path, key))]


def checkAdditional(value, wanted, schema, root, path):
    others = [key for key in value if key not in schema.get("properties", {})] if isinstance(value, dict) else []
    if wanted is True:
        return []
    if wanted is False:
        return ["%s: unknown key '%s'" % (path, key) for key in others]
    return [text for key in others for text in errors(value[key], wanted, root, "%s.%s" % (path, key))]


def checkItems(value, wanted, _, root, path):
    return [text for i, item in enumerate(value) for text in errors(item, wanted, root, "%s[%d]" % (path, i))] if isinstance(value, list) else []


def checkAnyOf(value, wanted, _, root, path):
    attempts = [errors(value, one, root, path) for one in wanted]
    return [] if any(not attempt for attempt in attempts) else min(attempts, key=len)


CHECKS = {
    "type": checkType, "properties": checkProperties, "additionalProperties": checkAdditional, "items": checkItems, "anyOf": checkAnyOf,
    "required": lambda v, wanted, s, r, p: ["%s: lacks '%s'" % (p, key) for key in wanted if isinstance(v, dict) and key not in v],
    "enum": lambda v, wanted, s, r, p: [] if v in wanted else ["%s: %r is none of %s" % (p, v, wanted)],
    "minItems": lambda v, wanted, s, r, p: [] if len(v) >= wanted else ["%s: fewer than %d items" % (p, wanted)],
    "maxItems": lambda v, wanted, s, r, p: [] if len(v) <= wanted else ["%s: more than %d items" % (p, wanted)],
    "minimum": lambda v, wanted, s, r, p: [] if v >= wanted else ["%s: %s is below %s" % (p, v, wanted)],
    "$ref": lambda v, wanted, s, r, p: errors(v, r["$defs"][wanted[len("#/$defs/"):]], r, p),
}  # fmt: skip
