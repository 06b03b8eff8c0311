#!/usr/bin/env python3
"""Measures the running program: cold start, memory, first event, many questions at once.

Usage: QUARRY_BUILD_DIR=build/release QUARRY_SOURCE_DIR=. tests/bench/bench_serve.py FOLDER [--json FILE]
"""

import argparse
import concurrent.futures
import http.client
import json
import pathlib
import statistics
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from harness import Home, Server  # noqa: E402

LOCAL = '[[resource]]\ntype = "local"\nname = "tree"\npath = "{}"\n'


def milliseconds(since):
    return (time.monotonic() - since) * 1000


def resident_kib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0


def cold_start(home, rounds=15):
    times = []
    for _ in range(rounds):
        begin = time.monotonic()
        server = Server(home)
        server.request("GET", "/livez")
        times.append(milliseconds(begin))
        server.stop()
    return {"median_ms": round(statistics.median(times), 1), "best_ms": round(min(times), 1)}


def ask(server, question):
    """Milliseconds to the first event and to the last."""
    begin = time.monotonic()
    first = None
    with server.stream(body={"question": question}) as (_, _, events):
        for event in events:
            if event.type and first is None:
                first = milliseconds(begin)
    return first, milliseconds(begin)


def probe(server, stop, times):
    """Asks /livez every 5 ms on one connection until `stop`."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    while not stop.is_set():
        begin = time.monotonic()
        connection.request("GET", "/livez")
        connection.getresponse().read()
        times.append(milliseconds(begin))
        stop.wait(0.005)


def many(server, count):
    stop, probes = threading.Event(), []
    watcher = threading.Thread(target=probe, args=(server, stop, probes))
    watcher.start()
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        results = list(pool.map(lambda i: ask(server, f"Where is handler number {i} registered?"),
                                range(count)))
    wall = milliseconds(begin)
    stop.set()
    watcher.join()
    probes.sort()
    return {"questions": count, "wall_ms": round(wall),
            "median_ms": round(statistics.median(last for _, last in results)),
            "livez_p99_ms": round(probes[int(len(probes) * 0.99)], 2), "probes": len(probes)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    home = Home()
    try:
        out = {"cold_start": cold_start(home)}
        home.write("quarry.toml", LOCAL.format(pathlib.Path(arguments.folder).resolve()))
        server = Server(home)
        out["idle_rss_kib"] = resident_kib(server.process.pid)
        out["first_question_ms"] = [round(ms) for ms in ask(server, "How does the scheduler start?")]
        time.sleep(5)  # the indexes are built in the background; what follows is the warm state
        warm = [ask(server, f"How is timer {i} stopped?") for i in range(20)]
        out["warm_first_event_ms"] = round(statistics.median(first for first, _ in warm), 2)
        out["warm_answer_ms"] = round(statistics.median(last for _, last in warm), 2)
        out["eight"] = many(server, 8)
        out["sixty_four"] = many(server, 64)
        out["rss_after_kib"] = resident_kib(server.process.pid)
        server.stop()
    finally:
        home.remove()
    text = json.dumps(out, indent=2)
    print(text)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(text + "\n")


if __name__ == "__main__":
    main()
