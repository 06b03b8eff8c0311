#!/usr/bin/env python3
"""Checks that no line of the product names a type of resource but the plugin that offers it: not in a
text, an identifier, a schema or the man page, except as an example ("such as npm:react@18", "as in
git") and where the word means something else (EXCEPTIONS)."""

import fnmatch
import json
import pathlib
import re
import sys

TOPS = ("host", "plugins", "sdk")
SOURCES = (".h", ".hpp", ".c", ".cpp")
MAN_PAGE = "host/cli/quarry.1"
OFFERED = re.compile(r"\bresource:([a-z][a-z0-9-]*)")
TOKENS = re.compile(
    r'R"(?P<mark>[^(\s]*)\((?P<raw>.*?)\)(?P=mark)"|"(?P<text>(?:\\.|[^"\\\n])*)"'
    r"|(?P<comment>//[^\n]*|/\*.*?\*/)|'(?:\\.|[^'\\\n])+'|(?P<name>[A-Za-z_]\w*)|(?P<other>\S)", re.S)
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# Types whose names are searched for in sentences and identifiers; others may be common words.
SEARCHED = ("git", "local", "npm", "pypi")
EXAMPLE = re.compile(r"\b(?:such as|as in)\b[^.;]*$")

# Where such a word is no type of resource: (files, the text or identifier, the reason).
EXCEPTIONS = (
    ("*", r"local_roots", "a key of the host: folders that every type may read in place"),
    ("*", r"thread_local|RTLD_LOCAL|rtld_local|STB_LOCAL", "terms of C++ and of the linker"),
    ("host/cli/completion.cpp", r"(?s)_quarry\(\) \{.*", "a keyword of bash"),
    ("host/cli/local_connection.cpp", r"LocalConnection", "to an engine in this process"),
    ("host/cli/mcp/mcp_clients.cpp", r"local", "a word of a client's configuration"),
    ("host/corpus/snapshot/*", r"kGit|GitIgnore", "the language of patterns of gitignore(5)"),
    ("host/corpus/snapshot/*", r"GitUser|GitDirectories|GitSettings?|git_directories",
     "what decides which files a work tree ignores, by git-config(1)"),
    ("host/corpus/text/glob.*", r"kGit", "the language of patterns of gitignore(5)"),
    ("host/corpus/text/definitions.cpp", r"local", "a keyword of programming languages"),
    ("host/corpus/scip/*", r"local ", "a symbol of SCIP without a name beyond its document"),
    ("host/corpus/query/question.cpp", r"local", "a word of questions"),
    ("host/resources/directory_lock.cpp", r"Put the cache on a local disk.*", "of this machine"),
    ("plugins/transport-rest/transport.cpp", r"INSECURE: .*", "folders of this machine"),
    ("host/services/egress_policy.cpp", r"is_local_name", "names of this machine"),
    ("host/services/http_transfer.h", r"local|local_port", "the own end of a connection"),
    ("plugins/http_server/server.cpp", r"local_endpoint", "the own end of a connection"),
    *((files, r"local|is_local", "a model that costs nothing") for files in (
        "host/ask/bill.cpp", "host/ask/model.h", "host/ask/unpriced.cpp", "host/cli/model_setup_verb.cpp",
        "host/engine/auto_model.cpp", "host/engine/methods/model_methods.cpp",
        "host/engine/models.cpp", "host/engine/question_history.cpp",
        "host/engine/retrieval_expenses.cpp", "host/engine/retrieval_providers.cpp", "host/plugins/deferred_components.cpp",
        "host/plugins/model_adapter.cpp",
        "host/plugins/model_provider.h", "host/plugins/exchange_provider.h",
        "host/plugins/exchange_provider_adapter.h", "plugins/embedding-*", "plugins/model-*",
        "sdk/schema/draft/*", "sdk/schema/engine/methods.json", "sdk/schema/model.description.json",
        "sdk/tools/authoring/trial_functions.cpp", "sdk/tools/authoring/trial_retrieval.cpp")),
    *((files, r"(?s).*archive.*", "an archive of a plugin") for files in (
        "host/cli/plugin_search_verb.cpp", "host/cli/plugin_source.cpp", "host/plugins/plugin_index.cpp",
        "sdk/schema/plugin.index.json", "sdk/tools/authoring/index_maker.cpp")),
    ("host/engine/methods/model_methods.cpp", r'(?s).*"local": \{"type": "boolean"\}.*', "a model that costs nothing"),
    ("sdk/templates/model-*", r'(?s).*"local": true.*', "a model that costs nothing"),
    ("plugins/model-extractive/plugin.cpp", r'.*"local":true.*', "a model that costs nothing"),
)


def types_offered(made):
    """Type -> the folder of the plugin that offers it. made: folder -> the text of its CMakeLists."""
    return {name: folder for folder, text in made.items() for name in OFFERED.findall(text)}


def texts_and_names(source):
    """(line, kind, text) of each text of a C++ file, adjacent literals as one, and each identifier."""
    line, at, joined = 1, 0, None
    for token in TOKENS.finditer(source):
        line += source.count("\n", at, token.start())
        at = token.start()
        text = token["raw"] if token["raw"] is not None else token["text"]
        if text is not None:
            joined = (joined[0], joined[1] + text) if joined else (line, text)
        elif not token["comment"]:
            if joined:
                yield joined[0], "text", joined[1]
            joined = None
            if token["name"]:
                yield line, "name", token["name"]
    if joined:
        yield joined[0], "text", joined[1]


