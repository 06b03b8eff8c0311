#!/usr/bin/env python3
"""Measures how soon an edit of a large folder is in an answer, beside ripgrep over the same folder.

Usage: QUARRY_BUILD_DIR=build/release QUARRY_SOURCE_DIR=. tests/bench/bench_edit.py FOLDER
       [--json FILE] [--edits N] [--settle SECONDS]
Build: ninja -C build/release product. Needs ripgrep. FOLDER: a large source tree; files are added to
one of its directories and removed again. Indexes are built first; --settle is a further pause, for
the definitions, which take longer.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from harness import Home, Server, wait_until  # noqa: E402

CONFIGURATION = '[model]\nprovider = "extractive"\n[[resource]]\ntype = "local"\nname = "tree"\npath = "{}"\n'
NAME = "bench_edit.c"
DIRECTORIES = 10


def milliseconds(since):
    return (time.monotonic() - since) * 1000


def grep(server, pattern):
    """(milliseconds, hits) of one call."""
    begin = time.monotonic()
    status, answer = server.json("POST", "/tools/grep", {"pattern": pattern})
    assert status == 200, answer
    return milliseconds(begin), answer["hits"]


def ripgrep(folder, pattern):
    begin = time.monotonic()
    subprocess.run(["rg", "-l", pattern, folder], stdout=subprocess.DEVNULL, check=False)
    return milliseconds(begin)


def private_kib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1])
    return 0


def measure(server, home, folder, edits):
    """Milliseconds from the write of a file to the answer that has it, and of ripgrep."""
    directories = sorted({path.parent for path in folder.glob("*/*/*.*") if path.is_file()})
    places = directories[::max(1, len(directories) // DIRECTORIES)][:DIRECTORIES]
    ours, theirs = [], []
    try:
        for number in range(edits):
            word = f"qzxjk_edit_{number}_"
            (places[number % len(places)] / NAME).write_text(f"int {word};\n")
            took, hits = grep(server, word)
            assert len(hits) == 1, hits
            ours.append(took)
            theirs.append(ripgrep(folder, word))
    finally:
        for place in places:
            (place / NAME).unlink(missing_ok=True)
    return ours, theirs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--edits", type=int, default=20)
    parser.add_argument("--settle", type=float, default=0)
    options = parser.parse_args()
    folder = options.folder.resolve()
    home = Home()
    try:
        home.write("quarry.toml", CONFIGURATION.format(folder))
        server = Server(home)
        first, _ = grep(server, "qzxjk_nothing_")
        segments = home.path.glob("cache/quarry/snapshots/*/segment-*")
        folders = list(segments)
        wait_until(lambda: all((one / "words").exists() for one in folders), "the indexes", 600)
        time.sleep(options.settle)
        warm = statistics.median(grep(server, "qzxjk_nothing_")[0] for _ in range(5))
        ours, theirs = measure(server, home, folder, options.edits)
        figures = {"first_ms": round(first), "warm_ms": round(warm, 1),
                   "edit_ms": round(statistics.median(ours), 1), "most_ms": round(max(ours), 1),
                   "ripgrep_ms": round(statistics.median(theirs), 1),
                   "private_mib": private_kib(server.process.pid) // 1024}
        print("\n".join(f"{name}: {value}" for name, value in figures.items()))
        if options.json:
            options.json.write_text(json.dumps(figures))
        server.stop()
    finally:
        home.remove()


if __name__ == "__main__":
    main()
