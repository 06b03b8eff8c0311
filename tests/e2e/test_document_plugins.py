"""docs/plugins.md: its samples, its manifest, and the names in its tables."""

import json
import re
import shutil
import subprocess
import unittest

from document_harness import DocumentCase
from harness import BUILD, SOURCE, Server, patience
from index_server import IndexServer

HEADERS = SOURCE / "sdk/include"


class Plugins(DocumentCase):
    document = "docs/plugins.md"

    def here(self, text):
        """`text` with the places of this build and this home."""
        text = text.replace("/tmp/", f"{self.home.path}/").replace("build/release", str(BUILD))
        return re.sub(r"(?<![\w/.])examples/", f"{SOURCE}/examples/", text)

    def build(self, word):
        """Runs a sample that configures, builds and tests a plugin, with the SDK installed."""
        install = re.search(r"^cmake --install .* --component sdk", self.text, re.M).group()
        self.run_shell(self.here(install))
        output = ""
        for command in self.take("sh", word).commands():
            if command != install:
                output += self.run_shell(self.here(command), timeout=patience(300))
        self.assertIn("100% tests passed", output)

    def test_a_resource_type_is_made_and_asked_as_shown(self):
        written = self.run_shell(self.here(self.take("sh", "plugins new").commands()[0]))
        self.assertIn(f"{self.home.path}/notes/README.md\n", written)
        self.build("notes -B")
        configuration = self.here(self.take("toml", "plugin_path").text)
        isolation = self.take("toml", '"org.example.notes" = "none"').text
        for text in (configuration, configuration + isolation):
            self.home.write("quarry.toml", text)
            self.run_shell("quarry config check")
            answer = self.run_shell("quarry ask -r mine 'When do we ship?'")
            self.assertIn("Ship on Friday.", answer)
        self.home.write("quarry.toml", "")
        self.add_as_shown()
        self.run_as_shown()
        self.install_as_shown()
        self.serve_an_index_as_shown()

    def add_as_shown(self):
        validate, add_plugin, add, ask = self.take("sh", "quarry add notes").commands()
        self.assertNotIn("FAIL", self.run_shell(self.here(validate)))
        self.assertIn("installed org.example.notes", self.run_shell(self.here(add_plugin)))
        self.run_shell(add)
        self.assertIn("Ship on Friday.", self.run_shell(ask))
        self.run_shell("quarry remove mine")

    def run_as_shown(self):
        describe, normalise, fetch = self.take("sh", "resource-notes describe").commands()
        self.assertIn('"type": "notes"', self.run_shell(self.here(describe)))
        self.assertIn("Ship on Friday.", self.run_shell(self.here(normalise)))
        self.assertIn("1 file, 16 bytes", self.run_shell(self.here(fetch)))
        self.assertEqual((self.home.path / "fetched/note-1.md").read_text(), "Ship on Friday.\n")

    def install_as_shown(self):
        validate, add, show, remove = self.take("sh", "plugins show").commands()
        self.assertNotIn("FAIL", self.run_shell(self.here(validate)))
        self.assertIn("installed org.example.notes", self.run_shell(self.here(add)))
        self.assertIn("resource-notes", self.run_shell(show))
        self.assertIn("removed org.example.notes", self.run_shell(remove))
        for command in self.take("sh", "minisign -G").commands():
            said = self.run_shell(self.here(command))
        self.assertIn("not verified", said)
        public = (self.home.project / "author.pub").read_text().splitlines()[1]
        trusted = self.take("toml", "trusted_keys").text
        self.home.write("quarry.toml", re.sub(r'"RW.*?"', f'"{public}"', trusted))
        self.assertIn(f"valid, of key {public}", self.run_shell(command))

    def serve_an_index_as_shown(self):
        server = IndexServer(self.home.path / "server")
        self.addCleanup(server.stop)
        self.home.environment.update(server.environment)
        archives = self.home.path / "archives"
        archives.symlink_to(server.root)
        shutil.copy(self.home.project / "notes.tar.zst", archives)
        for command in self.take("sh", "plugins index /tmp").commands():
            self.run_shell(self.here(command))
        configuration = self.take("toml", "[plugins.indexes]").text
        self.home.write("quarry.toml",
                        configuration.replace("https://plugins.example.org", server.url))
        search, as_json, add = self.take("sh", "plugins search").commands()
        self.assertIn("org.example.notes 1.0.0  quarry.resource/1 notes", self.run_shell(search))
        found, = json.loads(self.run_shell(as_json))["plugins"]
        self.assertEqual(found["installed"], "1.0.0")
        self.assertIn("replaces      1.0.0", self.run_shell(add))

    def test_a_model_provider_is_made_and_asked_as_shown(self):
        self.build("model-lines-cpp -B")
        add, serve, ask = self.take("sh", "server.py").commands()
        self.assertIn("installed ", self.run_shell(self.here(add)))
        server = subprocess.Popen(self.here(serve).replace("9099", "0").split(),
                                  stdout=subprocess.PIPE)
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        url = server.stdout.readline().decode().strip()
        answer = self.run_shell(ask.replace("http://127.0.0.1:9099", url))
        self.assertIn("I found this:", answer)
        self.assertIn("parse_date", answer)

    def test_a_price_catalogue_is_made_and_asked_as_shown(self):
        self.run_shell(self.here(self.take("sh", "plugins new pricing").text))
        self.build("contract -B")
        self.home.write("quarry.toml", self.take("toml", "pricing.contract").text)
        rates, add = self.take("sh", "pricing-contract rates").commands()
        said = json.loads(self.run_shell(self.here(f"{rates} --json")))
        self.assertEqual([said["value"][name] for name in ("source", "input", "output")],
                         ["contract", "0.25", "1.25"])
        self.assertIn("installed ", self.run_shell(self.here(add)))
        self.run_shell("quarry config check")

    def test_a_transport_is_made_and_asked_as_shown(self):
        self.run_shell(self.here(self.take("sh", "plugins new transport").text))
        self.build("unix -B")
        self.home.write("quarry.toml", self.here(self.take("toml", "transport.unix").text))
        serve, request = self.take("sh", "quarry serve").commands()
        server = Server(self.home)
        self.addCleanup(server.stop)
        self.assertEqual(serve, "quarry serve")
        self.assertIn('"ok":true', self.run_shell(self.here(request)))

    def test_plugins_are_listed_as_shown(self):
        listed, as_json = self.take("sh", "plugins list").commands()
        self.assertIn("io.quarry.resource-git", self.run_shell(listed))
        plugins = json.loads(self.run_shell(as_json))["plugins"]
        self.assertIn("io.quarry.resource-git", [plugin["id"] for plugin in plugins])

    def test_the_manifest_is_that_of_the_git_plugin(self):
        quoted = re.search(r"```text\n(format = .*?)```", self.text, re.S).group(1)
        actual = (BUILD / "lib/quarry/plugins/resource-git/plugin.toml").read_text()
        varies = re.compile(r'^(version|sha256|"[a-z]+\.json") = ".*"$', re.M)
        self.assertEqual(varies.sub(r"\1", quoted).strip(), varies.sub(r"\1", actual).strip())

    def test_the_kinds_are_those_of_the_headers(self):
        rows = re.findall(r"^\| `(\w+)` \| `(quarry/\w+\.h)` \|", self.text, re.M)
        described = {f"quarry.{kind}/1": header for kind, header in rows}
        existing = {}
        for header in sorted((HEADERS / "quarry").glob("*.h")):
            kind = re.search(r'^#define QUARRY_\w+ "(quarry\.\w+/1)"$', header.read_text(), re.M)
            if kind and re.search(r"\bvoid\* instance\b", header.read_text()):
                existing[kind.group(1)] = f"quarry/{header.name}"
        self.assertEqual(described, existing)

    def test_the_checks_are_those_of_the_program(self):
        report = json.loads(self.run_shell("quarry plugins validate --json /none || true"))
        rows = re.findall(r"^\| ([a-z]+) \| `([a-z0-9-]+)` \| (.*) \|$", self.text, re.M)
        checks = [(check["group"], check["name"], check["sentence"]) for check in report["checks"]]
        self.assertEqual([row for row in rows if row[1] in dict((c[1], c) for c in checks)], checks)

    def test_checks_run_as_shown(self):
        self.run_shell(self.here(self.take("sh", "plugins new").commands()[0]))
        self.build("notes -B")
        one, all_of_them = self.take("sh", "--check umask-unchanged").commands()
        self.assertEqual([check["outcome"] for check in json.loads(self.run_shell(self.here(one)))["checks"]], ["pass"])
        self.assertRegex(self.run_shell(self.here(all_of_them)), r"\n\d+ passed, \d+ skipped\n$")
        self.assertIn("<testsuite", (self.home.path / "notes.xml").read_text())

    def test_the_test_kit_has_what_is_named(self):
        kit = "".join(header.read_text() for header in (HEADERS / "quarry").glob("testing*.hpp"))
        rows = self.text.partition("| class | stands for |")[2].partition("\n\n")[0].splitlines()[2:]
        names = [name for row in rows for name in re.findall(r"`(\w+)[`<]", row.split("|")[1])]
        self.assertGreater(len(names), 8)
        for name in names:
            self.assertTrue(re.search(rf"(class|inline Sink::Step) {name}\b", kit), name)


if __name__ == "__main__":
    unittest.main()
