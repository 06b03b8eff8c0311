"""Resources whose source a test arranges (tests/fixtures/resource-fixture), as a user meets them."""

import json
import unittest

from harness import BUILD, KEY_VARIABLE, TestCase

PLUGINS = f'plugin_path = ["{BUILD / "tests/fixtures"}"]\n'
ZOO = '[[resource]]\ntype = "fixture"\nname = "{}"\nsource = "{}"\n'


class Source:
    """A folder that plays the source of a resource."""

    def __init__(self, home, name="zoo"):
        self.path = home.path / name
        (self.path / "files").mkdir(parents=True)
        self.say("VERSION", "v1")
        self.say("files/zebra.md", "# Zebra\n\nThe zebra feature is off by default.\n")

    def say(self, name, text):
        (self.path / name).write_text(text if isinstance(text, str) else json.dumps(text))

    def unsay(self, name):
        (self.path / name).unlink()


class ResourceTestCase(TestCase):
    def setUp(self):
        super().setUp()
        self.source = Source(self.home)

    def configure(self, more="", tables=""):
        """One resource "zoo" with `more` in its table, and `tables` behind it."""
        return self.home.write("quarry.toml",
                               PLUGINS + ZOO.format("zoo", self.source.path) + more + tables)


class Configuration(ResourceTestCase):
    def test_mistakes_in_the_table_of_a_type_are_told_at_their_place(self):
        for tables, words in (("[resource_type.fixture]\ngreting = 'x'\n", ':7:1: "greting"'),
                              ("[resource_type.fixtur]\n", ':6:16: no plugin offers the type of '
                               'resource "fixtur"; did you mean "fixture"?')):
            file = self.configure(tables=tables)
            checked = self.home.run("config", "check")
            self.assertEqual(checked.returncode, 3)
            self.assertIn(f"{file}{words}", checked.stderr)
        self.configure(tables="[resource_type.fixture]\ngreeting = 'hi'\n")
        self.assertEqual(self.home.run("config", "check").returncode, 0)

    def test_secrets_stand_in_the_file_as_references_and_are_shown_as_such(self):
        self.configure(f'token = {{ env = "{KEY_VARIABLE}" }}\n')
        self.assertEqual(self.home.run("config", "check").returncode, 0)
        self.assertIn(f'token = {{ env = "{KEY_VARIABLE}" }}', self.home.run("config", "show").stdout)
        self.assertNotIn("token", self.home.run("resources", "--json").stdout)
        self.configure('token = "sesame"\n')
        self.assertIn(":6:1", self.home.run("config", "check").stderr)

    def test_secrets_are_not_taken_from_the_wire(self):
        self.configure(f'token = {{ env = "{KEY_VARIABLE}" }}\n')
        server = self.serve()
        thief = {"type": "fixture", "name": "thief", "source": str(self.source.path),
                 "token": "resource.zoo.token"}
        status, answer = server.json("POST", "/config/resources", thief)
        self.assertEqual((status, answer["tag"]), (400, "ConfigError"))
        self.assertEqual(answer["details"][0]["field"], "/token")
        self.assertIn("quarry.toml", answer["details"][0]["message"])
        _, answer = server.json("GET", "/openapi.json")
        self.assertNotIn('"token"', json.dumps(answer))
        _, answer = server.json("GET", "/resources")
        self.assertEqual([resource["name"] for resource in answer["resources"]], ["zoo"])
        self.assertNotIn("token", answer["resources"][0])
        self.assertEqual(answer["resources"][0]["branch"], "main", "the default of its schema")


if __name__ == "__main__":
    unittest.main()
