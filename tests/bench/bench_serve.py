#!/usr/bin/env python3
"""Measures the program: its size, cold start, memory, first event, many questions at once.

Usage: QUARRY_BUILD_DIR=build/release QUARRY_SOURCE_DIR=. tests/bench/bench_serve.py FOLDER
       [--json FILE] [--seconds N] [--light] [--relay FILE] [--before FILE]
Prints a table with the goal beside each figure, and all figures as JSON. --light leaves out the
questions. --relay adds the figures of 2,000 streams from the JSON of bench_relay.py, --before a
column from an earlier JSON of this program.
Build: ninja -C build/release product model-exchange-fixture. FOLDER: some 60 MB of source.
"""

import argparse
import concurrent.futures
import http.client
import http.server
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import tomllib

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from harness import BUILD, Home, Server  # noqa: E402

LOCAL = '[[resource]]\ntype = "local"\nname = "tree"\npath = "{}"\n'
PLAYED = """
plugin_path = ["{fixtures}"]
plugins.isolation."org.example.model-exchange-fixture" = "none"
model.provider = "fixture"
model.name = "m"
model.base_url = "http://127.0.0.1:{port}"
network.private_hosts = ["127.0.0.1"]
"""
# Rare words, an alternation, and two expressions without a literal, which read every byte.
PATTERNS = ("ThisStandsNowhereAtAll", "ErrShortWrite|ErrNoProgress", "[A-Z][a-z]+[0-9]{9}[A-Z]",
            r"func\s+NewReaderSize\(", "[a-z]{3}_[A-Z]{7}[0-9]")


def milliseconds(since):
    return (time.monotonic() - since) * 1000


def resident_kib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0


def shipped_bytes(file, folder):
    """Bytes of an installed file: of a stripped one, or of a plugin's that is compressed."""
    if file.suffix == ".zst":
        return file.stat().st_size
    bare = pathlib.Path(folder) / "bare"
    subprocess.run(["strip", "-o", bare, file], check=True)
    return bare.stat().st_size


