"""`quarry plugins validate` and `show`: what they say of sound, broken and unknown plugins."""

import hashlib
import json
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

from harness import BUILD, QUARRY, TIMEOUT
from plugin_harness import BUILT, HELLO, PluginCase

CHECKS = ["manifest-complete", "contract-supported", "schemas-valid", "digest-matches",
          "file-whole", "entry-exported-alone", "loads-and-agrees"]


class Validate(PluginCase):
    def outcomes(self, path, code):
        said = json.loads(self.home.run("plugins", "validate", "--json", path).stdout)
        self.assertEqual(said["passed"], code == 0)
        self.assertEqual(self.home.run("plugins", "validate", path).returncode, code)
        self.assertEqual([check["name"] for check in said["checks"]][:7], CHECKS)
        return [check["outcome"] for check in said["checks"]][:7]

    def test_a_sound_plugin_passes_by_its_manifest_and_by_its_folder(self):
        for path in (self.manifest, self.folder):
            self.assertEqual(self.outcomes(path, 0), ["pass"] * 7)
        self.assertRegex(self.plugins("validate", self.folder), r"\n\d+ passed, \d+ skipped\n$")
        self.assertIn("pass  loads-and-agrees: ", self.plugins("validate", self.folder))

    def test_a_sound_plugin_that_is_isolated_is_loaded_in_the_sandbox(self):
        self.edit("\n[abi]", 'isolation = "process"\n\n[abi]')
        self.assertEqual(self.outcomes(self.folder, 0), ["pass"] * 7)

    def test_checks_after_a_failed_one_are_skipped(self):
        self.edit('built_for = "1.0"', 'built_for = "7.0"')
        self.assertEqual(self.outcomes(self.folder, 1), ["pass", "fail"] + ["skip"] * 5)
        said = self.plugins("validate", self.folder, code=1)
        self.assertIn("FAIL  contract-supported", said)
        self.assertIn("built for version 7.0", said)
        self.assertNotIn("skip  ", said)
        self.assertRegex(said, r"1 passed, 1 failed, \d+ skipped\n")

    def test_each_fault_fails_the_check_of_its_name(self):
        for name, check in (("two-symbols", "entry-exported-alone"), ("exits", "loads-and-agrees"),
                            ("crashes", "loads-and-agrees"), ("throws", "loads-and-agrees"),
                            ("incomplete", "loads-and-agrees")):
            outcomes = self.outcomes(BUILT / name, 1)
            self.assertEqual(outcomes[CHECKS.index(check)], "fail", name)

    def test_a_manifest_that_does_not_exist_fails_the_first_check(self):
        self.assertEqual(self.outcomes(self.home.path / "nowhere", 1), ["fail"] + ["skip"] * 6)

    def test_the_program_of_the_sdk_says_the_same(self):
        for path, code in ((self.folder, 0), (BUILT / "two-symbols", 1), (BUILT / "exits", 1)):
            separate = subprocess.run([BUILD / "bin/quarry-validate", "--json", path],
                                      capture_output=True, text=True, timeout=TIMEOUT)
            self.assertEqual(separate.returncode, code)
            ours = self.home.run("plugins", "validate", "--json", path).stdout
            self.assertEqual(self.timeless(separate.stdout), self.timeless(ours))

    def test_without_the_programs_of_the_sdk_it_says_where_they_come_from(self):
        program = self.home.path / "bin/quarry"
        program.parent.mkdir()
        shutil.copy(QUARRY, program)
        for tool, *words in (("quarry-validate", "validate", self.folder), ("quarry-author", "new", "resource", "a"),
                             ("quarry-author", "run", self.folder, "describe"),
                             ("quarry-author", "index", self.folder)):
            said = subprocess.run([program, "plugins", *words], env=self.home.environment, capture_output=True,
                                  text=True, timeout=TIMEOUT, check=False)
            self.assertNotEqual(said.returncode, 0)
            self.assertEqual(said.stdout, "")
            self.assertIn(f"bin/{tool}: No such file or directory", said.stderr)
            self.assertIn("libquarry-dev", said.stderr)

    def test_programs_of_the_sdk_start_with_signals_as_they_were(self):
        program = self.home.path / "bin/quarry"
        program.parent.mkdir()
        shutil.copy(QUARRY, program)
        for tool in ("quarry-validate", "quarry-author"):
            (program.parent / tool).write_text("#!/bin/sh\nexec grep Sig[BI] /proc/self/status\n")
            (program.parent / tool).chmod(0o755)
        for words in (("validate", self.folder), ("index", self.folder)):
            signals = [subprocess.run(command, env=self.home.environment, capture_output=True, text=True,
                                      timeout=TIMEOUT, check=True).stdout
                       for command in ([program.parent / "quarry-author"], [program, "plugins", *words])]
            self.assertEqual(*signals)

    @staticmethod
    def timeless(text):
        report = json.loads(text)
        for check in report["checks"]:
            del check["ms"]
        return report

    def test_single_checks_run_with_a_seed_and_are_written_for_junit(self):
        junit = self.home.path / "checks.xml"
        said = self.home.run("plugins", "validate", "--json", "--check", "umask-unchanged", "--seed", "7", "--limit",
                             "5000", "--memory", "256", "--junit", junit, self.folder)
        report = json.loads(said.stdout)
        self.assertEqual([check["name"] for check in report["checks"]], ["umask-unchanged"])
        self.assertEqual((report["checks"][0]["outcome"], report["seed"]), ("pass", 7))
        suite = xml.etree.ElementTree.parse(junit).getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("1", "0"))
        self.assertEqual([case.get("name") for case in suite], ["umask-unchanged"])

    def test_a_resource_and_a_configuration_are_those_of_the_user(self):
        configuration = self.home.path / "checks.json"
        configuration.write_text('{"hello": {"colour": 7}}')
        self.plugins("validate", "--resource", '{"a": 1}', "--configuration", configuration, self.folder)
        for arguments, message in (
                (("--resource", "{"), "--resource is not JSON"),
                (("--configuration", self.home.path / "none.json"), "--configuration: "),
                (("--seed", "x"), '--seed is "x"'), (("--limit", "0"), "from 1 to 3600000"),
                (("--check", "umask-unchange"), 'did you mean "umask-unchanged"?'),
                (("--junit", self.home.path / "no/folder.xml"), "--junit: ")):
            said = self.home.run("plugins", "validate", *arguments, self.folder)
            self.assertNotEqual(said.returncode, 0, arguments)
            self.assertIn(message, said.stderr)


