#!/usr/bin/env python3
"""Misbehaving clients beside good ones: the effect on the good ones, and the memory of the host.

Starts a host of the cloud interface with a small folder and the extractive model. 100 good clients
ask about once a second each, first alone; then 9,000 connections misbehave beside them (never read,
never write, drip, guess tokens, pipeline, half-close) and 900 are idle. With --check it fails when
a good client gets no answer, the resident memory reaches 1 GB or the good clients' p99 more than
doubles.

The host and its clients run in a network namespace of their own, where sixteen clients share an
address: limits per address do not apply to the addresses of this machine, where a proxy may run.

Usage: QUARRY_BUILD_DIR=build/release QUARRY_SOURCE_DIR=. tests/load/load.py
       [--good N] [--idle N] [--bad N] [--seconds N] [--check] [--json FILE]
Build: ninja -C build/release quarry load_peers
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from cloud_harness import Host, folder  # noqa: E402
from harness import BUILD, Home  # noqa: E402

MOST_KIB = 1_000_000_000 / 1024
INSIDE = "QUARRY_LOAD_INSIDE"  # set for the program inside the network namespace
NETWORK = "198.18.0.0/15"  # of benchmarks, RFC 2544
ADDRESS = "198.18.0.1"


def enter_network():
    """Runs this program again in a network namespace that has the addresses of NETWORK."""
    if INSIDE not in os.environ:
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "--user", "--map-root-user", "--net",
                              sys.executable, *sys.argv])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(["ip", "route", "add", "local", NETWORK, "dev", "lo"], check=True)


def run(home, good, idle, bad, seconds, address="127.0.0.1"):
    """The figures of load_peers."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    host = Host(home, more="server.max_questions = 1000\n", listen=address,
                transport="" if address.startswith("127.") else "insecure = true\n")
    host.project("docs")
    host.start()
    try:
        token = host.token("docs", "--streams", "1000")["token"]
        added = host.call(token, "addResource", folder(home))
        assert not added["isError"], added
        said = subprocess.run(
            [BUILD / "bench" / "load_peers", *map(str, (address, host.port, token, host.process.pid,
                                                       good, idle, bad, seconds))],
            capture_output=True, text=True, check=True).stdout
    finally:
        code, errors = host.stop()
    assert code == 0, errors
    return json.loads(said)


def problems(figures, timed):
    found = []
    for part in ("quiet", "loaded"):
        if figures[part]["failed"] or not figures[part]["answers"]:
            found.append(f"good clients got no answer: {part}")
    if figures["rss_kib"] >= MOST_KIB:
        found.append("the host uses 1 GB or more")
    if timed and figures["loaded"]["p99_ms"] > 2 * figures["quiet"]["p99_ms"]:
        found.append("the good clients wait more than twice as long")
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--good", type=int, default=100)
    parser.add_argument("--idle", type=int, default=900)
    parser.add_argument("--bad", type=int, default=9000)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json")
    wanted = parser.parse_args()
    enter_network()
    home = Home()
    try:
        figures = run(home, wanted.good, wanted.idle, wanted.bad, wanted.seconds, ADDRESS)
    finally:
        home.remove()
    text = json.dumps(figures, indent=1)
    print(text)
    if wanted.json:
        pathlib.Path(wanted.json).write_text(text + "\n")
    found = problems(figures, timed=True)
    print("\n".join(found) or "no problems", file=sys.stderr)
    return 1 if wanted.check and found else 0


if __name__ == "__main__":
    sys.exit(main())