def stripped_bytes():
    """Bytes of the program and its plugins, and of those that are no grammar of a language."""
    files = [BUILD / "bin/quarry"]
    for manifest in BUILD.glob("lib/quarry/plugins/*/plugin.toml"):
        name = tomllib.loads(manifest.read_text())["file"]["name"]
        files.append(manifest.parent / name)
    with tempfile.TemporaryDirectory() as folder:
        sizes = {file: shipped_bytes(file, folder) for file in files}
    languages = sum(size for file, size in sizes.items() if file.parent.name.startswith("symbols-"))
    return {"all": sum(sizes.values()), "without_languages": sum(sizes.values()) - languages}


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
    """Requests /livez every 5 ms on one connection until `stop`."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    while not stop.is_set():
        begin = time.monotonic()
        connection.request("GET", "/livez")
        connection.getresponse().read()
        times.append(milliseconds(begin))
        stop.wait(0.005)


def many(server, count, seconds):
    """`count` questions at once, repeated for `seconds`, and the latency of /livez meanwhile."""
    stop, probes = threading.Event(), []
    watcher = threading.Thread(target=probe, args=(server, stop, probes))
    watcher.start()
    end = time.monotonic() + seconds

    def asker(number):
        times = []
        while not times or time.monotonic() < end:
            times.append(ask(server, f"Where is handler {number}.{len(times)} registered?")[1])
        return times

    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        times = sorted(time for each in pool.map(asker, range(count)) for time in each)
    stop.set()
    watcher.join()
    probes.sort()
    return {"at_once": count, "questions": len(times),
            "median_ms": round(statistics.median(times), 1),
            "p99_ms": round(times[int(len(times) * 0.99)], 1),
            "livez_p99_ms": round(probes[int(len(probes) * 0.99)], 2), "probes": len(probes)}


class GreppingModel(http.server.BaseHTTPRequestHandler):
    """A model that greps once, then answers, with the protocol of
    tests/fixtures/model-exchange-fixture."""

    asked = 0

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if request["messages"][-1]["role"] == "tool":
            lines = [{"say": "Found what there is."}, {"end": "stop"}]
        else:
            type(self).asked += 1
            arguments = {"pattern": PATTERNS[self.asked % len(PATTERNS)]}
            lines = [{"call": 0, "name": "grep", "arguments": json.dumps(arguments)},
                     {"end": "tools"}]
        self.send_response(200)
        self.end_headers()
        self.wfile.write("".join(json.dumps(line) + "\n" for line in lines).encode())

    def log_message(self, *_):
        pass


class ModelServer(http.server.ThreadingHTTPServer):
    request_queue_size = 128


def grepping(home, folder, seconds):
    model = ModelServer(("127.0.0.1", 0), GreppingModel)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    home.environment["FIXTURE_KEY"] = "k"
    home.write("quarry.toml", PLAYED.format(fixtures=BUILD / "tests/fixtures",
                                            port=model.server_port) + LOCAL.format(folder))
    server = Server(home)
    try:
        ask(server, "Warm up.")
        time.sleep(5)  # as below
        return {"alone_ms": round(statistics.median(ask(server, f"{i}")[1] for i in range(10)), 1),
                **many(server, 8, seconds)}
    finally:
        server.stop()
        model.shutdown()


# Name, unit, place in the JSON, divisor, goal: the most that it should be.
ROWS = (
    ("program and plugins, stripped", "MB", ("stripped_bytes", "all"), 1e6, None),
    ("the same without languages", "MB", ("stripped_bytes", "without_languages"), 1e6, 16),
    ("cold start, median", "ms", ("cold_start", "median_ms"), 1, 15),
    ("cold start, best", "ms", ("cold_start", "best_ms"), 1, 15),
    ("idle memory (RSS)", "MB", ("idle_rss_kib",), 1000, 16),
    ("first event, warm", "ms", ("warm_first_event_ms",), 1, 10),
    ("8 questions that grep, each", "ms", ("eight_that_grep", "median_ms"), 1, 50),
    ("/livez meanwhile, p99", "ms", ("eight_that_grep", "livez_p99_ms"), 1, 10),
    ("memory of a stream and its answer", "KiB", ("relay", "kib_per_stream", "quarry"), 1, 20),
    ("processor time of a token", "x nginx", ("relay", "cpu_us_per_token", "ratio"), 1, 1.2),
    ("delay of a token, p99", "x nginx", ("relay", "late_p99", "ratio"), 1, 1.2),
)


def figure(out, place, divisor):
    for key in place:
        out = out.get(key) if isinstance(out, dict) else None
    return "-" if out is None else f"{out / divisor:.2f}"


def table(out, before):
    lines = [f"{'figure':36}{'unit':10}{'goal':>8}{'before':>10}{'now':>10}"]
    for name, unit, place, divisor, goal in ROWS:
        lines.append(f"{name:36}{unit:10}{'-' if goal is None else goal:>8}"
                     f"{figure(before, place, divisor):>10}{figure(out, place, divisor):>10}")
    return "\n".join(lines)


def read_json(path):
    return json.loads(pathlib.Path(path).read_text()) if path else {}


def measure_questions(home, folder, seconds, server, out):
    out["first_question_ms"] = [round(ms) for ms in ask(server, "How does the scheduler start?")]
    time.sleep(5)  # the indexes are built in the background; the state is warm afterwards
    warm = [ask(server, f"How is timer {i} stopped?") for i in range(20)]
    out["warm_first_event_ms"] = round(statistics.median(first for first, _ in warm), 2)
    out["warm_answer_ms"] = round(statistics.median(last for _, last in warm), 2)
    out["eight"] = many(server, 8, seconds)
    out["sixty_four"] = many(server, 64, seconds)
    out["rss_after_kib"] = resident_kib(server.process.pid)
    server.stop()
    out["eight_that_grep"] = grepping(home, folder, seconds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--json")
    parser.add_argument("--seconds", type=int, default=10, help="of each run of many questions")
    parser.add_argument("--light", action="store_true", help="size, start and idle memory alone")
    parser.add_argument("--relay", help="JSON of bench_relay.py")
    parser.add_argument("--before", help="JSON of this program")
    arguments = parser.parse_args()
    folder = pathlib.Path(arguments.folder).resolve()
    home = Home()
    try:
        out = {"stripped_bytes": stripped_bytes(), "cold_start": cold_start(home)}
        if arguments.relay:
            out["relay"] = read_json(arguments.relay)["2000"]["summary"]
        home.write("quarry.toml", LOCAL.format(folder))
        server = Server(home)
        out["idle_rss_kib"] = resident_kib(server.process.pid)
        if arguments.light:
            server.stop()
        else:
            measure_questions(home, folder, arguments.seconds, server, out)
    finally:
        home.remove()
    text = json.dumps(out, indent=2)
    print(text)
    print(table(out, read_json(arguments.before)))
    if arguments.json:
        pathlib.Path(arguments.json).write_text(text + "\n")


if __name__ == "__main__":
    main()
