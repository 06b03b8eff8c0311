"""bad_plugins_test.py <build> <expected.txt>: each plugin is found out by the check of its name, and by no other."""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1))
EXPECTED = [row.split() for row in pathlib.Path(sys.argv.pop(1)).read_text().splitlines()]
VALIDATE = BUILD / "bin/quarry-validate"
PLUGINS = BUILD / "tests/bad_plugins"
PATIENCE = max(1, int(os.environ.get("QUARRY_TEST_PATIENCE", "1")))
# Milliseconds. Sound checks take a few; a hang costs the limit once. On a busy machine a sound check may miss the first
# limit, and a function may seem to block; a fault is found with any.
LIMITS = (3000, 5500, 30_000 * PATIENCE)


def validate(folder, limit):
    command = [VALIDATE, "--json", "--limit", str(limit), "--memory", "64", folder]
    ran = subprocess.run(command, capture_output=True, text=True)
    return json.loads(ran.stdout), ran.returncode


def validate_until(folder, expected):
    """The first report whose unsound checks are the expected ones, or the last one."""
    for limit in LIMITS:
        report, code = validate(folder, limit)
        if unsound(report) == expected:
            break
    return report, code


def unsound(report):
    return {check["name"]: check["outcome"] for check in report["checks"]
            if check["outcome"] not in ("pass", "skip")}


class BadPlugins(unittest.TestCase):
    maxDiff = None

    def test_each_is_found_by_the_check_of_its_name_alone(self):
        # Most of the time is spent waiting for the limits of those that hang.
        with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
            reports = pool.map(lambda row: validate_until(PLUGINS / row[0], self.expected(*row)), EXPECTED)
            for (name, outcome), (report, code) in zip(EXPECTED, reports):
                with self.subTest(name):
                    self.assertEqual(unsound(report), self.expected(name, outcome), json.dumps(report, indent=1))
                    self.assertEqual(code, 0 if outcome in ("pass", "warn") else 1)
                    self.explains(report, name.split(".")[0])

    @staticmethod
    def expected(name, outcome):
        return {} if outcome == "pass" else {name.split(".")[0]: outcome}

    def explains(self, report, name):
        for check in report["checks"]:
            if check["name"] == name:
                self.assertTrue(check["message"] and check["hint"], check)

    def test_the_sound_one_passes_what_applies_to_it(self):
        report, _ = validate_until(PLUGINS / "sound", {})
        skipped = [check["name"] for check in report["checks"] if check["outcome"] == "skip"]
        self.assertEqual(skipped, ["store-replies", "definitions-replies", "references-replies",
                                   "embedding-exchange-ends", "rerank-exchange-ends", "definitions-stable"])

    def test_every_check_has_a_plugin(self):
        names = {name.split(".")[0] for name, _ in EXPECTED} | set(Damaged.EDITS)
        report, _ = validate_until(PLUGINS / "sound", {})
        self.assertEqual({check["name"] for check in report["checks"]} - names, set())


class Damaged(unittest.TestCase):
    """The sound plugin, damaged on its way."""

    EDITS = {
        "manifest-complete": lambda self: self.edit("plugin.toml", 'summary = "For tests"\n', ""),
        "contract-supported": lambda self: self.edit("plugin.toml", 'minimum = "1.0"', 'minimum = "1.999"'),
        "schemas-valid": lambda self: self.edit("sample.json", '"type": "object"', '"type": 7'),
        "digest-matches": lambda self: self.replace(self.bytes() + b"\0"),
        "file-whole": lambda self: self.replace(self.bytes()[:5000], signed=True),
        "entry-exported-alone": lambda self: self.replace(
            self.bytes().replace(b"quarry_plugin_entry_v1", b"quarry_plugin_entry_v7"), signed=True),
        "loads-and-agrees": lambda self: self.edit("plugin.toml", 'version = "1.0.0"', 'version = "1.0.1"'),
    }

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="quarry-damaged-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def edit(self, file, old, new):
        text = (self.folder / file).read_text()
        self.assertIn(old, text)
        (self.folder / file).write_text(text.replace(old, new, 1))

    def bytes(self):
        return (self.folder / "sound.so").read_bytes()

    def replace(self, content, signed=False):
        import hashlib
        (self.folder / "sound.so").write_bytes(content)
        if signed:
            digest = hashlib.sha256(content).hexdigest()
            manifest = (self.folder / "plugin.toml").read_text()
            (self.folder / "plugin.toml").write_text(re.sub(r'sha256 = "\w+"', f'sha256 = "{digest}"', manifest))

    def test_each_damage_is_found_by_its_check_alone(self):
        for name, damage in self.EDITS.items():
            with self.subTest(name):
                shutil.copytree(PLUGINS / "sound", self.folder, dirs_exist_ok=True)
                damage(self)
                report, code = validate_until(self.folder, {name: "fail"})
                self.assertEqual(unsound(report), {name: "fail"}, json.dumps(report, indent=1))
                self.assertEqual(code, 1)


if __name__ == "__main__":
    unittest.main()
