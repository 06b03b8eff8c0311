"""A resource with a source prepared by the test (tests/fixtures/resource-fixture)."""

import json

from harness import BUILD, TestCase

# The fixture reads the folder of the test itself, which no isolated plugin may.
PLUGINS = (f'plugin_path = ["{BUILD / "tests/fixtures"}"]\n'
           'plugins.isolation."org.example.resource-fixture" = "none"\n')
ZOO = '[[resource]]\ntype = "fixture"\nname = "{}"\nsource = "{}"\n'


class Source:
    """A folder that acts as the source of a resource."""

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
        """One resource "zoo" with `more` in its table, followed by `tables`."""
        return self.home.write("quarry.toml",
                               PLUGINS + ZOO.format("zoo", self.source.path) + more + tables)