class Show(PluginCase):
    def shown(self, plugin, **more):
        return json.loads(self.plugins("show", "--json", plugin, **more))

    def test_a_plugin_of_the_program_is_shown(self):
        text = self.plugins("show", "io.quarry.resource-git")
        for words in ('quarry.resource/1 "git", schema schema.json', "reaches over HTTP: github.com",
                      "reaches over HTTP the hosts that these fields name: url",
                      "runs the programs: git", "reads the secrets that these fields name: token",
                      "came from     this program", "none: it runs in the process of the host"):
            self.assertIn(words, text)
        shown = self.shown("io.quarry.resource-git")
        self.assertEqual(shown["origin"], {"from": "program"})
        self.assertEqual(shown["permissions"]["secrets"], ["field:/token"])
        self.assertEqual(shown["isolation"], "none")
        self.assertNotIn("sandbox", shown)
        file = BUILD / "lib/quarry/plugins/resource-git/resource-git.so"
        self.assertEqual(shown["sha256"], hashlib.sha256(file.read_bytes()).hexdigest())

    def test_the_configuration_decides_about_isolation_pin_and_disabling(self):
        digest = self.shown("io.quarry.resource-local")["sha256"]
        self.home.write("quarry.toml", f"""
[plugins]
disabled = ["io.quarry.resource-local"]
isolation = {{"io.quarry.resource-local" = "process"}}
pinned = {{"io.quarry.resource-local" = "{digest}"}}
""")
        shown = self.shown("io.quarry.resource-local")
        self.assertEqual((shown["isolation"], shown["pinned"], shown["disabled"]),
                         ("process", digest, True))
        self.assertIn("seccomp", shown["sandbox"])
        text = self.plugins("show", "io.quarry.resource-local")
        for words in ("in a process of its own, by the configuration", "files: ", "memory: ",
                      "pinned        yes", "yes, it is not loaded"):
            self.assertIn(words, text)

    def test_a_quarantine_is_shown(self):
        self.home.write("quarry.toml",
                        '[plugins.isolation]\n"io.quarry.resource-local" = "process"\n')
        self.assertFalse(self.shown("io.quarry.resource-local")["quarantined"])
        digest = self.shown("io.quarry.resource-local")["sha256"]
        self.home.write("../state/quarry/quarantined-plugins", f"{digest}\n")
        self.assertTrue(self.shown("io.quarry.resource-local")["quarantined"])
        self.assertIn("it crashed too often", self.plugins("show", "io.quarry.resource-local"))

    def test_a_plugin_of_plugin_path_is_shown_without_running_it(self):
        self.home.write("quarry.toml", f'plugin_path = ["{BUILT}"]\n')
        shown = self.shown("org.example.exits")
        self.assertEqual(shown["origin"], {"from": "path"})
        self.assertEqual(shown["path"], str(BUILT / "exits/plugin.toml"))

    def test_an_unknown_id_is_answered_with_the_nearest(self):
        message = self.plugins("show", "io.quarry.resource-gti", code=1)
        self.assertIn('did you mean "io.quarry.resource-git"?', message)
        self.assertIn("quarry plugins list", self.plugins("show", "x", code=1))

    def test_text_of_a_manifest_forges_no_line(self):
        self.edit('summary = "For tests"', 'summary = "a\\nforged\\u001b[31m\\u202e"')
        self.home.write("quarry.toml", f'plugin_path = ["{self.folder.parent}"]\n')
        said = self.home.run("plugins", "list")
        text = said.stdout + said.stderr + self.plugins("show", HELLO, code=1)
        self.assertIn("summary", text)
        for forged in ("\nforged", "\x1b", "\u202e"):
            self.assertNotIn(forged, text)


if __name__ == "__main__":
    unittest.main()
