#!/usr/bin/env python3
"""Misbehaving clients beside good ones: the effect on the good ones, and the memory of the host.

Starts a host of the cloud interface with a small folder and the extractive model. 100 good clients
each ask once a second: first alone, then while 900 connections are idle and 9,000 misbehave (never
read, never write, drip, guess tokens, pipeline, half-close) at another server, nginx, then while
these do so at the host. All run on one machine, so the second part shows what the clients
themselves and the kernel's work for them take from the host. With --check it fails when a good
client gets no answer, the resident memory reaches 1 GB or, as the median of the rounds, the good
clients' p99 is more than twice that of the first part, or of the second.

The host and its clients run in a network namespace of their own, where sixteen clients share an
address: limits per address do not apply to the addresses of this machine, where a proxy may run.

Needs nginx.
Usage: QUARRY_BUILD_DIR=build/release QUARRY_SOURCE_DIR=. tests/load/load.py
       [--good N] [--idle N] [--bad N] [--seconds N] [--rounds N] [--no-other] [--check]
       [--json FILE]
Build: ninja -C build/release product load_peers
"""

import argparse
import contextlib
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from cloud_harness import Host, folder  # noqa: E402
from harness import BUILD, Home  # noqa: E402

MOST_KIB = 1_000_000_000 / 1024
INSIDE = "QUARRY_LOAD_INSIDE"  # set for the program inside the network namespace
NETWORK = "198.18.0.0/15"  # of benchmarks, RFC 2544
ADDRESS = "198.18.0.1"
OTHER_PORT = 8099
NGINX = """
user root; worker_processes 1; worker_rlimit_nofile 30000; daemon off;
pid {folder}/pid; error_log /dev/null;
events {{ worker_connections 20000; }}
http {{
  access_log off; keepalive_requests 100000000; client_header_timeout 10s;
  client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
  uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{ listen {address}:{port}; return 405; }}
}}
"""


def enter_network():
    """Runs this program again in a network namespace that has the addresses of NETWORK."""
    if INSIDE not in os.environ:
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "--user", "--map-root-user", "--net",
                              sys.executable, *sys.argv])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(["ip", "route", "add", "local", NETWORK, "dev", "lo"], check=True)


@contextlib.contextmanager
def other_server():
    """An nginx that answers like the host does to callers without a token; gives its port."""
    if not shutil.which("nginx"):
        sys.exit("load: nginx is missing. Install it, or look only at the host with --no-other")
    with tempfile.TemporaryDirectory() as folder:
        configuration = pathlib.Path(folder) / "nginx.conf"
        configuration.write_text(NGINX.format(folder=folder, address=ADDRESS, port=OTHER_PORT))
        server = subprocess.Popen(["nginx", "-c", configuration], stderr=subprocess.DEVNULL)
        try:
            yield OTHER_PORT
        finally:
            server.terminate()
            server.wait()


def run(home, good, idle, bad, seconds, address="127.0.0.1", other_port=None):
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
                                                       good, idle, bad, seconds)),
             *([str(other_port)] if other_port else [])],
            capture_output=True, text=True, check=True).stdout
    finally:
        code, errors = host.stop()
    assert code == 0, errors
    return json.loads(said)


def problems(figures):
    """What is wrong in one round, whatever the time it took."""
    found = []
    for part in ("quiet", "elsewhere", "loaded"):
        if part in figures and (figures[part]["failed"] or not figures[part]["answers"]):
            found.append(f"good clients got no answer: {part}")
    if figures["rss_kib"] >= MOST_KIB:
        found.append("the host uses 1 GB or more")
    return found


def delays(rounds):
    """The parts that the good clients are delayed too much in comparison with."""
    def p99(part):
        return statistics.median(figures[part]["p99_ms"] for figures in rounds)
    return [f"the good clients wait {p99('loaded') / p99(part):.2f} times as long as {than}"
            for part, than in (("quiet", "alone"), ("elsewhere", "beside the others at nginx"))
            if part in rounds[0] and p99("loaded") > 2 * p99(part)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--good", type=int, default=100)
    parser.add_argument("--idle", type=int, default=900)
    parser.add_argument("--bad", type=int, default=9000)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-other", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json")
    wanted = parser.parse_args()
    enter_network()
    rounds = []
    for _ in range(wanted.rounds):
        home = Home()
        try:
            with contextlib.nullcontext() if wanted.no_other else other_server() as port:
                rounds.append(run(home, wanted.good, wanted.idle, wanted.bad, wanted.seconds,
                                  ADDRESS, port))
        finally:
            home.remove()
        print(json.dumps(rounds[-1], indent=1), flush=True)
    if wanted.json:
        pathlib.Path(wanted.json).write_text(json.dumps(rounds, indent=1) + "\n")
    found = [problem for figures in rounds for problem in problems(figures)] + delays(rounds)
    print("\n".join(found) or "no problems", file=sys.stderr)
    return 1 if wanted.check and found else 0


if __name__ == "__main__":
    sys.exit(main())
