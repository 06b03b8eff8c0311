#!/usr/bin/env python3
"""Upgrades in place and reloads under load: nobody is refused, no stream is cut, no event is lost or comes twice.

Starts `quarry serve` with a model that sends a part of its answer a second, keeps --streams questions
running, sends --requests requests a second, each over a connection of its own, and replaces the server
--upgrades times, every --pause seconds. Before each upgrade the configuration is changed and reloaded
by SIGHUP --reloads times, each until the changed resource is listed. Every second stream is left and
continued with Last-Event-ID, three times in all. Prints what was counted, the delay of the requests, and
the resident memory of each server before it was replaced. With --check it fails when anything was
refused, cut, lost or doubled.

Usage: QUARRY_BUILD_DIR=build/release QUARRY_SOURCE_DIR=. tests/load/upgrades.py
       [--streams N] [--requests N] [--upgrades N] [--reloads N] [--pause SECONDS] [--parts N] [--check]
"""

import argparse
import asyncio
import collections
import contextlib
import json
import os
import pathlib
import resource
import signal
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from harness import BUILD, KEY, Home, Server  # noqa: E402
from played_model import PlayedModel  # noqa: E402
from test_serve import tree  # noqa: E402

LONGEST = 120  # seconds without a byte
LEAVES = 3  # of each second stream


async def request(port, method, path, body=None, headers=()):
    """(status, reader, writer) once the head of the answer has arrived."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    text = json.dumps(body) if body is not None else ""
    lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Connection: close",
             "Content-Type: application/json", f"Content-Length: {len(text)}", *headers]
    writer.write(("\r\n".join(lines) + "\r\n\r\n" + text).encode())
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), LONGEST)
    return int(head.split(b" ", 2)[1]), reader, writer


async def events_of(reader, most):
    """(number, object) of each event in a body without Content-Length: the first `most`, or all."""
    number = data = None
    count = 0
    while count < most:
        line = (await asyncio.wait_for(reader.readline(), LONGEST)).decode()
        if not line:
            return
        name, _, value = line.rstrip("\r\n").partition(": ")
        if name == "id":
            number = int(value)
        elif name == "data":
            data = value
        elif data is not None and not name:
            yield number, json.loads(data)
            number = data = None
            count += 1


class Load:
    def __init__(self, port, parts):
        self.port, self.parts = port, parts
        self.over = False
        self.faults = collections.Counter()
        self.streams = self.events = self.continued = 0
        self.delays = []

    async def read(self, seen, most, *arguments):
        """Adds the events of an answer to `seen`; stops after `most`."""
        status, reader, writer = await request(self.port, *arguments)
        try:
            if status != 200:
                raise AssertionError(f"status {status} of {arguments[0]}")
            async for event in events_of(reader, most):
                seen.append(event)
        finally:
            writer.close()

    async def stream(self, leaves):
        seen = []
        least = 2 + self.parts // (leaves + 1)
        await self.read(seen, least if leaves else 10 ** 9, "POST", "/question/stream",
                        {"question": "How are dates parsed?", "resources": ["code"]})
        path = f"/question/{next(event['id'] for _, event in seen if event['type'] == 'meta')}/events"
        while seen[-1][1]["type"] not in ("done", "error"):
            if not leaves:
                raise AssertionError("cut")
            before = len(seen)
            await self.read(seen, least, "GET", path, None, [f"Last-Event-ID: {seen[-1][0]}"])
            self.continued += 1
            if len(seen) == before:
                raise AssertionError("cut when it was continued")
        numbers = [number for number, _ in seen]
        if len(numbers) != len(set(numbers)):
            raise AssertionError("an event came twice")
        if seen[-1][1]["type"] == "error":
            raise AssertionError(seen[-1][1]["message"])
        told = "".join(event["delta"] for _, event in seen if event["type"] == "text.delta")
        if told.count("part") != self.parts or told != seen[-1][1]["text"]:
            raise AssertionError("an event was lost")
        self.streams += 1
        self.events += len(seen)

    async def ask(self, leaves):
        while not self.over:
            try:
                await self.stream(leaves)
            except (AssertionError, OSError, asyncio.IncompleteReadError, asyncio.TimeoutError) as fault:
                self.faults[f"stream: {fault or type(fault).__name__}"] += 1
                await asyncio.sleep(1)

    async def check_life(self):
        began = time.monotonic()
        try:
            status, reader, writer = await request(self.port, "GET", "/livez")
            await asyncio.wait_for(reader.read(), LONGEST)
            writer.close()
            if status != 200:
                self.faults[f"request: status {status}"] += 1
            self.delays.append(time.monotonic() - began)
        except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError) as fault:
            self.faults[f"request: {fault or type(fault).__name__}"] += 1

    async def check_lives(self, per_second):
        running = set()
        due = time.monotonic()
        while not self.over:
            task = asyncio.create_task(self.check_life())
            running.add(task)
            task.add_done_callback(running.discard)
            due += 1 / per_second
            await asyncio.sleep(max(0, due - time.monotonic()))
        await asyncio.gather(*running)


class Reloads:
    """Reloads of a configuration whose last resource has another name each time."""

    def __init__(self, home, configuration):
        self.home, self.configuration, self.count = home, configuration, 0
        self.write()

    def write(self):
        name = f"turn{self.count}"
        (self.home.path / name).mkdir()
        self.home.write("quarry.toml", f"""{self.configuration}
