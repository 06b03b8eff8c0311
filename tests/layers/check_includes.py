#!/usr/bin/env python3
"""Checks that every file includes, itself or through its includes, the headers of this tree that
declare what it names, and a header of each library whose namespace it names.

A unit compiles several files as one, so a file may rely unnoticed on the includes of the one before
it. This reads names from the text: types, constants, macros, functions that are called. Of a name
that several headers declare it wants one; in a source, another file's forward declaration is none.
It does not notice a name that an included file has too, as a member for example.
"""

import pathlib
import re
import sys

from check_layers import SOURCES, beneath, included_file, is_for_tests, layer_of, read_layers

ROOTS = ("host", "sdk/include", "sdk/tools", "plugins")
HEADERS = (".h", ".hpp")
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.M)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)
COMMENT_OR_LITERAL = re.compile(
    r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/', re.S)
TEST = re.compile(r"\bTEST\w*\([\w\s,]*\)")  # its arguments are no names of the tree
ENUMERATION = re.compile(r"\benum\b[^;{}()]*\{([^{}]*)\}")
NAMESPACE = re.compile(r"\bnamespace\s+([\w:]+)")
TOKEN = re.compile(r"[A-Za-z_]\w*|::|->|[^\s\w]|\d[\w.']*")
NAME = re.compile(r"[A-Za-z_]\w*$")

TYPE_WORDS = {"class", "struct", "union", "enum"}
BUILT_IN = {"void", "int", "bool", "char", "auto", "double", "float", "unsigned", "operator", "if", "for", "while"}
# After these a name is used, not declared, as in `return find(x)`.
STATEMENT_WORDS = {"return", "co_return", "co_await", "co_yield", "throw", "else", "case", "new", "not", "delete", "do"}
# Namespaces that libraries have too, and names that a library or a header made by the build has too.
SHARED_NAMESPACES = {"std", "json"}
SHARED_NAMES = {"History", "kSchema"}
LIBRARIES = {"nlohmann": "nlohmann/", "boost": "boost/", "asio": "boost/", "beast": "boost/", "toml": "toml",
             "spdlog": "spdlog/", "testing": "gtest/|gmock/", "benchmark": "benchmark/"}


def plain(text):
    """The text without comments, literals, directives and names of tests."""
    text = COMMENT_OR_LITERAL.sub(lambda match: " " if match[0].startswith("/") else " 0 ", text)
    return TEST.sub("TEST()", DIRECTIVE.sub(" ", text))


def without_template(statement):
    while statement[:1] == ["template"]:
        depth = 0
        for end, token in enumerate(statement):
            depth += (token == "<") - (token == ">")
            if end and depth == 0:
                break
        statement = statement[end + 1:]
    return statement


def declared_by(statement):
    """What a statement of a namespace declares: a name or None."""
    statement = without_template(statement)
    if statement[:1] == ["using"]:
        return statement[1] if "=" in statement else None
    if statement[:1] == ["concept"]:
        return statement[1]
    types = [at for at, token in enumerate(statement) if token in TYPE_WORDS]
    if types and not {"(", "="} & set(statement):
        statement = statement[types[-1] + 1:]
        if ":" in statement:
            statement = statement[:statement.index(":")]
        return next((token for token in reversed(statement) if NAME.match(token) and token != "final"), None)
    for end in ("=", "(", "["):
        if end in statement:
            statement = statement[:statement.index(end)]
    declares = len(statement) > 1 and NAME.match(statement[-1]) and statement[-2] != "::"
    return statement[-1] if declares and not statement[-1].isupper() else None


def opens_namespace(statement):
    return "(" not in statement and ("namespace" in statement[:2] or statement[:1] == ["extern"])


def declarations(tokens):
    """(names, names declared ahead) of the namespaces of a file."""
    names, ahead = set(), set()
    depth, statement, listed = 0, [], False  # braces but for those of namespaces; in an unscoped enumeration
    for token in tokens:
        if depth:
            depth += (token == "{") - (token == "}")
            if listed and NAME.match(token):
                names.add(token)
            if depth == 0:
                statement = [] if ")" in statement else ["}"]  # a function ends without a semicolon
                listed = False
        elif token == "{" and opens_namespace(statement):
            statement = []
        elif token == "{":
            names.add(declared_by(statement))
            listed = "enum" in statement[:2] and "class" not in statement
            depth = 1
        elif token == ";" and statement[:1] == ["}"]:
            names.update(statement[1:2])  # typedef struct { … } Name;
            statement = []
        elif token == ";":
            forward = without_template(statement)[:1] and without_template(statement)[0] in TYPE_WORDS
            (ahead if forward and not {"(", "="} & set(statement) else names).add(declared_by(statement))
            statement = []
        elif token == "}":
            statement = []  # the end of a namespace
        else:
            statement.append(token)
    return names - {None}, ahead - {None}


class File:
    """What a file declares and names. `includes`: the files of this tree that it includes."""

    def __init__(self, text, includes=()):
        self.includes = includes
        self.include_names = INCLUDE.findall(text)
        body = plain(text)
        self.tokens = TOKEN.findall(body)
        self.namespaces = {name for path in NAMESPACE.findall(body) for name in path.split("::")}
        self.names, self.ahead = declarations(self.tokens)
        self.names.update(MACRO.findall(text))
        self.inside = self.names | self.declared_inside() | {
            name for names in ENUMERATION.findall(body) for name in re.findall(r"\w+", names)}

    def declared_inside(self):
        """Members, parameters, types of classes and variables of functions."""
        out = set()
        for before, name, after in zip(["", *self.tokens], self.tokens, [*self.tokens[1:], ""]):
            if not NAME.match(name) or name in self.ahead:
                continue
            variable = after in ("(", "{", "=", ";", ",", ")", "[") and before not in STATEMENT_WORDS and (
                before in ("&", "*", ">") or NAME.match(before or "("))
            if variable or before in TYPE_WORDS | {"typename", "using", "concept"}:
                out.add(name)
        return out

    def uses(self, namespaces):
        """Names of types, constants, macros and called functions; one after `::` only if a name of
        `namespaces` is before that."""
        out = set()
        for scope, before, name, after in zip(["", "", *self.tokens], ["", *self.tokens], self.tokens,
                                              [*self.tokens[1:], ""]):
            if (not NAME.match(name) or name in BUILT_IN | SHARED_NAMES or before in (".", "->")
                    or before == "::" and scope not in namespaces):
                continue
            called = after == "(" and before not in ("&", "*", ">", "~") and (
                before in STATEMENT_WORDS or not NAME.match(before or "("))
            if called or name[0].isupper() or re.match(r"k[A-Z]|quarry_", name):
                out.add(name)
        return out


def reached(path, files):
    """The files that including `path` brings in, itself among them."""
    seen, left = set(), [path]
    while left:
        at = left.pop()
        if at not in seen and at in files:
            seen.add(at)
            left.extend(files[at].includes)
    return seen


def may_include(rows, file, header):
    if is_for_tests(header) and not is_for_tests(file):
        return False
    layer, allowed = layer_of(file.parent.as_posix(), rows)
    folders = [file.parent.as_posix(), *allowed, *([layer] if layer else [])]
    return any(beneath(header.parent.as_posix(), folder) for folder in folders)


def missing(rows, files):
    """(path, what it names, the headers that would declare that) for all that files lack."""
    declared_in = {}
    for path, file in files.items():
        if path.suffix in HEADERS:
            for name in file.names:
                declared_in.setdefault(name, set()).add(path)
    namespaces = set().union(*(file.namespaces for file in files.values())) - SHARED_NAMESPACES
    for path, file in files.items():
        seen = reached(path, files)
        known = set().union(*(files[at].inside for at in seen)) | file.ahead
        if path.suffix in HEADERS:
            known |= set().union(*(files[at].ahead for at in seen))
        for name in sorted(file.uses(namespaces) - known):
            headers = sorted(str(at) for at in declared_in.get(name, ()) if may_include(rows, path, at))
            if headers:
                yield path, name, headers
        brought = {name for at in seen for name in files[at].include_names}
        ours = set().union(*(files[at].namespaces for at in seen))
        scopes = {name for name, after in zip(file.tokens, file.tokens[1:]) if after == "::"}
        for space in sorted(scopes & LIBRARIES.keys() - ours):
            if not any(re.match(LIBRARIES[space], name) for name in brought):
                yield path, f"{space}::", [LIBRARIES[space]]


def self_test():
    path = pathlib.PurePosixPath
    rows = [("host/a", []), ("host/b", ["host/a"]), ("host/c", [])]
    header = """namespace quarry { struct Tree; template <class T> class [[nodiscard]] Box final : Base { int size(); };
        enum Colour { RED_ONE, BLUE_ONE }; inline constexpr int kMost{3}; Box<int> make_box(int size);
        typedef struct { int at; } Place; #define A_MACRO 1
        enum class Mode { kFast }; int first() { return 1; } using Boxes = int; }"""
    assert File(header.replace("#define", "\n#define")).names == {
        "Box", "Colour", "RED_ONE", "BLUE_ONE", "kMost", "make_box", "Place", "A_MACRO", "Mode", "first", "Boxes"}
    assert File(header).ahead == {"Tree"}

    def lacks(source, folder="b", includes=(), suffix=".cpp"):
        files = {path("host/a/box.h"): File(header), path("host/a/other.h"): File("class Other;"),
                 path(f"host/{folder}/x{suffix}"): File(source, [path(f"host/a/{name}") for name in includes])}
        return [name for _, name, _ in missing(rows, files)]

    assert lacks("int f() { return make_box(kMost); }") == ["kMost", "make_box"]
    assert lacks("int f() { return make_box(kMost); }", includes=["box.h"]) == []
    assert lacks("quarry::Box<int>& f();") == ["Box"]
    assert lacks("class Box; Box& f();") == [] == lacks('// a Box\nconst char* text = "Box";')
    assert lacks("f(std::make_box()); g(box.make_box(), at->kMost); h(Other::kMost);") == []
    assert lacks("int kMost = 1; int f() { return kMost; }") == [] == lacks("TEST(Box, Holds) {}")
    assert lacks("enum class Few { kMost }; int f() { return kMost; }") == []
    assert lacks("Box f();", folder="c") == []  # which may not include it
    assert lacks("spdlog::info(1);") == ["spdlog::"] != lacks("#include <spdlog/spdlog.h>\nspdlog::info(1);")


def main():
    self_test()
    root = pathlib.Path(sys.argv[1]).resolve()
    rows = read_layers((pathlib.Path(__file__).parent / "layers.txt").read_text())
    files = {}
    for path in (path for top in ROOTS for path in sorted((root / top).rglob("*")) if path.suffix in SOURCES):
        text = path.read_text(errors="replace")
        targets = (included_file(root, path, name) for name in INCLUDE.findall(text))
        files[pathlib.PurePosixPath(path.relative_to(root).as_posix())] = File(
            text, [target for target in targets if target is not None])
    found = [f"{path} names {name} and does not include {' or '.join(headers[:3])}"
             for path, name, headers in missing(rows, files)]
    print("\n".join(found) if found else f"{len(files)} files include what they name")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
