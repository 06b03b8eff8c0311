#!/usr/bin/env python3
"""GET /resources compared with nginx serving the same bytes as a static file: one worker or loop
each.

Rounds are interleaved and compared in pairs; CPU per request comes from /proc. Needs wrk and nginx.
Usage: QUARRY_BUILD_DIR=build/release tests/bench/bench_http.py [--rounds N] [--seconds N] [--json FILE]
"""

import argparse
import json
import os
import pathlib
import re
import socket
import statistics
import subprocess
import tempfile
import time
import urllib.request

RESOURCE = {"type": "git", "name": "svelte", "url": "https://github.com/sveltejs/svelte.dev",
            "branch": "main", "searchPath": "apps/svelte.dev", "searchPaths": None,
            "specialNotes": "The docs site; look in content/."}
NGINX = """
worker_processes 1; daemon off; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
  access_log off; sendfile on; tcp_nodelay on; keepalive_requests 100000000;
  open_file_cache max=10; default_type application/json;
  client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
  uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{ listen 127.0.0.1:{port}; root {folder}; }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def processor_seconds(pid):
    """User and system time of a process and its children, in seconds."""
    pids = [pid, *map(int, pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
    ticks = 0
    for one in pids:
        fields = pathlib.Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def load(port, pid, seconds):
    """Requests per second and microseconds of the server's processor time per request."""
    before = processor_seconds(pid)
    output = subprocess.run(
        ["wrk", "-t1", "-c64", f"-d{seconds}s", f"http://127.0.0.1:{port}/resources"],
        capture_output=True, text=True, check=True).stdout
    used = processor_seconds(pid) - before
    assert "Non-2xx" not in output, output
    requests = int(re.search(r"(\d+) requests in", output).group(1))
    return {"requests_per_second": float(re.search(r"Requests/sec:\s+([\d.]+)", output).group(1)),
            "cpu_us_per_request": used / requests * 1e6}


def wait_for(port):
    deadline = time.monotonic() + 10
    while True:
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/resources").read()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--seconds", type=int, default=3)
    options.add_argument("--json")
    options = options.parse_args()
    build = pathlib.Path(os.environ.get("QUARRY_BUILD_DIR", "build/release"))
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        file = pathlib.Path(folder, "resources")
        file.write_text(json.dumps({"resources": [RESOURCE] * 4}))
        port = free_port()
        pathlib.Path(folder, "nginx.conf").write_text(NGINX.format(folder=folder, port=port))
        nginx = subprocess.Popen(["nginx", "-c", f"{folder}/nginx.conf"], stderr=subprocess.DEVNULL)
        ours = subprocess.Popen([build / "bench/serve_fake", "1", file], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, text=True)
        try:
            our_port = int(ours.stdout.readline())
            assert wait_for(port) == wait_for(our_port)
            rounds = [(load(our_port, ours.pid, options.seconds),
                       load(port, nginx.pid, options.seconds)) for _ in range(options.rounds)]
        finally:
            ours.stdin.close()
            nginx.terminate()
            ours.wait()
            nginx.wait()
    report = {"bytes": 4 * len(json.dumps(RESOURCE)), "rounds": []}
    for mine, theirs in rounds:
        report["rounds"].append({"quarry": mine, "nginx": theirs})
    for key in ("requests_per_second", "cpu_us_per_request"):
        report[key] = {
            "quarry": round(statistics.median(m[key] for m, _ in rounds), 2),
            "nginx": round(statistics.median(t[key] for _, t in rounds), 2),
            "ratio": round(statistics.median(m[key] / t[key] for m, t in rounds), 3)}
        print(key, report[key])
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
