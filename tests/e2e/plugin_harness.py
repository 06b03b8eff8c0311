"""A plugin of an author, to be validated, installed and removed by the real program."""

import hashlib
import json
import pathlib
import shutil
import subprocess

from harness import BUILD, TIMEOUT, TestCase

BUILT = BUILD / "tests/plugins"
HELLO = "org.example.hello"


class PluginCase(TestCase):
    """Each test has a copy of the plugin `hello`, a resource type, in a folder of its author."""

    def setUp(self):
        super().setUp()
        self.folder = self.home.path / "author/hello"
        shutil.copytree(BUILT / "hello", self.folder)
        self.manifest = self.folder / "plugin.toml"
        self.installed = self.home.path / "data/quarry/installed-plugins"
        self.lock = self.installed / "plugins.lock.toml"

    def edit(self, old, new):
        text = self.manifest.read_text()
        self.assertIn(old, text)
        self.manifest.write_text(text.replace(old, new))

    def plugins(self, *arguments, code=0, **more):
        """Standard output of `quarry plugins …`, which ends with `code`; with the errors if that is
        a failure."""
        result = self.home.run("plugins", *arguments, **more)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stdout if code == 0 else result.stdout + result.stderr

    def add(self, *arguments, **more):
        return self.plugins("add", "--yes", *arguments, **more)

    def refused(self, *arguments, code=1):
        """The message of an installation that is refused and leaves nothing behind."""
        before = self.left()
        message = self.plugins("add", "--yes", *arguments, code=code)
        self.assertEqual(self.left(), before)
        self.assertIn("hint:", message)
        return message

    def left(self):
        """The files of installed plugins, and of unpacked archives that were not removed."""
        places = [self.installed, self.home.path / "cache/quarry/tmp"]
        files = {}
        for place in places:
            for path in place.rglob("*"):
                if path.is_file() and not path.name.startswith(".lock") and path.name != ".sweep":
                    files[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
        return files

    def listed(self):
        """Ids and problems of `plugins list`."""
        result = self.home.run("plugins", "list", "--json")
        said = json.loads(result.stdout)
        return [plugin["id"] for plugin in said["plugins"]], said["problems"]

    def answer(self):
        """The answer over a resource of the plugin's type."""
        self.home.write("quarry.toml", '[[resource]]\ntype = "hello"\nname = "mine"\n')
        return self.home.run("ask", "-r", "mine", "welcome?")


def pack(archive, folder):
    """An archive of a folder, by the program tar."""
    subprocess.run(["tar", "--auto-compress", "-cf", archive, "-C", folder.parent, folder.name],
                   check=True, timeout=TIMEOUT)
    return pathlib.Path(archive)