def named_in_text(text, types):
    """The types that a text names, but for examples: as a whole text or the scheme of a reference,
    those of SEARCHED in sentences too. A part of a longer word (".git", "link-local") is none."""
    names = "|".join(types)
    if whole := re.match(rf"({names})(?:$|:\S)", text):
        yield whole.group(1)
        return
    for match in re.finditer(rf"(?<![\w./-])({'|'.join(SEARCHED)})(?![\w/-]|\.\w)", text):
        if not EXAMPLE.search(text[:match.start()]):
            yield match.group(1)


def named_in_name(name):
    return [word.lower() for word in WORDS.findall(name) if word.lower() in SEARCHED]


def texts_of_json(value):
    if isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from texts_of_json(member)
    elif isinstance(value, list):
        for member in value:
            yield from texts_of_json(member)
    elif isinstance(value, str):
        yield value


def allowed(file, text, exceptions):
    return any(fnmatch.fnmatch(file, files) and re.fullmatch(what, text)
               for files, what, _ in exceptions)


def violations(file, source, types, exceptions=EXCEPTIONS):
    """One line for each name of a type. file: its path as text."""
    if file.endswith(".json"):
        found = ((1, "text", text) for text in texts_of_json(json.loads(source)))
    elif file.endswith(SOURCES):
        found = texts_and_names(source)
    else:
        found = ((number, "text", line.replace("\\", ""))
                 for number, line in enumerate(source.splitlines(), 1))
    for line, kind, text in found:
        named = named_in_text(text, types) if kind == "text" else named_in_name(text)
        for name in named:
            if not allowed(file, text, exceptions):
                yield f"{file}:{line}: names the type of resource \"{name}\": {text.strip()[:60]!r}"


def is_product(path):
    return (path.suffix in (*SOURCES, ".json") or path.as_posix() == MAN_PAGE) and \
        "_test." not in path.name and "testing" not in path.parts and "testing" not in path.stem


def self_test():
    types = {"git": "plugins/resource-git", "local": "plugins/resource-local", "archive": "plugins/a"}
    made = {"plugins/resource-git": "COMPONENTS resource:git:schema.json:configuration.json)",
            "plugins/x": "COMPONENTS resource:one resource:two-b:s.json model:m)"}
    assert types_offered(made) == {"git": "plugins/resource-git", "one": "plugins/x",
                                   "two-b": "plugins/x"}

    def found(source, file="host/a.cpp", exceptions=()):
        return [line.split(": names")[0] for line in violations(file, source, types, exceptions)]

    for planted in ('resource = {{"type", "local"}};', "if (is_git(x)) return;", "kLocal", "GitLocation",
                    'f("a folder" " or git repository");', 'R"json({"enum": ["git"]})json"',
                    'x("git:" + y);', "f('\"', \"git\")", "local_git()", 'x = "archive";',
                    'x = "archive:a.zip";'):
        assert found(planted)[:1] == ["host/a.cpp:1"], planted
    assert found('int a;\n\nx = "git";\n') == ["host/a.cpp:3"]
    for harmless in ("// git\nint digit;", "/* local\n*/", '".git/info"', '"link-local"', "localtime_r",
                     '"such as git"', '"as in `git`."', '"x.local"', "legit_digits", '"git-log"',
                     r'"a\"b" /* "git" */', '"~/.local/share"', "archive_of(x)", '"an archive"'):
        assert found(harmless) == [], harmless
    assert found('"such as this. git"') == ["host/a.cpp:1"]
    assert found("local_roots", exceptions=EXCEPTIONS) == []
    assert list(unused({"a.cpp": "local_roots"}, [("a*", "local_roots", ""), ("b*", "local", "")])) == [
        "check_types.py: the exception local of b* is not needed"]
    assert found('{"enum": ["git"]}', "host/a.json") == ["host/a.json:1"]
    assert found(".B x\nof a git repository", MAN_PAGE) == [f"{MAN_PAGE}:2"]


def unused(files, exceptions=EXCEPTIONS):
    """Exceptions that no file needs. files: path -> text."""
    for pattern, what, _ in exceptions:
        if not any(fnmatch.fnmatch(file, pattern) and re.search(what, text)
                   for file, text in files.items()):
            yield f"check_types.py: the exception {what} of {pattern} is not needed"


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    types = types_offered({path.parent.relative_to(root).as_posix(): path.read_text()
                           for path in sorted((root / "plugins").glob("*/CMakeLists.txt"))})
    assert set(SEARCHED) <= types.keys(), types
    files = {}
    for path in (path for top in TOPS for path in sorted((root / top).rglob("*"))):
        name = path.relative_to(root)
        owned = any(name.as_posix().startswith(folder + "/") for folder in types.values())
        if path.is_file() and is_product(name) and not owned:
            files[name.as_posix()] = path.read_text(errors="replace")
    found = [*(line for file, text in files.items() for line in violations(file, text, types)),
             *unused(files)]
    print("\n".join(found) if found else "no line names a type of resource")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
