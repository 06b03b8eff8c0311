#!/usr/bin/env python3
"""Measures the page at /ui/ in Debian's Chromium: its bytes, first paint, and frames while an answer grows.

Usage: QUARRY_BUILD_DIR=build/release QUARRY_SOURCE_DIR=. tests/bench/bench_page.py [--json FILE]
       [--tokens N] [--rate N] [--loads N]
Build: ninja -C build/release product model-exchange-fixture. A blank page that counts its own frames
is the peer: what this browser and machine can draw.
"""

import argparse
import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from browser import MISSING, Browser  # noqa: E402
from cloud_harness import PLAYED  # noqa: E402
from harness import BUILD, Home, Server  # noqa: E402
from played_model import PlayedModel  # noqa: E402

PLUGINS = f'plugin_path = ["{BUILD}/tests/fixtures"]\n'
LOCAL = '[[resource]]\ntype = "local"\nname = "tree"\npath = "{}"\n'
RECORD = """(() => {
    window.frames_ = [];
    const frame = (now) => { window.frames_.push(now); requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
})()"""
# Chromium's compositor wants a frame each 16.7 ms; one that came later than half of the next is late.
LATE = 25


def frames(page):
    """The intervals between the frames since RECORD, in milliseconds."""
    times = page.value("window.frames_")
    return [after - before for before, after in zip(times, times[1:], strict=False)]


def figures(intervals):
    intervals = sorted(intervals)
    return {"frames": len(intervals), "a second": round(1000 / statistics.mean(intervals), 1),
            "late": round(sum(one > LATE for one in intervals) / len(intervals), 4),
            "p99 ms": round(intervals[int(len(intervals) * .99)], 1), "most ms": round(intervals[-1], 1)}


def size(page):
    """What the page itself consists of, as it is sent."""
    bytes_sent = page.value("""performance.getEntries().filter((one) => one.encodedBodySize && !one.name.includes('/ui/api/') &&
        one.name.includes('/ui/')).reduce((sum, one) => sum + one.encodedBodySize, 0)""")
    return {"kB": round(bytes_sent / 1000, 1)}


def first_paints(browser, url, loads):
    times = []
    for _ in range(loads):
        page = browser.open(url)
        page.wait("performance.getEntriesByName('first-contentful-paint').length")
        times.append(page.value("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
    return {"median ms": round(statistics.median(times), 1), "most ms": round(max(times), 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--tokens", type=int, default=20_000)
    parser.add_argument("--rate", type=int, default=1_000, help="tokens a second")
    parser.add_argument("--loads", type=int, default=20)
    options = parser.parse_args()
    if MISSING:
        sys.exit(MISSING)
    words = [f"word{number} " if number % 40 else f"\n\nParagraph {number} with `code`.\n\n"
             for number in range(1, options.tokens + 1)]

    def script(_):
        for at in range(0, len(words), 10):
            yield "".join(words[at:at + 10])
            yield 10 / options.rate

    model = PlayedModel(script)
    results = {}
    home = Home()
    home.environment["FIXTURE_KEY"] = "fixture"
    home.write("quarry.toml", PLUGINS + PLAYED.format(url=model.url) + LOCAL.format(home.project))
    home.write("guide.md", "# Guide\n")
    server = Server(home)
    browser = Browser()
    try:
        results["first paint"] = first_paints(browser, server.url + "/ui/", options.loads)
        blank = browser.open("about:blank")
        blank.value(RECORD)
        blank.wait("window.frames_.length > 300")
        results["blank page"] = figures(frames(blank))
        page = browser.open(server.url + "/ui/")
        page.see("#question")
        results["size"] = size(page)
        page.fill("#question", "q")
        page.value(RECORD)
        page.press("Enter")
        page.wait("document.querySelector('.turn .facts')", 20 + 3 * options.tokens / options.rate)
        results["answer grows"] = figures(frames(page))
    finally:
        browser.stop()
        server.stop()
        model.stop()
        home.remove()
    for name, values in results.items():
        print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in values.items()))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
