"""Common parts of the tests of git and npm resources: servers outside the home, and final
checks."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import tempfile

from git_server import GitServer
from harness import Server, TestCase, wait_until, without_progress
from npm_server import NpmServer
from proxy import Proxy

ANSWER_GRACE_MS = 200  # time after which an abandoned question ends


def toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def git_of(name, url, **members):
    return {"type": "git", "name": name, "url": url, **members}


def paths_listed(text):
    """The paths of the files in the output of a model's tool `list`."""
    directory, paths = "", []
    for line in text.splitlines():
        entry = re.fullmatch(r"(.+?)(?: \d+ lines| [a-zA-Z]+ \d+ bytes)", line)
        if entry:
            paths.append(directory + entry[1])
        elif line.endswith(":"):
            directory = line[:-1]
    return paths


def lines_shown(text):
    """The lines of a file in the output of a model's tool `read`."""
    return re.findall(r"^(?:\d+|.*?:\d+):(?: (.*))?$", text, re.M)


def lines_to_show(text):
    """The lines of a file that `read` shows: all but empty ones at its end."""
    lines = text.splitlines()
    while len(lines) > 1 and not lines[-1]:
        lines.pop()
    return lines


class ResourceCase(TestCase):
    """A home that may reach loopback. Servers live in `self.outside`, so that every file and
    process in the home belongs to the program."""

    def setUp(self):
        super().setUp()
        self.outside = pathlib.Path(tempfile.mkdtemp(prefix="quarry-servers-"))
        self.addCleanup(shutil.rmtree, self.outside, ignore_errors=True)
        self.temporary = self.home.path / "tmp"
        self.temporary.mkdir()
        self.home.environment["TMPDIR"] = str(self.temporary)
        self.cache = self.home.path / "cache"

    def configure(self, *resources, private_hosts=("127.0.0.1",), **tables):
        """Writes the configuration: `tables` are its other tables, {name: {key: value}}."""
        lines = [f"network.private_hosts = {toml(list(private_hosts))}\n",
                 f"server.reader_grace_ms = {ANSWER_GRACE_MS}\n"]
        for name, table in tables.items():
            lines += [f"{name}.{json.dumps(key)} = {toml(value)}\n" for key, value in table.items()]
        for resource in resources:
            lines.append("[[resource]]\n")
            lines += [f"{json.dumps(key)} = {toml(value)}\n" for key, value in resource.items()]
        return self.home.write("quarry.toml", "".join(lines))

    def answer(self, question, *arguments, resources=()):
        """The events of `quarry ask`, which must succeed: (meta, done)."""
        named = [part for name in resources for part in ("-r", name)]
        result = self.home.run("ask", "--json", *arguments, *named, question)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        events = without_progress(result.stdout)
        self.assertEqual((events[0]["type"], events[-1]["type"]), ("meta", "done"), events[-1])
        return events[0], events[-1]

    def says(self, question, word, *arguments, resources=()):
        """Asks; `word` must be in the answer. Returns the only snapshot, from meta."""
        meta, done = self.answer(question, *arguments, resources=resources)
        self.assertIn(word, done["text"])
        return meta["snapshots"][0]

    def refusal(self, *arguments):
        """The output of `quarry ask` when it fails because of a resource."""
        result = self.home.run("ask", *arguments)
        self.assertNotEqual(result.returncode, 0, result.stdout)
        self.assertTrue(result.stderr.startswith("error: "), result.stderr)
        self.assertEqual(result.stdout, "")
        return result.stderr

    def failure(self, *arguments):
        """The last event of `quarry ask` when it fails because of a resource."""
        result = self.home.run("ask", "--json", *arguments)
        self.assertNotEqual(result.returncode, 0, result.stdout)
        event = json.loads(result.stdout.splitlines()[-1])
        self.assertEqual(event["type"], "error", event)
        return event

    def nothing_left(self):
        """Checks that there is no process in the home, no unfinished entry in its cache, and
        nothing in its temporary folder."""
        wait_until(lambda: not processes_in(self.home.path), "the processes of this home end")
        self.assertEqual([str(path) for path in leftovers(self.cache)], [])
        self.assertEqual(list(self.temporary.iterdir()), [])


class GitCase(ResourceCase):
    """With a git server behind a proxy; `self.repository` is a small repository on it."""

    users = None

    def setUp(self):
        super().setUp()
        self.server = GitServer(self.outside / "git", users=self.users)
        self.addCleanup(self.server.stop)
        self.proxy = Proxy(self.server.url)
        self.addCleanup(self.proxy.stop)
        self.repository = self.new_repository("code")
        self.first = self.repository.commit({"README.md": "# Tools\n\nThe walrus sleeps at noon.\n"})
        self.code = git_of("code", self.repository.url)

    def new_repository(self, name, **more):
        """A repository whose URL leads through the proxy."""
        repository = self.server.repository(name, **more)
        repository.url = f"{self.proxy.url}/{name}.git"
        return repository

    def packs_fetched(self):
        return len(self.proxy.asked("command=fetch"))

    @contextlib.contextmanager
    def serving(self, *arguments):
        """`quarry serve`, stopped at the end of the block, so that the files it leaves can be
        checked."""
        server = Server(self.home, *arguments)
        try:
            yield server
        finally:
            server.stop()


class NpmCase(ResourceCase):
    """With one registry behind a proxy for all tests of a class: each publishes its own
    packages."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="quarry-registry-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.registry = NpmServer(cls.folder / "npm")
        cls.addClassCleanup(cls.registry.stop)

    def setUp(self):
        super().setUp()
        self.proxy = Proxy(self.registry.url)
        self.addCleanup(self.proxy.stop)

    def npm_of(self, package, name="package", **members):
        return {"type": "npm", "name": name, "package": package, "registry": self.proxy.url, **members}

    def tarballs_fetched(self):
        return len(self.proxy.asked(r"GET \S*\.tgz"))


def processes_in(folder):
    """The processes other than this one whose command line, environment or directory names it."""
    needle, found = str(folder).encode(), []
    for process in pathlib.Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            told = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
            if needle in told + os.fsencode(os.readlink(process / "cwd")):
                found.append((process.name, told[:200]))
    return found


def leftovers(cache):
    """Files that exist in a cache only during an operation."""
    return [*cache.rglob("building/*"), *cache.rglob("tmp/[!.]*"), *cache.rglob("plugins/*/.*"),
            *cache.rglob("*.lock"), *cache.rglob("tmp_pack_*")]
