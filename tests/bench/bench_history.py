#!/usr/bin/env python3
"""Measures stored conversations: the size of a turn, and listing, searching, opening and removing over HTTP.

Usage: QUARRY_BUILD_DIR=build/release QUARRY_SOURCE_DIR=. tests/bench/bench_history.py [--turns N]
Each turn is a conversation of its own, which is the longest list; it has a question of 12 words, an answer of
200, five citations of 61 lines, and 500 words of reasoning and tools. The frequencies of words are those of
texts (the n-th word is 1/n as frequent as the first), also of their beginnings. The goal is 20 ms for the list
and for each search.
"""

import argparse
import contextlib
import http.client
import json
import pathlib
import random
import sqlite3
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from harness import Home, Server  # noqa: E402

SYLLABLES = [consonant + vowel for vowel in "eaiou" for consonant in "tnsrldcmpbghfvkwjyzq"]


def word(number):
    parts = [SYLLABLES[number % 97]]
    while number := number // 97:
        parts.append(SYLLABLES[number % 97])
    return "".join(parts) + "n"


WORDS = [word(number) for number in range(20_000)]
CUMULATED = []
for rank in range(len(WORDS)):
    CUMULATED.append((CUMULATED[-1] if CUMULATED else 0) + 1 / (rank + 3))


def text(source, count):
    return " ".join(source.choices(WORDS, cum_weights=CUMULATED, k=count))


def turn(number):
    source = random.Random(number)
    lines = [text(source, 5) for _ in range(61)]
    citation = {"resource": "docs", "path": "a/b.cpp", "startLine": 31, "endLine": 31, "verified": True, "version": "0" * 40,
                "firstLine": 1, "lines": lines}
    details = {"model": {"provider": "openai", "model": "gpt"}, "reasoning": text(source, 100),
               "tools": [{"callID": "1", "tool": "read", "state": {"status": "completed", "output": text(source, 400)}}]}
    return text(source, 12), text(source, 200), json.dumps(details), json.dumps([citation] * 5)


def fill(file, turns):
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        for number in range(turns):
            question, answer, details, citations = turn(number)
            database.execute("INSERT INTO thread (id, created, updated, title, turns, single, project) VALUES (?, ?, ?, ?, 1, 1, '')",
                             (f"t{number}", number, number, question[:80]))
            database.execute("INSERT INTO turn (thread, position, question, answer, question_id, resources, status, finish_reason,"
                             " asked, cost, details, citations) VALUES (?, 1, ?, ?, ?, '[]', 'answered', 'stop', ?, 1000, ?, ?)",
                             (f"t{number}", question, answer, f"q{number}", number, details, citations))


def measured(server, method, path, rounds=21):
    """(median in ms, the last answer as JSON); `path` may depend on the round."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    times = []
    with contextlib.closing(connection):
        for number in range(rounds):
            begin = time.perf_counter()
            connection.request(method, path(number))
            response = connection.getresponse()
            body = response.read()
            times.append((time.perf_counter() - begin) * 1000)
            if response.status != 200:
                sys.exit(f"{method} {path(number)}: {response.status} {body!r}")
    return statistics.median(times), json.loads(body)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=10_000)
    turns = parser.parse_args().turns
    home = Home()
    try:
        home.run("threads")
        file = home.path / "state/quarry/history.db"
        empty = file.stat().st_size
        fill(file, turns)
        print(f"{turns} turns, {(file.stat().st_size - empty) / turns / 1024:.1f} KiB each\n")
        home.write("quarry.toml", 'model.provider = "extractive"\n')
        server = Server(home)
        print(f"| request | median of 21, ms | found |\n|---|---|---|")
        searches = {"one rare word": WORDS[9000], "the most frequent word": WORDS[0], "two frequent words": f"{WORDS[0]} {WORDS[7]}",
                    "three words": f"{WORDS[40]} {WORDS[70]} {WORDS[100]}", "two rare words": f"{WORDS[9000]} {WORDS[9500]}",
                    "two letters": WORDS[0][:2], "a word and two letters": f"{WORDS[60]} {WORDS[3][:2]}", "one that is not there": "absent"}
        ms, answer = measured(server, "GET", lambda _: "/threads")
        print(f"| list | {ms:.1f} | {len(answer['threads'])} |")
        for name, words in searches.items():
            ms, answer = measured(server, "GET", lambda _: "/threads?q=" + words.replace(" ", "%20"))
            print(f"| search: {name} | {ms:.1f} | {len(answer['threads'])} |")
        ms, _ = measured(server, "GET", lambda number: f"/threads/t{turns // 2 + number}")
        print(f"| open one | {ms:.1f} | |")
        ms, _ = measured(server, "DELETE", lambda number: f"/threads/t{number}")
        print(f"| remove one | {ms:.1f} | |")
        server.stop()
    finally:
        home.remove()


if __name__ == "__main__":
    main()
