#!/usr/bin/env python3
"""Searches many gigabytes of source code, each folder a resource of one server, beside ripgrep and Google's
codesearch over the same folders.

Usage: QUARRY_BUILD_DIR=build/release QUARRY_SOURCE_DIR=. tests/bench/bench_scale.py FOLDER...
       [--json FILE] [--rounds N] [--symbols] [--no-peers]
Build: ninja -C build/release product. Needs ripgrep and codesearch (cindex, csearch). FOLDER:
source trees of at most 4 GiB of text each, with different names. The disk needs space for another and a
half of their text, and fs.inotify.max_user_watches must permit a watch of each directory. Without
--symbols no definitions are indexed, which takes most of the time.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from bench_edit import milliseconds, private_kib  # noqa: E402
from harness import Home, Server, wait_until  # noqa: E402

LIMITS = '[cache]\nmax_size = "1TiB"\n[model]\nprovider = "extractive"\n'
WITHOUT_SYMBOLS = '[plugins]\ndisabled = ["io.quarry.symbols-tree-sitter"]\n'
RESOURCE = '[[resource]]\ntype = "local"\nname = "{}"\npath = "{}"\n'

# Few lines match each of these.
PATTERNS = [
    "qzxjk_nothing_",
    "kmem_cache_create_usercopy",
    r"DEFINE_STATIC_KEY_\w+\(sched_",
    r"std::exchange\(pending_callbacks",
    r"uprv_[a-z]+_get\w*Locale\w*Name",
    r"SQLITE_[A-Z]+_NOTUSED",
    r"ExceptionInInitializerError\(e",
    r"fn \w+_unchecked_mut\(",
    r"getOrCreateRuntimeInit\w+",
    r"PRIVATE_[A-Z]+_TOPIC_\d+",
]
QUESTIONS = [
    "Where is the slab allocator initialised?",
    "How does the garbage collector mark weak references?",
    "parse the header of a PNG image",
    "What decides which certificate a TLS server sends?",
    "binlog group commit order",
    "How are loops vectorised?",
    "register allocation spill weights",
    "Which function resolves a relative URL against its base?",
    "inotify watch removed while events are pending",
    "how to cross compile the tool chain",
    "read a DWARF line number program",
    "handle a lost connection to the replication master",
    "layout of flex containers with percentage heights",
    "NFS client retries after a time-out",
    "schedule a task on the compositor thread",
    "escape a string for JSON",
]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--symbols", action="store_true")
    parser.add_argument("--no-peers", action="store_true")
    return parser.parse_args()


def ask(server, tool, **body):
    """(milliseconds, answer)"""
    begin = time.monotonic()
    status, _, text = server.request("POST", f"/tools/{tool}", body, timeout=3600)
    assert status == 200, text
    return milliseconds(begin), json.loads(text)


def status_kib(pid, name):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    return 0


def bytes_of(segments, names):
    files = (one / name for one in segments for name in names)
    return sum(file.stat().st_size for file in files if file.exists())


def summary(name, times):
    print(f"{name}: median {statistics.median(times):.1f} ms, most {max(times):.1f} ms")
    return {"median_ms": round(statistics.median(times), 2), "most_ms": round(max(times), 2)}


def run(command, environment):
    begin = time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False, env=environment)
    return milliseconds(begin)


def fill(server, home, folders):
    """Packs one folder after the other and waits for the indexes. The segments."""
    begin = time.monotonic()
    for folder in folders:
        took, _ = ask(server, "grep", pattern=PATTERNS[0], resources=[folder.name])
        print(f"{folder.name}: packed in {took / 1000:.1f} s, "
              f"{private_kib(server.process.pid) // 1024} MiB of its own", flush=True)
    segments = list(home.path.glob("cache/quarry/snapshots/*/segment-*"))
    print(f"all packed after {time.monotonic() - begin:.0f} s", flush=True)
    wait_until(lambda: all((one / "words").exists() for one in segments), "the indexes", 7200)
    print(f"all indexed after {time.monotonic() - begin:.0f} s, "
          f"{private_kib(server.process.pid) // 1024} MiB of its own", flush=True)
    return segments


def measure_memory(server, text):
    time.sleep(5)  # what the indexing used is given back
    private = private_kib(server.process.pid) * 1024
    resident = status_kib(server.process.pid, "VmRSS") * 1024
    print(f"memory of its own {private >> 20} MiB ({private / text:.2%} of the text), "
          f"resident {resident >> 20} MiB")
    return {"private_bytes": private, "resident_bytes": resident}


def measure(server, folders, options, peers):
    names = [folder.name for folder in folders]
    figures, ours = {}, {}
    for pattern in PATTERNS:
        ask(server, "grep", pattern=pattern, resources=names)
        ours[pattern] = [ask(server, "grep", pattern=pattern, resources=names)[0]
                         for _ in range(options.rounds)]
    figures["grep"] = summary("grep", [statistics.median(times) for times in ours.values()])
    for question in QUESTIONS:
        ask(server, "search", query=question, resources=names)
    asked = [ask(server, "search", query=question, resources=names)[0]
             for _ in range(options.rounds) for question in QUESTIONS]
    figures["search"] = summary("search", asked)
    if not peers:
        return figures
    theirs = [run(["csearch", "-l", pattern], peers) for pattern in PATTERNS]
    figures["codesearch"] = summary("codesearch", theirs)
    theirs = [run(["rg", "-l", pattern, *map(str, folders)], peers) for pattern in PATTERNS[:2]]
    figures["ripgrep"] = summary("ripgrep", theirs)
    return figures


def measure_edits(server, folders, options):
    """Milliseconds from the write of a file to the answer that has it."""
    names = [folder.name for folder in folders]
    times = []
    for number in range(2 * options.rounds):
        file = folders[number % len(folders)] / "quarry_bench_edit.c"
        word = f"qzxjk_scale_{number}_"
        file.write_text(f"int {word};\n")
        try:
            took, answer = ask(server, "grep", pattern=word, resources=names)
        finally:
            file.unlink()
        assert len(answer["hits"]) == 1, answer
        times.append(took)
    return {"edit": summary("edit", times)}


def main():
    options = arguments()
    folders = [folder.resolve() for folder in options.folders]
    home = Home()
    try:
        configuration = LIMITS + ("" if options.symbols else WITHOUT_SYMBOLS)
        for folder in folders:
            configuration += RESOURCE.format(folder.name, folder)
        home.write("quarry.toml", configuration)
        peers = None
        if not options.no_peers:
            peers = {**os.environ, "CSEARCHINDEX": str(home.path / "csearchindex")}
            print(f"cindex took {run(['cindex', *map(str, folders)], peers) / 1000:.0f} s", flush=True)
        server = Server(home)
        segments = fill(server, home, folders)
        text = bytes_of(segments, ["text"])
        indexes = bytes_of(segments, ["tables", "trigrams", "words", "symbols"])
        print(f"{text / 1e9:.2f} GB of text in {len(segments)} segments, "
              f"indexes {indexes / text:.2f} of it")
        figures = {"text_bytes": text, "index_bytes": indexes, "segments": len(segments)}
        figures["after_indexing"] = measure_memory(server, text)
        server.stop()
        server = Server(home)
        first, _ = ask(server, "grep", pattern=PATTERNS[1], resources=[one.name for one in folders])
        print(f"first answer of a new process after {first:.0f} ms")
        figures["first_ms"] = round(first)
        figures.update(measure(server, folders, options, peers))
        figures["after_searching"] = measure_memory(server, text)
        figures.update(measure_edits(server, folders, options))
        if options.json:
            options.json.write_text(json.dumps(figures))
        server.stop()
    finally:
        home.remove()


if __name__ == "__main__":
    main()
