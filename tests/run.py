#!/usr/bin/env python3
"""Builds and runs the tests of this tree: the gate, or the parts of the full run.

A part builds one CMake preset and runs the CTests that have its name as a label. Each ends within 40
minutes on two cores, whether it runs alone or after others. The report build/test-report.json has the
commit and, for each part that was run on it, its seconds, tests and the names of those that failed.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

import changed as changes

ROOT = pathlib.Path(__file__).resolve().parents[1]
REPORT = ROOT / "build/test-report.json"
CORES = len(os.sched_getaffinity(0))
JOBS = 2 * CORES  # of CTest at once: a test also waits
SOURCES = ("*.h", "*.hpp", "*.c", "*.cpp")
# Limits that only a test which hangs reaches are this many times longer than on an idle machine.
PATIENCE = "10"
# What GoogleTest and Python's unittest print about the tests of one CTest.
COUNTS = re.compile(r"^(?:\[==========\] (\d+) tests? from .* ran|Ran (\d+) tests? in)", re.M)
SKIPPED = re.compile(r"^(?:\[  SKIPPED \] (\d+) test|OK \(skipped=(\d+)\))", re.M)


@dataclasses.dataclass
class Result:
    """What a part did: numbers of tests, and the names of the CTests that failed with their output."""
    tests: int = 0
    skipped: int = 0  # of them, since something is missing
    failed: dict = dataclasses.field(default_factory=dict)


def run(*words, **more):
    """Runs a command in the tree; an exit code other than 0 ends the part."""
    subprocess.run([str(word) for word in words], cwd=ROOT, check=True, **more)


def build(preset, *targets):
    run("cmake", "--preset", preset, "-DBUILD_TESTING=ON", stdout=subprocess.DEVNULL)
    run("cmake", "--build", "--preset", preset, "--target", *(targets or ["all"]), "--", "--quiet")


def ctest(preset, *options, seed=None):
    """Runs CTests of a build, in random order with a seed, and prints the output of those that fail."""
    environment = {"QUARRY_TEST_PATIENCE": PATIENCE, **os.environ}
    if seed is not None:
        environment |= {"GTEST_SHUFFLE": "1", "GTEST_RANDOM_SEED": str(seed), "QUARRY_TEST_SEED": str(seed)}
        options += ("--schedule-random",)
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        code = subprocess.run(
            ["ctest", "--preset", preset, "-j", str(JOBS), "--no-tests=error", "--output-junit", report.name,
             "--test-output-size-passed", "4096", "--test-output-truncation", "head", *options],
            cwd=ROOT, env=environment, check=False).returncode
        result = results(report.name)
    if code and not result.failed:
        result.failed["ctest"] = f"exit code {code}"
    return result


def total(pattern, output):
    return sum(int(first or second) for first, second in pattern.findall(output))


def results(junit):
    """The tests in a report of CTest. A program that ran several counts as many."""
    result = Result()
    for case in xml.etree.ElementTree.parse(junit).getroot().iter("testcase"):
        output = case.findtext("system-out") or ""
        result.tests += total(COUNTS, output) or 1
        result.skipped += total(SKIPPED, output)
        if case.get("status") != "run":
            result.failed[case.get("name")] = output
    return result


def check_format():
    listed = subprocess.run(["git", "ls-files", "-z", *SOURCES], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    run("xargs", "-0", "-P", CORES, "-n", "50", "clang-format", "--dry-run", "-Werror", input=listed.stdout)


def gate():
    check_format()
    build("release")
    return ctest("release", "-L", "^gate$")


def changed(base):
    """What of the gate the change since `base` reaches."""
    check_format()
    build("release")
    built = ROOT / "build/release"
    listed = subprocess.run(["ctest", "--show-only=json-v1", "-L", "^gate$"], cwd=built, check=True,
                            stdout=subprocess.PIPE).stdout
    every = json.loads(listed)["tests"]
    reached = changes.reached(every, ROOT, built, base)
    print(f"{len(reached)} of {len(every)} CTests: {', '.join(reached)}", flush=True)
    return ctest("release", "-L", "^gate$", "-R", f"^({'|'.join(map(re.escape, reached))})$")


def release():
    """Every file by itself, which finds missing includes, and every header by itself."""
    build("files", "all", "slow_tests")
    return ctest("files", "-L", "^release$")


def asan():
    build("asan", "all", "slow_tests")
    os.environ |= {"ASAN_OPTIONS": "detect_stack_use_after_return=1", "UBSAN_OPTIONS": "print_stacktrace=1"}
    return ctest("asan")


def tsan():
    build("tsan", "concurrent_tests")
    os.environ["TSAN_OPTIONS"] = "halt_on_error=1:second_deadlock_stack=1"
    return ctest("tsan")


def tidy():
    build("asan")  # with it what the build generates
    run("run-clang-tidy-19", "-p", "build/asan", "-quiet", "-j", CORES,
        f"{ROOT}/build/asan/(host|plugins)/.*(?<!tests)\\.dir/Unity/.*")
    return Result(tests=1)


def contract():
    build("release")
    return ctest("release", "-L", "^contract$")


def slow():
    build("release", "all", "slow_tests")
    return ctest("release", "-L", "^slow$")


def packages():
    build("release")
    return ctest("release", "-L", "^packages$")


FULL = {part.__name__: part for part in (gate, release, asan, tsan, tidy, contract, slow, packages)}


def commit():
    def git(*words):
        return subprocess.run(["git", *words], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    return git("rev-parse", "HEAD") + ("+changes" if git("status", "--porcelain") else "")


def report(rows):
    """Adds the rows to the report; those of another commit are dropped."""
    head = commit()
    old = {}
    if REPORT.exists():
        old = json.loads(REPORT.read_text())
    kept = [row for row in old.get("parts", []) if old.get("commit") == head
            and row["part"] not in {new["part"] for new in rows}]
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(json.dumps({"commit": head, "parts": kept + rows}, indent=2) + "\n")


def run_part(name, part):
    print(f"== {name}", flush=True)
    begun = time.monotonic()
    try:
        result = part()
    except changes.Changed as error:
        result = Result(failed={str(error): ""})
    except subprocess.CalledProcessError as error:
        result = Result(failed={" ".join(map(str, error.cmd))[:200]: f"exit code {error.returncode}"})
    return {"part": name, "seconds": round(time.monotonic() - begun), "tests": result.tests, "skipped": result.skipped,
            "failed": sorted(result.failed)}


def run_parts(names):
    rows = []
    for name in names:
        rows.append(run_part(name, FULL[name]))
        report(rows)
    return show(rows)


def show(rows):
    """Prints a table of the parts; returns how many tests failed."""
    print(f"\n{'part':10} {'minutes':>8} {'tests':>7} {'skipped':>8} {'failed':>7}")
    for row in rows:
        print(f"{row['part']:10} {row['seconds'] / 60:8.1f} {row['tests']:7} {row['skipped']:8} {len(row['failed']):7}")
        for failed in row["failed"]:
            print(f"  failed: {failed}")
    failed = sum(len(row["failed"]) for row in rows)
    passed = max(0, sum(row["tests"] for row in rows) - failed)
    print(f"{passed} passed, {failed} failed", flush=True)
    return failed


def repeat(times, load):
    """Runs the gate's tests in random orders; with `load`, beside processes that eat every core."""
    build("release")
    eaters = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(3 * CORES if load else 0)]
    failures = []
    try:
        for number in range(1, times + 1):
            seed = random.randrange(1, 99999)  # what GoogleTest takes
            print(f"== round {number} of {times}, seed {seed}", flush=True)
            result = ctest("release", "-L", "^gate$", seed=seed)
            failures += [(number, seed, name, output) for name, output in result.failed.items()]
    finally:
        for eater in eaters:
            eater.kill()
    for number, seed, name, output in failures:
        print(f"\n== {name} failed in round {number}, seed {seed}\n{output}")
    print(f"{times} rounds, {len(failures)} failures", flush=True)
    return len(failures)


def main():
    parser = argparse.ArgumentParser(prog="scripts/test", description="Without arguments, the gate.")
    parser.add_argument("full", nargs="?", choices=["full"], help="all parts, or the parts that follow")
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(FULL))
    parser.add_argument("--repeat", type=int, metavar="N", help="run the gate's tests N times in random order")
    parser.add_argument("--load", action="store_true", help="with --repeat, beside processes that eat every core")
    parser.add_argument("--changed", nargs="?", const="origin/main", metavar="BASE",
                        help="what of the gate the change since BASE (origin/main) reaches")
    wanted = parser.parse_args()
    if unknown := set(wanted.parts) - set(FULL):
        parser.error(f"no part: {', '.join(sorted(unknown))}. Parts: {', '.join(FULL)}")
    if wanted.load and not wanted.repeat:
        parser.error("--load needs --repeat")
    if wanted.repeat:
        failed = repeat(wanted.repeat, wanted.load)
    elif wanted.changed:
        failed = show([run_part("changed", lambda: changed(wanted.changed))])
    elif wanted.full:
        failed = run_parts(wanted.parts or FULL)
    else:
        failed = run_parts(["gate"])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
