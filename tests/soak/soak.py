#!/usr/bin/env python3
"""Uses one server in every way for hours, under a limit of memory and descriptors: what it holds must level off.

Threads ask, stop, drop and resume questions, search, add and remove resources, change files, reload,
and create, use and revoke tokens. Every answer is checked. Meanwhile resident memory, descriptors,
threads, child processes and files are noted. After the first quarter of the time, at most ten minutes,
none of them may grow.

Usage: QUARRY_BUILD_DIR=build/release QUARRY_SOURCE_DIR=. tests/soak/soak.py [--seconds N] [--json FILE]
Build: ninja -C build/release product model-exchange-fixture
"""

import argparse
import collections
import contextlib
import http.client
import json
import os
import pathlib
import random
import resource
import statistics
import sys
import threading
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from cloud_harness import PLAYED, post, tool  # noqa: E402
from harness import BUILD, TIMEOUT, Home, Server, children, parse_events, patience  # noqa: E402
from played_model import PlayedModel  # noqa: E402

DESCRIPTORS = 512
DATA_BYTES = 1 << 30  # private memory that can be written; indexes are mapped and do not count
CONFIGURATION = PLAYED + """
plugin_path = ["{fixtures}"]
local_roots = ["{root}"]
[cache]
max_size = "1MiB"
[server]
keep_finished_seconds = {keep}
[store]
file = "{root}/store.db"
[transport.rest]
listen = "127.0.0.1:0"
[transport.mcp]
enabled = true
listen = "127.0.0.1:0"
[[resource]]
type = "local"
name = "docs"
path = "{root}/docs"
"""
DELTAS = 20
# What may be more at the end than after the beginning, beside a twentieth of it.
SLACK = {"resident_kib": 8 << 10, "descriptors": 8, "threads": 6, "children": 2, "files": 40}


class Wrong(AssertionError):
    """An answer that is not what it must be."""


def need(condition, what):
    if not condition:
        raise Wrong(what)


class BothTransports(Server):
    """A server with the local and the cloud interface, under the limits."""

    def __init__(self, home):
        self.process = home.start("serve", preexec_fn=self.limit)
        lines = [self.process.stdout.readline().decode() for _ in range(2)]  # in the order of their names
        if not all(lines):
            self.process.kill()
            raise Wrong(f"no two addresses in {lines}: {self.process.stderr.read().decode()}")
        self.mcp_port, self.port = (int(line.rsplit(":", 1)[1]) for line in lines)

    @staticmethod
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
        resource.setrlimit(resource.RLIMIT_DATA, (DATA_BYTES, DATA_BYTES))


