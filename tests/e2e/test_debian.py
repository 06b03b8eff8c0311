"""Answers over source packages of a real archive."""

import unittest

from debian_harness import WHEN, DebianCase


class Packages(DebianCase):
    def test_an_answer_rests_on_an_exact_version_with_permalinks(self):
        self.configure(self.debian_of("quilted"))
        meta, done = self.answer(WHEN)
        self.assertIn("grazes at noon", done["text"])
        self.assertRegex(meta["snapshots"][0]["version"], r"^quilted_1:1\.0-1@[0-9a-f]{64}$")
        self.assertEqual(meta["snapshots"][0]["display"], "quilted 1:1.0-1 (test)")
        links = [citation["url"] for citation in done["citations"] if citation["path"] == "zebra.c"]
        self.assertRegex(links[0], r"^https://sources\.debian\.org/src/quilted/1:1\.0-1/zebra\.c/\?hl=\d+:\d+#L\d+$")
        self.assertTrue(all(citation["verified"] for citation in done["citations"]))
        self.nothing_left()

    def test_an_unchanged_suite_costs_one_conditional_request(self):
        self.configure(self.debian_of("quilted", refresh="always"))
        self.says(WHEN, "noon")
        self.proxy.requests.clear()
        self.says(WHEN, "noon")
        self.assertEqual([request.path for request in self.proxy.requests], ["/dists/stable/InRelease"])
        self.assertIn("If-None-Match", self.proxy.requests[0].headers)

    def test_references(self):
        self.configure(resource_type={"debian": {"mirror": self.proxy.url, "keyring": str(self.archive.key.ring)}})
        for reference in ("debian:quilted", "debian:quilted@1:1.0-1", "debian:quilted/stable", "debian:quilted-tools",
                          "https://sources.debian.org/src/quilted/", "https://tracker.debian.org/pkg/quilted",
                          "https://sources.debian.org/src/quilted/1:1.0-1/zebra.c/",
                          "pkg:deb/debian/quilted@1:1.0-1?arch=source"):
            with self.subTest(reference):
                self.says(WHEN, "noon", resources=[reference])

    def test_a_locked_version_is_fetched_though_the_index_has_another(self):
        self.configure(self.debian_of("quilted"))
        self.assertEqual(self.home.run("lock").returncode, 0)
        self.assertEqual(self.home.run("clear").returncode, 0)
        self.proxy.answer("InRelease", 503)
        self.says(WHEN, "noon", "--locked")

    def test_what_add_stores_is_what_was_said(self):
        self.configure()
        added = self.home.run("add", "--offline", "debian", "--package", "quilted", "--special-notes", "Start in docs.", "-n", "q")
        self.assertEqual(added.returncode, 0, added.stderr)
        stored = (self.home.project / "quarry.toml").read_text()
        self.assertIn('specialNotes = "Start in docs."', stored)
        self.assertNotIn("keyring", stored)
        self.assertNotIn("mirror", stored)

    def test_over_rest(self):
        self.configure(self.debian_of("quilted"))
        server = self.serve()
        status, answer = server.json("POST", "/question", {"question": WHEN})
        self.assertEqual((status, "noon" in answer["answer"]), (200, True), answer)
        status, refused = server.json("POST", "/config/resources",
                                      {"type": "debian", "name": "bad", "package": "Bad Name"})
        self.assertEqual((status, refused["details"][0]["field"]), (400, "/package"))
        server.stop()

    def test_mistakes_are_named(self):
        for members, parts in (
                ({"package": "nothing-here"}, ("no source or binary package nothing-here", "main, contrib")),
                ({"package": "quilted", "version": "2.0-1"}, ("does not have version 2.0-1", "1:1.0-1")),
                ({"package": "quilted", "suite": "sid"}, ("no suite of this name", "404")),
                ({"package": "quilted", "components": ["universe"]}, ("universe", "main contrib".split()[1])),
                ({"package": "quilted", "keyring": "/nonexistent.gpg"}, ("/nonexistent.gpg", "does not exist")),
                ({"package": "quilted", "keyring": str(self.archive.key.armoured)}, ("gpg --dearmor",))):
            with self.subTest(members):
                self.configure({**self.debian_of("quilted"), **members})
                self.refused(*parts)


if __name__ == "__main__":
    unittest.main()
