#!/usr/bin/env python3
"""Compares fetches of git and npm resources with git and npm, on one server in one run.

Usage: QUARRY_BUILD_DIR=build/release QUARRY_SOURCE_DIR=. tests/bench/bench_resources.py [FOLDER]
       [--rounds N] [--json FILE]
Build: ninja -C build/release all; scripts/install-npm-packages test. FOLDER: some 100 MB of source for the
large repository, such as /usr/share/go-1.19 (Debian's golang-1.19-src).
Ratios are Quarry's time over the peer's, measured one after the other in each round; reported is
the median.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from git_server import ENVIRONMENT, GitServer  # noqa: E402
from harness import SOURCE, Home, Server  # noqa: E402
from npm_server import NODE, NpmServer  # noqa: E402
from proxy import Proxy  # noqa: E402
from resource_harness import git_of, toml  # noqa: E402

NPM = SOURCE / "build/npm/npm/bin/npm-cli.js"
FRESH_QUESTIONS = 50


def timed(work):
    begin = time.monotonic()
    work()
    return (time.monotonic() - begin) * 1000


def git(*arguments):
    subprocess.run(["git", *arguments], env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def compared(rounds, ours, peer):
    """Times both in each of `rounds` rounds, alternating the first. Each prepares itself and
    returns the function to time."""
    mine, theirs = [], []
    for number in range(rounds + 1):
        order = [(ours, mine), (peer, theirs)]
        for make, times in order if number % 2 else reversed(order):
            took = timed(make(number))
            if number:  # the first round warms the caches of the system
                times.append(took)
    ratios = [one / other for one, other in zip(mine, theirs)]
    return {"ratio": round(statistics.median(ratios), 2), "ratios": [round(each, 2) for each in ratios],
            "ours_ms": round(statistics.median(mine), 1),
            "peer_ms": round(statistics.median(theirs), 1)}


class Quarry:
    """A home with a configuration of resources, and its server."""

    def __init__(self, resources):
        self.home = Home()
        lines = ['network.private_hosts = ["127.0.0.1"]\n']
        for each in resources:
            lines.append("[[resource]]\n" + "".join(f"{key} = {toml(value)}\n"
                                                    for key, value in each.items()))
        self.home.write("quarry.toml", "".join(lines))
        self.server = Server(self.home)

    def sync(self, name):
        status, told = self.server.json("POST", "/sync", {"name": name})
        assert status == 200 and "error" not in told["resources"][0], told

    def clear(self):
        assert self.server.json("POST", "/clear")[0] == 200
        assert not any((self.home.path / "cache/quarry/snapshots").iterdir())

    def close(self):
        self.server.stop()
        self.home.remove()


def files_of(folder, most=None):
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            found[str(path.relative_to(folder))] = path.read_bytes()
            if most and len(found) == most:
                break
    return found


def first_fetch(quarry, repository, clone, rounds):
    def ours(_):
        quarry.clear()
        return lambda: quarry.sync(repository.path.stem)

    def peer(_):
        shutil.rmtree(clone, ignore_errors=True)
        return lambda: git("clone", "--depth", "1", "-q", repository.url, clone)

    return compared(rounds, ours, peer)


def update(quarry, repository, clone, rounds, changed):
    """An update without changes, or with one changed file."""
    name = repository.path.stem
    shutil.rmtree(clone, ignore_errors=True)
    git("clone", "--depth", "1", "-q", repository.url, clone)
    quarry.sync(name)
    counter = iter(range(1, 1 << 20))

    def change():
        if changed:
            repository.commit({"changed.txt": f"Change {next(counter)}\n"})

    def ours(_):
        change()
        return lambda: quarry.sync(name)

    def peer(_):
        change()
        return lambda: git("-C", clone, "fetch", "-q", "--depth", "1")

    return compared(rounds, ours, peer)


def fresh(quarry, name):
    """Milliseconds of a question spent on its resources, when no check is due."""
    quarry.sync(name)
    times = []
    for number in range(FRESH_QUESTIONS):
        done = quarry.server.ask(f"What is {number}?", [name])[-1].data
        times.append(done["metrics"]["timing"]["resourcesMs"])
    return {"median_ms": statistics.median(times), "worst_ms": max(times)}


def packages(registry, work, rounds, large):
    """A version that was never fetched, against npm pack and tar."""
    quarry = Quarry([{"type": "npm", "name": name, "package": name, "registry": registry.url}
                   for name in ("small", "large")])
    with contextlib.closing(quarry):
        registry.publish("small", "1.0.0", {f"f{number}.js": f"exports.f{number} = {number};\n" * 50
                                            for number in range(50)})
        registry.publish("large", "1.0.0", large)

        def of(name):
            def ours(_):
                quarry.clear()
                return lambda: quarry.sync(name)

            def peer(number):
                folder = pathlib.Path(tempfile.mkdtemp(dir=work))
                environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}

                def pack():
                    subprocess.run([NODE, NPM, "pack", name, "--registry", registry.url, "--cache",
                                    folder / "cache", "--no-update-notifier"], cwd=folder, check=True,
                                   env=environment, capture_output=True)
                    subprocess.run(["tar", "xzf", f"{name}-1.0.0.tgz"], cwd=folder, check=True)
                return pack

            return compared(rounds, ours, peer)

        return {"small": of("small"), "large": of("large")}


def eight_at_once(quarry, repository, proxy):
    quarry.clear()
    proxy.requests.clear()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        took = timed(lambda: list(pool.map(
            lambda number: quarry.server.ask(f"What is {number}?", [repository.path.stem]), range(8))))
    quarry.clear()
    alone = timed(lambda: quarry.server.ask("What is it?", [repository.path.stem]))
    return {"fetches": len(proxy.asked("command=fetch")) - 1, "all_ms": round(took, 1),
            "one_ms": round(alone, 1)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", default="/usr/include", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="quarry-bench-"))
    out = {}
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, work, ignore_errors=True)
        server = GitServer(work / "git")
        stack.callback(server.stop)
        proxy = Proxy(server.url)
        stack.callback(proxy.stop)
        small = server.repository("small")
        small.commit(files_of(SOURCE / "host"))
        large = server.repository("large")
        large.commit(files_of(arguments.folder))
        large.git("gc", "-q")
        shared = server.repository("shared")
        shared.commit(files_of(SOURCE / "host"))
        shared.url = f"{proxy.url}/shared.git"
        quarry = Quarry([git_of(each.path.stem, each.url) for each in (small, large, shared)])
        stack.callback(quarry.close)
        for name, repository in (("small", small), ("large", large)):
            out[f"git_first_{name}"] = first_fetch(quarry, repository, work / "clone",
                                                   arguments.rounds)
            out[f"git_nothing_new_{name}"] = update(quarry, repository, work / "clone",
                                                    3 * arguments.rounds, changed=False)
            out[f"git_one_commit_{name}"] = update(quarry, repository, work / "clone",
                                                   arguments.rounds, changed=True)
        out["fresh"] = fresh(quarry, "small")
        out["eight_at_once"] = eight_at_once(quarry, shared, proxy)
        registry = NpmServer(work / "npm")
        stack.callback(registry.stop)
        out["npm_first"] = packages(registry, work, arguments.rounds,
                                    files_of(arguments.folder, most=2000))
    text = json.dumps(out, indent=2)
    print(text)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(text + "\n")


if __name__ == "__main__":
    main()