[[resource]]
type = "local"
name = "{name}"
path = "{self.home.path / name}"
""")
        return name

    async def reload(self, port, process):
        self.count += 1
        name = self.write()
        os.kill(process, signal.SIGHUP)
        deadline = time.monotonic() + LONGEST
        while name not in await self.names(port):
            if time.monotonic() > deadline:
                raise AssertionError(f"{name} is not listed after a reload")
            await asyncio.sleep(0.02)

    @staticmethod
    async def names(port):
        status, reader, writer = await request(port, "GET", "/resources")
        with contextlib.closing(writer):
            body = await asyncio.wait_for(reader.read(), LONGEST)
        if status != 200:
            raise AssertionError(f"status {status} of GET /resources")
        return [resource["name"] for resource in json.loads(body)["resources"]]


def resident_kib(process):
    text = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0])


def measure(home, **wanted):
    """What was counted in a run with the arguments of `run`."""
    return asyncio.run(run(home, **wanted))


async def run(home, streams, requests, upgrades, reloads, pause, parts):
    model = PlayedModel(lambda number: [part for i in range(parts) for part in (1.0, f"part {i}, ")])
    home.environment["FIXTURE_KEY"] = KEY
    configuration = Reloads(home, f"""
plugin_path = ["{BUILD / "tests/fixtures"}"]
[server]
max_questions = {2 * streams + 100}
keep_finished_seconds = 10
[transport.rest]
max_connections = {20 * streams + 1000}
[model]
provider = "fixture"
name = "m1"
base_url = "{model.url}"
[[resource]]
type = "local"
name = "code"
path = "{tree(home)}"
""")
    server = Server(home)
    process, memory = server.process.pid, []
    load = Load(server.port, parts)
    tasks = [asyncio.create_task(load.check_lives(requests))]
    try:
        for number in range(streams):
            tasks.append(asyncio.create_task(load.ask(LEAVES * (number % 2))))
            await asyncio.sleep(parts / streams)
        for _ in range(upgrades):
            await asyncio.sleep(pause)
            for _ in range(reloads):
                await configuration.reload(server.port, process)
            memory.append(resident_kib(process))
            done = await asyncio.to_thread(home.run, "upgrade-in-place", process, "--json", timeout=180)
            if done.returncode != 0:
                raise AssertionError(done.stderr)
            process = json.loads(done.stdout)["process"]
        await asyncio.sleep(pause)
        memory.append(resident_kib(process))
        load.over = True
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        os.kill(process, signal.SIGTERM)
        model.stop()
        await asyncio.to_thread(server.process.communicate)  # to the end of the last one's errors
    return figures(load, configuration.count, memory)


def figures(load, reloads, memory):
    hundredths = statistics.quantiles(load.delays, n=100)
    return {"streams": load.streams, "events": load.events, "continued": load.continued,
            "requests": len(load.delays), "request_p50_ms": round(1000 * hundredths[49], 1),
            "request_p99_ms": round(1000 * hundredths[98], 1), "reloads": reloads,
            "resident_mib": [kib // 1024 for kib in memory], "faults": load.faults}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, default=2000)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--upgrades", type=int, default=20)
    parser.add_argument("--reloads", type=int, default=0)
    parser.add_argument("--pause", type=float, default=10)
    parser.add_argument("--parts", type=int, default=20)
    parser.add_argument("--check", action="store_true")
    wanted = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    home = Home()
    try:
        counted = measure(home, streams=wanted.streams, requests=wanted.requests, upgrades=wanted.upgrades,
                          reloads=wanted.reloads, pause=wanted.pause, parts=wanted.parts)
    finally:
        home.remove()
    print(json.dumps(counted))
    return 1 if wanted.check and counted["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
