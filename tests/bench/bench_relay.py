#!/usr/bin/env python3
"""Relayed tokens: many questions stream at once from one simulated model provider, compared with
nginx.

Each token carries its send time, so a relay's latency is arrival - sent. nginx proxies the
same stream unbuffered to the same reader; rounds are interleaved and compared in pairs.
"direct" is the reader connected to the provider: the machine's latency without a relay. With
--isolated, "isolated" is the same program with the provider's plugin in a runner process, whose
processor time and memory count too; with --traced, "traced" is the program that records every
question for a collector. Both are compared with "quarry".

Usage: QUARRY_BUILD_DIR=build/release QUARRY_SOURCE_DIR=. tests/bench/bench_relay.py
       [--streams 500,1000,2000] [--rate 20] [--seconds 10] [--rounds 3] [--isolated] [--traced]
       [--json FILE]
Build: ninja -C build/release product relay_upstream relay_load model-exchange-fixture. Needs nginx.
"""

import argparse
import contextlib
import http.client
import json
import os
import pathlib
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from collector import Collector  # noqa: E402
from harness import BUILD, Home, Server, wait_until  # noqa: E402

# The options of each provider, the path of its stream, and its plugin.
PROVIDERS = {
    "fixture": {"path": "/stream", "base_url": "http://127.0.0.1:{}",
                "plugin": "org.example.model-exchange-fixture"},
    "openai": {"path": "/v1/chat/completions", "base_url": "http://127.0.0.1:{}/v1",
               "plugin": "io.quarry.model-openai"},
}
# Forms of the same program, each with an option of its name.
VARIANTS = ("isolated", "traced")
TEXT_MEMBERS = (b'"delta":"', b'"content":"', b'"say":"')
CONFIGURATION = """
plugin_path = ["{fixtures}"]
plugins.isolation."{plugin}" = "{isolation}"
[model]
provider = "{provider}"
name = "bench"
base_url = "{base_url}"
{options}
[network]
private_hosts = ["127.0.0.1"]
[server]
max_questions = {streams}
keep_finished_seconds = 1
[[resource]]
type = "local"
name = "notes"
path = "{folder}"
{traces}
"""
NGINX = """
worker_processes 1; worker_rlimit_nofile 65536; daemon off; pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 32768; }}
http {{
  access_log off; tcp_nodelay on;
  client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
  uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location / {{
      proxy_pass http://127.0.0.1:{upstream}; proxy_http_version 1.1; proxy_buffering off;
      proxy_read_timeout 300s;
    }}
  }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def resident_kib(pids):
    pages = sum(int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids)
    return pages * os.sysconf("SC_PAGESIZE") // 1024


def with_children(pid):
    """The process and its children: for a program with an isolated plugin, the runner."""
    lists = pathlib.Path(f"/proc/{pid}/task").glob("*/children")
    return [pid, *(int(child) for children in lists for child in children.read_text().split())]


class Run:
    """One set of figures: a number of streams at a rate, long enough to measure."""

    RAMP_PER_STREAM_MS = 2

    def __init__(self, options, streams):
        self.options, self.streams = options, streams
        self.ramp_ms = self.RAMP_PER_STREAM_MS * streams
        # The first stream must outlive the ramp, the measured window and a second around it.
        self.tokens = int(options.rate * (self.ramp_ms / 1000 + options.seconds + 1))
        self.provider = PROVIDERS[options.provider]

    @contextlib.contextmanager
    def upstream(self):
        process = subprocess.Popen(
            [BUILD / "bench/relay_upstream", str(self.options.rate), str(self.tokens)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            yield int(process.stdout.readline())
        finally:
            process.stdin.close()
            process.wait()

    def load(self, port, path, pid=None):
        if pid:
            warm_up(port, path)
        pids = with_children(pid) if pid else []
        before = resident_kib(pids)
        output = subprocess.run(
            [BUILD / "bench/relay_load", str(port), path, str(self.streams), str(self.ramp_ms),
             str(self.options.seconds), str(self.tokens), *map(str, pids)],
            capture_output=True, text=True, check=True).stdout
        figures = json.loads(output)
        if pid:
            figures["kib_per_stream"] = round((figures["rss_kib"] - before) / self.streams, 1)
        return figures

    def direct(self, upstream):
        return self.load(upstream, self.provider["path"])

    def nginx(self, upstream):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            port = free_port()
            file = pathlib.Path(folder, "nginx.conf")
            file.write_text(NGINX.format(folder=folder, port=port, upstream=upstream))
            master = subprocess.Popen(["nginx", "-c", file], stderr=subprocess.DEVNULL)
            children = pathlib.Path(f"/proc/{master.pid}/task/{master.pid}/children")
            try:
                worker = int(wait_until(lambda: children.read_text().split(), "nginx runs")[0])
                wait_until(lambda: can_connect(port), "nginx listens")
                return self.load(port, self.provider["path"], worker)
            finally:
                master.terminate()
                master.wait()

    def quarry(self, upstream, isolation="none", traces=""):
        home = Home()
        try:
            folder = home.path / "notes"
            folder.mkdir()
            (folder / "README.md").write_text("# Notes\n\nThe zebra is off by default.\n")
            home.write("quarry.toml", CONFIGURATION.format(
                provider=self.options.provider, streams=self.streams + 1, folder=folder,
                fixtures=BUILD / "tests/fixtures", options=self.options.model_options,
                plugin=self.provider["plugin"], isolation=isolation, traces=traces,
                base_url=self.provider["base_url"].format(upstream)))
            home.environment |= {"FIXTURE_KEY": "k", "OPENAI_API_KEY": "k"}
            server = Server(home)
            try:
                return self.load(server.port, "/question/stream", server.process.pid)
            finally:
                server.stop()
        finally:
            home.remove()

    def isolated(self, upstream):
        return self.quarry(upstream, "process")

    def traced(self, upstream):
        collector = Collector()
        try:
            return self.quarry(upstream, traces=f'[traces]\nendpoint = "{collector.url}"\n')
        finally:
            collector.stop()

    def round(self):
        figures = {}
        variants = [name for name in VARIANTS if getattr(self.options, name)]
        for name in ("direct", "nginx", "quarry", *variants):
            with self.upstream() as port:
                figures[name] = getattr(self, name)(port)
            time.sleep(0.5)
        return figures


def warm_up(port, path):
    """Reads one stream up to its first token, so that no measured stream includes one-time
    loading."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    with contextlib.closing(client):
        client.request("POST", path, '{"question":"Is it warm?","quiet":true}',
                       {"Content-Type": "application/json"})
        for line in client.getresponse():
            if any(member in line for member in TEXT_MEMBERS):
                return


