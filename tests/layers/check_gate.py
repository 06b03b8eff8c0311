#!/usr/bin/env python3
"""Checks that no test of the gate sleeps, spins, compares elapsed times, starts a compiler or a tool of
another part, or uses a path that other tests share.

It reads the tests that CMake lists for the gate: of a test program all but those that SLOW names, and of
the end-to-end tests the files of the list "gate". What it reports waits for a condition instead, takes
an injected clock, or moves to its part of the full run; EXCEPTIONS gives reasons for the rest."""

import fnmatch
import pathlib
import re
import sys

CALL = re.compile(r"\bquarry_(?:test|module)\(((?:[^()]|\$\{\w+\})*)\)")
COMMENT = re.compile(r"(?<!\S)#[^\n]*")
KEYWORDS = {"SOURCES", "TESTS", "CONCURRENT_TESTS", "SLOW", "CONCURRENT_SLOW", "PART", "LINK", "LABELS", "PUBLIC",
            "PRIVATE", "TEST_LINK"}
TEST = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.M)
END = re.compile(r"^}\n", re.M)
GATE = re.compile(r"set\(gate\s+([^)]*)\)")

CPP = (
    (r"^(?!.*\bwhile \().*(?:\b(?:sleep_for|sleep_until|usleep|nanosleep)\b|(?<![\w.])::sleep\()", "sleeps"),
    (r"\byield\(\)", "spins"),
    (r"(?:EXPECT|ASSERT)_L[TE]\([^;]*\b(?:now\(\)|elapsed|took|duration)", "compares elapsed time"),
    (r'(?:path|ofstream|open)\("/tmp/', "uses a path that other tests share"),
    (r'"(?:g\+\+|gcc|clang\S*)[ "]', "starts a compiler"),
)
PYTHON = (
    (r"\btime\.sleep\(", "sleeps"),
    (r"assert(?:Less|LessEqual)\([^\n]*\b(?:monotonic|perf_counter|elapsed|took|duration)", "compares elapsed time"),
    (r"[\"']/tmp/", "uses a path that other tests share"),
    (r"[\"'](?:g\+\+|gcc|c\+\+|clang)[\"']", "starts a compiler"),
    (r"^(?:import|from) kill_harness\b", "uses a tool of another part"),
)
# (files, the text that is found, the reason).
EXCEPTIONS = (
    ("*/testing/*", r"sleep", "looks at a condition that nothing signals"),
    ("tests/e2e/harness.py", r"time\.sleep", "looks at a condition that nothing signals"),
    ("host/plugins/serial_test.cpp", r"sleep_for", "a plugin that works until it is cancelled"),
    ("host/runner/host_call_test.cpp", r"sleep_for", "time passes, and however much does, the result is the same"),
    ("plugins/resource-debian/names_test.cpp", r"g\+\+", "the name of a package"),
    ("sdk/process_state_test.cpp", r"yield", "a thread that runs, to be counted"),
    ("host/services/workers_test.cpp", r"yield", "lets two jobs overlap, which must not happen"),
    ("host/engine/prices_test.cpp", r"now", "two minutes, which a start that waits takes in full"),
    ("tests/e2e/test_document_mcp.py", r"monotonic", "more time permits more guesses"),
)


def calls(text):
    """Of each program of a CMakeLists.txt: words by keyword."""
    for call in CALL.finditer(COMMENT.sub("", text)):
        words, keyword = {}, None
        for word in call[1].split():
            if word in KEYWORDS:
                keyword = word
            elif keyword:
                words.setdefault(keyword, []).append(word.strip('"'))
        yield words


def gate_sources(root):
    """(path, patterns of the tests in it that are not of the gate) of each file of unit tests."""
    for top in ("host", "plugins", "sdk", "tests"):
        for listing in sorted((root / top).rglob("CMakeLists.txt")):
            if listing.is_relative_to(root / "tests/recipes"):
                continue
            for words in calls(listing.read_text()):
                if words.get("PART", ["gate"]) != ["gate"]:
                    continue
                for keyword, slow in (("SOURCES", "SLOW"), ("TESTS", "SLOW"), ("CONCURRENT_TESTS", "CONCURRENT_SLOW")):
                    for name in words.get(keyword, ()):
                        if name.endswith("_test.cpp"):
                            yield listing.parent / name, words.get(slow, [])
        for path in sorted((root / top).rglob("testing/*")):
            if path.suffix in (".cpp", ".h"):
                yield path, []


def without_slow(text, slow):
    """The text without the bodies of the tests that `slow` matches; line numbers stay."""
    for test in reversed(list(TEST.finditer(text))):
        if any(fnmatch.fnmatchcase(f"{test[1]}.{test[2]}", pattern) for pattern in slow):
            end = END.search(text, test.end()).end()
            text = text[:test.start()] + "\n" * text.count("\n", test.start(), end) + text[end:]
    return text


def findings(path, text, rules, root):
    name = path.relative_to(root).as_posix()
    for pattern, what in rules:
        for match in re.finditer(pattern, text, re.M):
            line = text.count("\n", 0, match.start()) + 1
            excused = any(fnmatch.fnmatchcase(name, files) and re.search(allowed, match[0])
                          for files, allowed, _ in EXCEPTIONS)
            if not excused:
                yield f"{name}:{line}: {what}: {match[0].strip().splitlines()[0]}"


def check(root):
    for path, slow in gate_sources(root):
        yield from findings(path, without_slow(path.read_text(), slow), CPP, root)
    end_to_end = root / "tests/e2e"
    listed = GATE.search((end_to_end / "CMakeLists.txt").read_text())[1].split()
    harnesses = sorted(path for path in end_to_end.glob("*.py") if not path.name.startswith("test_"))
    for path in [*(end_to_end / f"test_{name}.py" for name in listed), *harnesses]:
        rules = PYTHON if path.name.startswith("test_") else PYTHON[:-1]  # kill_harness is one of them
        yield from findings(path, path.read_text(), rules, root)


def self_test():
    """A text with one problem of each kind, and a slow test with one, are read as such."""
    text = ("TEST(Slow, Waits) {\n  sleep_for(1s);\n}\n\nTEST(Quick, Polls) {\n  while (!done) sleep_for(1ms);\n}\n"
            "TEST(Quick, Waits) {\n  std::this_thread::sleep_for(1s);\n}\n")
    path = pathlib.Path("host/x_test.cpp")
    found = list(findings(path, without_slow(text, ["Slow.*"]), CPP, pathlib.Path(".")))
    assert found == ["host/x_test.cpp:9: sleeps: std::this_thread::sleep_for"], found
    words = list(calls("quarry_test(a_tests SOURCES a_test.cpp SLOW A.*)"))
    assert words == [{"SOURCES": ["a_test.cpp"], "SLOW": ["A.*"]}], words


def main():
    self_test()
    problems = list(check(pathlib.Path(sys.argv[1])))
    print("\n".join(problems) or "ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
