#!/usr/bin/env python3
"""Measures the first question about a folder that Quarry has not seen: the folder is read and packed, its
words are indexed, and the extractive answer searches it several times. Beside it ripgrep reads the folder
once for a text that stands nowhere.

Usage: QUARRY_BUILD_DIR=build/release QUARRY_SOURCE_DIR=. tests/bench/bench_first.py FOLDER [QUESTION]
       [--rounds N] [--before PROGRAM] [--json FILE]
Prints for each program the median of the seconds until the answer, of those of processor time, and of the
most memory of its own. --before: another build, measured in turns with this one.
Build: ninja -C build/release product
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from harness import QUARRY, Home  # noqa: E402


def own_kib(pid):
    """Memory of the process that no file stands behind; 0 once it has ended."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith(("RssAnon:", "RssShmem:")))


def run(command, **more):
    """Seconds, seconds of processor time, and the most memory of its own in MiB."""
    before = os.times()
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    most, ended = [0], threading.Event()

    def watch():
        while not ended.wait(0.02):
            most[0] = max(most[0], own_kib(process.pid))
    watcher = threading.Thread(target=watch)
    watcher.start()
    _, errors = process.communicate()
    seconds = time.monotonic() - begin
    ended.set()
    watcher.join()
    if process.returncode not in (0, 1):
        sys.exit(f"{command[0]} ended with {process.returncode}: {errors.decode()}")
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return seconds, used, most[0] / 1024


def first_question(program, folder, question):
    home = Home()
    try:
        return run([program, "ask", "--set", "model.provider=extractive", "-r", folder, question],
                   cwd=home.project, env=home.environment)
    finally:
        home.remove()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("question", nargs="?", default="Where is memory allocated?")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--before", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    folder = options.folder.resolve()
    programs = {"quarry": lambda: first_question(QUARRY, folder, options.question)}
    if options.before:
        programs["before"] = lambda: first_question(options.before.resolve(), folder, options.question)
    if shutil.which("rg"):
        programs["ripgrep"] = lambda: run(["rg", "-c", "qzxjk_nothing_", folder])
    rows = {name: [] for name in programs}
    for _ in range(options.rounds):
        for name, measure in programs.items():
            rows[name].append(measure())
    medians = {name: [round(statistics.median(column), 2) for column in zip(*row)] for name, row in rows.items()}
    print(f"{'':10} {'seconds':>8} {'of cores':>9} {'own MiB':>8}")
    for name, (seconds, used, memory) in medians.items():
        print(f"{name:10} {seconds:8.2f} {used:9.2f} {memory:8.0f}")
    if options.json:
        options.json.write_text(json.dumps(medians, indent=1) + "\n")


if __name__ == "__main__":
    main()