def can_connect(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


def figure(one, name):
    return one["late_us"][name[5:]] if name.startswith("late_") else one[name]


def ratio(rounds, peer, other, name):
    return round(statistics.median(figure(one[peer], name) / max(figure(one[other], name), 0.01)
                                   for one in rounds), 2)


def summary(rounds):
    """Medians of each, and the median of the ratios of each round: to nginx, and of each variant to
    the program without it."""
    out = {}
    for name in ("late_p50", "late_p99", "cpu_us_per_token", "kib_per_stream"):
        out[name] = {peer: statistics.median(figure(one[peer], name) for one in rounds)
                     for peer in rounds[0] if name in one_names(rounds, peer)}
        out[name]["ratio"] = ratio(rounds, "quarry", "nginx", name)
        for variant in VARIANTS:
            if variant in rounds[0]:
                out[name][variant + "_ratio"] = ratio(rounds, variant, "quarry", name)
    for name in ("lost", "disordered", "failed"):
        out[name] = sum(one[peer][name] for one in rounds for peer in ("quarry", *VARIANTS)
                        if peer in one)
    return out


def one_names(rounds, peer):
    figures = rounds[0][peer]
    names = {"late_p50", "late_p99"} | set(figures)
    return names if peer != "direct" else names - {"cpu_us_per_token", "kib_per_stream"}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--streams", default="500,1000,2000")
    options.add_argument("--rate", type=int, default=20, help="tokens a second of each stream")
    options.add_argument("--seconds", type=int, default=10)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--provider", choices=PROVIDERS, default="fixture")
    options.add_argument("--isolated", action="store_true",
                         help="also with the provider's plugin in a runner")
    options.add_argument("--traced", action="store_true", help="also with every question recorded")
    options.add_argument("--model-options", default="", help="further lines of [model]")
    options.add_argument("--json")
    options = options.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    report = {"rate": options.rate, "provider": options.provider}
    for streams in map(int, options.streams.split(",")):
        run = Run(options, streams)
        rounds = [run.round() for _ in range(options.rounds)]
        report[str(streams)] = {"summary": summary(rounds), "rounds": rounds}
        print(streams, json.dumps(report[str(streams)]["summary"], indent=2), flush=True)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
