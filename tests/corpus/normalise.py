"""The content of MLIR text, freed from how it was written down.

Two prints of one module differ in SSA names (%0 or %tile_id), in the names of attribute aliases
(#shared or #shared1) and in locations. `contents(text)` removes exactly these: values are numbered
in order of definition within their scope, aliases are replaced by what they stand for, locations
are dropped or, with `locations=True`, replaced by a hash of the resolved location. What remains is
equal if and only if operations, operands, types, attributes and regions are, in order.

The text must be laid out as MLIR's printer does it: one operation a line, a region's opening brace
at the end of a line and its closing brace at the start of one.
"""
import hashlib
import re

# One pass over the text; strings first, so that nothing inside them is taken for a token.
TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"'  # string
    r"|%[A-Za-z0-9_.$-]+"  # value
    r"|[#!][A-Za-z_][A-Za-z0-9_.$]*"  # alias or dialect attribute
    r"|\bloc\("  # location
)
ALIAS = re.compile(r"^([#!][A-Za-z_][A-Za-z0-9_$]*) = (.*)$")
RESULTS = re.compile(r"^\s*(%[^=]*?) = ")
SPACES = re.compile(r'(^\s+|"(?:[^"\\]|\\.)*")| {2,}')
VALUE = re.compile(r"%([A-Za-z0-9_.$-]+)")


def closing(text, start):
    """Index after the parenthesis that closes the one before `start`; strings are skipped."""
    depth, i = 1, start
    while depth:
        c = text[i]
        if c == '"':
            i += 1
            while text[i] != '"':
                i += 2 if text[i] == "\\" else 1
        elif c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
        i += 1
    return i


class Aliases:
    """Resolves #x and !x to what they stand for; a location becomes a short hash, since nested call
    sites grow quickly when written out."""

    def __init__(self, lines):
        self.raw = {m.group(1): m.group(2) for m in map(ALIAS.match, lines) if m}
        self.done = {}

    def resolve(self, name):
        if name not in self.raw:
            return name
        if name not in self.done:
            text = self.expand(self.raw[name])
            if text.startswith("loc("):
                text = hashlib.md5(text.encode()).hexdigest()[:12]
            self.done[name] = text
        return self.done[name]

    def expand(self, text):
        return TOKEN.sub(lambda m: self.resolve(m.group()) if m.group()[0] in "#!" else m.group(), text)


class Scopes:
    """Value names to numbers. A region sees the scopes around it; its own names end with it."""

    def __init__(self):
        self.stack = [{}]
        self.pending = {}  # arguments written before the region's brace: functions, partitions
        self.count = 0

    def define(self, name, before_region=False):
        self.count += 1
        (self.pending if before_region else self.stack[-1])[name] = self.count

    def use(self, name):
        if name in self.pending:
            return self.pending[name]
        for scope in reversed(self.stack):
            if name in scope:
                return scope[name]
        return "?" + name  # defined further down: a graph region, or broken text

    def open(self):
        self.stack.append(self.pending)
        self.pending = {}

    def close(self):
        if len(self.stack) > 1:
            self.stack.pop()


class Normaliser:
    def __init__(self, text, locations):
        self.lines = text.splitlines()
        self.aliases = Aliases(self.lines)
        self.scopes = Scopes()
        self.locations = locations

    def withoutLocations(self, line):
        """The line with each location dropped, or hashed."""
        if "loc(" not in line:
            return line
        out, i = [], 0
        while True:
            m = TOKEN.search(line, i)
            if not m:
                out.append(line[i:])
                return "".join(out)
            if m.group() != "loc(":
                out.append(line[i:m.end()])
                i = m.end()
                continue
            out.append(line[i:m.start()])
            i = closing(line, m.end())
            if self.locations:
                body = line[m.end():i - 1].strip()
                # loc(#loc3) and the location itself are one thing.
                whole = self.aliases.resolve(body) if body in self.aliases.raw else \
                    hashlib.md5(("loc(" + self.aliases.expand(body) + ")").encode()).hexdigest()[:12]
                out.append("@" + whole)
            elif out and out[-1].endswith(" "):
                out[-1] = out[-1][:-1]

    def defineBefore(self, line):
        """Defines what this line defines: results, loop variables, block and region arguments."""
        results = RESULTS.match(line)
        if results:
            for name in VALUE.findall(results.group(1)):
                self.scopes.define(name)
        rest = line[results.end():] if results else line
        block = line.lstrip().startswith("^")
        for m in re.finditer(r'"(?:[^"\\]|\\.)*"|%([A-Za-z0-9_.$-]+)(?= = )|%([A-Za-z0-9_.$-]+)(?=: )', rest):
            if m.group(1):
                self.scopes.define(m.group(1))
            elif m.group(2):
                self.scopes.define(m.group(2), before_region=not block)

    def token(self, m):
        text = m.group()
        if text[0] == "%":
            # A result's number within its operation (%x#1) follows and stays.
            return "%" + str(self.scopes.use(text[1:]))
        if text[0] in "#!":
            return self.aliases.resolve(text)
        return text

    def run(self):
        for line in self.lines:
            if not line.strip() or ALIAS.match(line) or line.lstrip().startswith("//"):
                continue
            # MLIR's versions differ in the spaces of builtin dialects (`gpu.thread_id  x`).
            line = SPACES.sub(lambda m: m.group(1) or " ", self.withoutLocations(line).rstrip())
            stripped = line.lstrip()
            for c in stripped:  # "}", "})", "}, {", "} else {", "}) : ..."
                if c == "}":
                    self.scopes.close()
                break
            # Initial values of loop variables are uses of the scope as it was; the printer never
            # reuses a name that is still visible, so defining first is safe.
            self.defineBefore(line)
            yield TOKEN.sub(self.token, line)
            if stripped.endswith("{"):
                self.scopes.open()


def contents(text, locations=False):
    """The normalised lines of a printed module."""
    return list(Normaliser(text, locations).run())


def withoutLocations(text):
    """The same text without locations, names and aliases untouched."""
    plain = Normaliser(text, locations=False)
    lines = [line for line in plain.lines if not re.match(r"#loc\d* = ", line)]
    return "".join(plain.withoutLocations(line).rstrip() + "\n" for line in lines)


def isGeneric(text):
    """Whether the module is printed in MLIR's generic form."""
    return '"builtin.module"(' in text


def firstDifference(a, b):
    """(index, line of a, line of b) or None."""
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return i, x, y
    if len(a) != len(b):
        i = min(len(a), len(b))
        return i, a[i] if i < len(a) else "(end)", b[i] if i < len(b) else "(end)"
    return None