class Soak:
    def __init__(self, home, seconds):
        self.home, self.seconds = home, seconds
        self.model = PlayedModel(lambda number: [part for i in range(DELTAS) for part in (f"word {i} ", 0.01)])
        self.model.requests = collections.deque(maxlen=1)  # the others are not kept for hours
        home.environment["FIXTURE_KEY"] = "fixture"
        for number in range(50):
            home.write(f"../docs/part{number}.md", f"# Part {number}\n\nThe parser of part {number} reads tokens.\n")
        home.write("quarry.toml", CONFIGURATION.format(
            url=self.model.url, fixtures=BUILD / "tests/fixtures", root=home.path, keep=min(60, seconds // 10)))
        self.manage("projects", "create", "web")
        self.server = BothTransports(home)
        self.errors = threading.Thread(target=self.drain, daemon=True)
        self.errors.start()
        self.over = threading.Event()
        self.wrong, self.counts, self.samples = [], {}, []

    def drain(self):
        self.log = self.server.process.stderr.read()

    def manage(self, *arguments):
        result = self.home.run(*arguments, "--json")
        need(result.returncode == 0, f"{arguments}: {result.stderr}")
        return json.loads(result.stdout)

    # What the threads do, once a call.

    def answer(self, events, after=0, begun=""):
        """Reads a stream to its end; its text must be whole, and each event must come once."""
        text, last = begun, after
        for event in events:
            if event.type is None:
                continue
            need(event.id > last, f"event {event.id} after {last}")
            last = event.id
            if event.type == "text.delta":
                text += event.data["delta"]
            if event.type == "done":
                need(event.data["text"] == text, f"{text!r} is not {event.data['text']!r}")
            if event.type in ("done", "error"):
                return event
        raise Wrong("a stream ended without its last event")

    def ask(self, dice):
        with self.server.stream(body={"question": f"How is part {dice.randrange(50)} parsed?"}) as (status, _, events):
            need(status == 200, f"a question was answered with {status}")
            need(self.answer(events).type == "done", "a question failed")

    def stop(self, dice):
        with self.server.stream(body={"question": "To be stopped."}) as (status, _, events):
            need(status == 200, f"a question was answered with {status}")
            meta = next(event for event in events if event.type == "meta")
            time.sleep(dice.random() / 4)
            status, _, text = self.server.request("POST", f"/question/{meta.data['id']}/stop")
            need(status == 200, text)
            self.answer(events, after=meta.id)

    def drop(self, dice):
        """Leaves in the middle of an answer and takes it up, as a client whose network changes."""
        last, text = 0, ""
        with self.server.stream(body={"question": "To be taken up."}) as (_, _, events):
            for event in events:
                if event.type is None:
                    continue
                number = event.data["id"] if event.type == "meta" else number
                last = event.id
                text += event.data["delta"] if event.type == "text.delta" else ""
                if event.type == "done" or dice.random() < 0.1:
                    break
        if event.type == "done" or dice.random() < 0.2:
            return
        with self.server.stream(f"/question/{number}/events", headers={"Last-Event-ID": str(last)}) as (status, _, events):
            need(status == 200, f"taken up with {status}")
            need(self.answer(events, last, text).type == "done", "a question failed")

    def search(self, dice):
        status, _, text = self.server.request("POST", f"/tools/{dice.choice(('search', 'grep'))}",
                                              {"query": "parser", "pattern": "tokens", "resources": ["docs"]})
        need(status in (200, 400), f"{status}: {text}")

    def resources(self, dice):
        name = f"more{dice.randrange(10**6)}"
        folder = self.home.path / name
        folder.mkdir()
        (folder / "a.md").write_text("# A parser\n")
        try:
            status, _, text = self.server.request("POST", "/config/resources",
                                                  {"type": "local", "name": name, "path": str(folder)})
            need(status in (200, 201), f"{status}: {text}")
            with self.server.stream(body={"question": "What is new?", "resources": [name]}) as (status, _, events):
                need(status == 200 and self.answer(events).type == "done", "a new resource was not asked")
        finally:
            self.server.request("DELETE", f"/config/resources/{name}")
            (folder / "a.md").unlink()
            folder.rmdir()

    def change(self, dice):
        self.home.write(f"../docs/part{dice.randrange(50)}.md", f"# Part\n\nThe parser {dice.random()} reads tokens.\n")
        time.sleep(0.5)

    def reload(self, dice):
        status, _, text = self.server.request("POST", "/reload-config")
        need(status == 200, f"{status}: {text}")
        time.sleep(dice.random())

    def tokens(self, dice):
        made = self.manage("tokens", "create", "--project", "web", "--rights", "ask,list,add")
        asked = post(self.server.mcp_port, made["token"], tool("listResources", {}))
        need(asked[0] == 200, f"a token was answered with {asked}")
        self.manage("tokens", "revoke", made["id"])
        deadline = time.monotonic() + patience(10)
        while post(self.server.mcp_port, made["token"], tool("listResources", {}))[0] != 401:
            need(time.monotonic() < deadline, "a revoked token is still valid")
            time.sleep(0.1)

    ACTIONS = {"ask": 6, "stop": 2, "drop": 4, "search": 1, "resources": 1, "change": 1, "reload": 1, "tokens": 1}

    def repeat(self, name, seed):
        dice = random.Random(seed)
        while not self.over.is_set():
            try:
                getattr(self, name)(dice)
                self.counts[name] = self.counts.get(name, 0) + 1
                self.over.wait(dice.random() / 5)  # so that one machine also serves what else is tested
            except Exception:
                self.wrong.append(f"{name}: {traceback.format_exc(limit=-2)}")
                self.over.set()

    def sample(self):
        process = pathlib.Path(f"/proc/{self.server.process.pid}")
        status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        files = 0
        for part in ("cache", "state", "data"):
            for _, _, names in os.walk(self.home.path / part):
                files += len(names)
        return {"resident_kib": int(status["VmRSS"].split()[0]), "threads": int(status["Threads"]),
                "descriptors": len(os.listdir(process / "fd")), "children": len(children(self.server.process.pid)),
                "files": files}

    def run(self):
        threads = [threading.Thread(target=self.repeat, args=(name, f"{name}{number}"))
                   for name, count in self.ACTIONS.items() for number in range(count)]
        for thread in threads:
            thread.start()
        begin = time.monotonic()
        warm = min(600, self.seconds / 4)
        while not self.over.wait(max(0.2, self.seconds / 400)) and time.monotonic() < begin + self.seconds:
            if time.monotonic() > begin + warm:
                with contextlib.suppress(FileNotFoundError):
                    self.samples.append(self.sample())
        self.over.set()
        for thread in threads:
            thread.join(TIMEOUT)
        code = self.end()
        return {"seconds": round(time.monotonic() - begin), "actions": dict(sorted(self.counts.items())),
                "held": self.held(), "exit_code": code, "wrong": self.wrong}

    def end(self):
        self.server.process.terminate()
        code = self.server.process.wait(TIMEOUT)
        self.model.stop()
        return code

    def held(self):
        """Medians of the first and of the last third of the samples, by what they count."""
        third = len(self.samples) // 3
        if third == 0:
            return {}
        return {name: [round(statistics.median(sample[name] for sample in part))
                       for part in (self.samples[:third], self.samples[-third:])]
                for name in SLACK}


def problems(figures):
    found = list(figures["wrong"])
    if figures["exit_code"] != 0:
        found.append(f"the server ended with {figures['exit_code']}")
    if not figures["held"]:
        found.append("nothing was noted")
    found += [f"{name} grew from {first} to {last}" for name, (first, last) in figures["held"].items()
              if last > first * 1.05 + SLACK[name]]
    found += [f"nothing was done by {name}" for name in Soak.ACTIONS if not figures["actions"].get(name)]
    return found


def run(seconds):
    home = Home()
    try:
        return Soak(home, seconds).run()
    finally:
        home.remove()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=7200)
    parser.add_argument("--json")
    wanted = parser.parse_args()
    figures = run(wanted.seconds)
    print(json.dumps(figures, indent=1))
    if wanted.json:
        pathlib.Path(wanted.json).write_text(json.dumps(figures, indent=1) + "\n")
    found = problems(figures)
    print("\n".join(found) or "no problems", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
