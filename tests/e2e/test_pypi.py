"""Packages of a real index, compared with those that pip downloads from it."""

import base64
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import threading
import tomllib
import unittest
import zipfile

import pypi_server
from pypi_server import PypiServer
from harness import BUILD
from proxy import Proxy
from resource_harness import ResourceCase, lines_shown, lines_to_show, paths_listed

WHEN = "When does the zebra graze?"
PYTHON = subprocess.run(
    [pypi_server.PYTHON, "-c", "import sys; print(*sys.version_info[:3], sep='.')"],
    capture_output=True, text=True).stdout.strip() if not pypi_server.MISSING else ""

SPECIFIERS = ["", "==1.0", "==1.0.0", "==1.*", "==1.0.*", "!=1.10", ">=1.0,<1.1", "<1.0", "<=1.0", ">1.0",
              ">1.2", ">=1.2,<1.3", "~=1.0", "~=1.0.0", "~=1.2.post1", ">=2.0a1", "==2.0b2", "<2.0rc1",
              ">=1.3.dev1,<1.4", "===1.0", "==1.0+local.7", "!=1.*", "<2", "~=1.1,!=1.10", "==1.2-1", "<=2.0a1"]
CASES = [("alpha", each) for each in SPECIFIERS] + [
    ("gamma", ""), ("gamma", "==1.1"), ("gamma", ">=1.1"), ("gamma", "==1.*"), ("delta", ""),
    ("epoch", ""), ("epoch", "<1!0"), ("unfinished", ""), ("Beta.Pkg", "==1.0"), ("beta_pkg", "")]
WHEELS = [("alpha", ""), ("onlywheel", ""), ("onlywheel", "==3.1"), ("delta", "")]


def pip_download(index, project, specifier, folder, kind):
    """The file that pip chooses and downloads; None when it finds none."""
    kinds = ["--no-binary", ":all:", "--no-build-isolation"] if kind == "sdist" else ["--only-binary", ":all:"]
    done = subprocess.run(
        [pypi_server.PYTHON, "-m", "pip", "--isolated", "--disable-pip-version-check", "download", "-q", "--no-deps",
         "--no-cache-dir", *kinds, "-d", folder, "-i", index, project + specifier], capture_output=True, text=True)
    found = list(pathlib.Path(folder).iterdir())
    return found[0] if done.returncode == 0 and found else None


def files_in(archive):
    """The regular files of an archive, without the first folder of a source distribution."""
    if archive.suffix in (".zip", ".whl"):
        with zipfile.ZipFile(archive) as opened:
            files = {name: opened.read(name) for name in opened.namelist() if not name.endswith("/")}
    else:
        with tarfile.open(archive) as opened:
            files = {each.name: opened.extractfile(each).read() for each in opened if each.isfile()}
    if archive.suffix == ".whl":
        return files
    return {name.split("/", 1)[1]: content for name, content in files.items()}


class ReadingModel:
    """A stand-in for a model that lists the files of a resource, reads these, and then answers."""

    def __init__(self, resource, paths):
        calls = [("list", {"glob": "**/*"})] + [("read", {"path": f"{resource}/{path}"}) for path in paths]
        chosen = [{"index": at, "id": f"call{at}", "type": "function",
                   "function": {"name": name, "arguments": json.dumps(arguments)}}
                  for at, (name, arguments) in enumerate(calls)]

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                first = not any(each["role"] == "tool" for each in asked["messages"])
                delta = {"tool_calls": chosen} if first else {"content": "Read."}
                parts = [{"choices": [{"index": 0, "delta": delta}]},
                         {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if first else "stop"}]}]
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                for part in parts:
                    self.wfile.write(f"data: {json.dumps(part)}\n\n".encode())
                self.wfile.write(b"data: [DONE]\n\n")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@unittest.skipIf(pypi_server.MISSING, pypi_server.MISSING)
class PypiCase(ResourceCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="quarry-index-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.index = PypiServer(cls.folder / "index")
        cls.addClassCleanup(cls.index.stop)

    def setUp(self):
        super().setUp()
        self.proxy = Proxy(self.index.url)
        self.addCleanup(self.proxy.stop)

    def pypi_of(self, package, name="package", index="simple", **members):
        return {"type": "pypi", "name": name, "package": package, "index": f"{self.proxy.url}/{index}/", **members}


class AgreementWithPip(PypiCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        index = cls.index
        for version in ("0.9", "1.0", "1.0.1", "1.1", "1.2", "2.0a1", "2.0b2", "2.0rc1", "1.2.post1", "1.3.dev4", "1.10",
                        "1.0+local.7"):
            index.sdist("alpha", version)
        index.wheel("alpha", "1.10", needs=("beta-pkg>=1",))
        index.sdist("Beta.Pkg", "1.0", kind="zip")
        index.sdist("beta_pkg", "1.5", kind="tar.bz2")
        index.sdist("gamma", "1.0")
        index.sdist("gamma", "1.1", yanked="broken <build>")
        index.sdist("delta", "1.0", python=">=3.6")
        index.sdist("delta", "2.0", python=">=3.99")
        index.wheel("delta", "1.0", python=">=3.6")
        index.wheel("delta", "3.0", python=">=3.99")
        index.wheel("onlywheel", "3.1")
        index.wheel("onlywheel", "3.2", python=">=3.8")
        index.sdist("unfinished", "1.0a1")
        index.sdist("unfinished", "1.0b1")
        index.sdist("epoch", "2024.1")
        index.sdist("epoch", "1!0.5")
        index.sdist("names", "1.0", files={
            "docs/grüße.md": "# Grüße\n", "bytes.bin": bytes(range(256)), "a/" + "b/" * 30 + "deep.txt": "deep\n", "empty.txt": "",
            "lines.txt": "one\ntwo\n\nthree\n"})
        index.built("builtpkg", "0.7", cls.folder)

    def chosen(self, cases, kind, index="simple"):
        """Name and SHA-256 of the files that Quarry locks for each case; None where it finds none."""
        self.configure(*(self.pypi_of(project, f"case{at}", index, version=specifier or "latest", format=kind, python=PYTHON)
                         for at, (project, specifier) in enumerate(cases)))
        self.home.run("lock")
        lock = tomllib.loads((self.home.project / "quarry.lock").read_text())
        versions = {row["name"]: row["version"] for row in lock["resource"]}
        return [versions.get(f"case{at}") for at in range(len(cases))]

    def compare(self, cases, kind):
        mine = self.chosen(cases, kind)
        for (project, specifier), version in zip(cases, mine, strict=True):
            with self.subTest(project=project, specifier=specifier), tempfile.TemporaryDirectory() as folder:
                theirs = pip_download(f"{self.index.url}/simple/", project, specifier, folder, kind)
                wanted = theirs and f"{theirs.name}#sha256={hashlib.sha256(theirs.read_bytes()).hexdigest()}"
                self.assertEqual(version, wanted)
        return mine

    def test_the_same_source_distributions_are_chosen(self):
        cases = [case for case in CASES if case != ("gamma", ">=1.1")]
        found = self.compare(cases, "sdist")
        self.assertEqual(len([each for each in found if each]), len(cases), "each case has a version")
        self.assertEqual(self.chosen(cases, "sdist", "json"), found)

    def test_the_same_wheels_are_chosen(self):
        self.compare(WHEELS, "wheel")

    def test_where_pip_finds_nothing_quarry_finds_nothing(self):
        for project, specifier in (("gamma", ">=1.1"), ("alpha", ">=3"), ("alpha", "==1.0.5"), ("nosuch", "")):
            with self.subTest(project + specifier), tempfile.TemporaryDirectory() as folder:
                self.assertIsNone(pip_download(f"{self.index.url}/simple/", project, specifier, folder, "sdist"))
                self.configure(self.pypi_of(project, version=specifier or "latest", format="sdist"))
                self.assertIn(project, self.refusal(WHEN))

    def test_the_same_files_are_unpacked(self):
        for project, kind in (("names", "sdist"), ("builtpkg", "sdist"), ("Beta.Pkg", "sdist"), ("onlywheel", "wheel")):
            with self.subTest(project), tempfile.TemporaryDirectory() as folder:
                files = files_in(pip_download(f"{self.index.url}/simple/", project, "", folder, kind))
                self.assertEqual(self.unpacked(project, kind), files)

    def unpacked(self, project, kind):
        """The files of the plugin, with their bytes."""
        with tempfile.TemporaryDirectory() as folder:
            resource = {"package": project, "index": "http://index.test/simple/", "format": kind}
            subprocess.run([BUILD / "tests/pypi_files", self.index.folder, json.dumps(resource), folder], check=True)
            files = {str(path.relative_to(folder)): path.read_bytes() for path in pathlib.Path(folder).rglob("*") if path.is_file()}
        self.assertTrue(files.pop("PYPI-PACKAGE.md").startswith(b"# "))
        return files

    def test_the_same_lines_are_stored(self):
        with tempfile.TemporaryDirectory() as folder:
            files = files_in(pip_download(f"{self.index.url}/simple/", "builtpkg", "", folder, "sdist"))
        read = self.read_by_a_model(self.pypi_of("builtpkg", "it"), files)
        self.assertEqual(read, {path: lines_to_show(content.decode()) for path, content in files.items()})

    def read_by_a_model(self, resource, paths):
        """Path and lines of every file that the host stored, but for the generated one."""
        model = ReadingModel("it", paths)
        self.addCleanup(model.stop)
        self.configure(resource, model={"provider": "openai", "base_url": model.url, "name": "reader"})
        _, done = self.answer("Read everything.", "--set", "model.unpriced=allow")
        listed, *read = [tool["state"] for tool in done["tools"]]
        names = {path.removeprefix("it/") for path in paths_listed(listed["output"])} - {"PYPI-PACKAGE.md"}
        self.assertEqual(names, set(paths))
        out = {}
        for state in read:
            out[state["input"]["path"].removeprefix("it/")] = lines_shown(state["output"])
        return out


class Packages(PypiCase):
    def test_an_answer_rests_on_an_exact_file(self):
        self.index.sdist("exact", "1.0")
        self.configure(self.pypi_of("Exact"))
        meta, done = self.answer(WHEN)
        self.assertIn("grazes at 1.0", done["text"])
        self.assertRegex(meta["snapshots"][0]["version"], r"^exact-1\.0\.tar\.gz#sha256=[0-9a-f]{64}$")
        self.assertTrue(all(each["verified"] and "url" not in each for each in done["citations"]))
        self.nothing_left()

    def test_an_unchanged_page_costs_one_conditional_request(self):
        self.index.sdist("still", "1.0")
        self.configure(self.pypi_of("still", refresh="always"))
        self.says(WHEN, "1.0")
        self.proxy.requests.clear()
        self.says(WHEN, "1.0")
        asked, = self.proxy.requests
        self.assertIn("If-Modified-Since", asked.headers)

    def test_a_new_version_is_followed_by_the_policy(self):
        self.index.sdist("moving", "1.0")
        self.configure(self.pypi_of("moving"))
        self.says(WHEN, "1.0")
        self.index.sdist("moving", "1.1")
        page = self.index.folder / "simple/moving/index.html"
        os.utime(page, times=(page.stat().st_atime, page.stat().st_mtime + 5))  # it has whole seconds
        self.says(WHEN, "at 1.0")
        self.says(WHEN, "at 1.1", "--sync")

    def test_what_the_package_says_of_itself_can_be_asked_about(self):
        self.index.sdist("described", "1.0")
        self.index.wheel("described", "1.0", needs=("okapi-paint>=3",))
        self.configure(self.pypi_of("described"))
        _, done = self.answer("Which dependencies does described have?")
        self.assertIn("okapi-paint>=3", done["text"])

    def test_notes_say_what_a_reader_must_know(self):
        self.index.sdist("noted", "1.0", yanked="loses data", python=">=3.6")
        self.configure(self.pypi_of("noted", version="1.0"))
        notes = " ".join(self.says(WHEN, "1.0")["notes"])
        self.assertIn("loses data", notes)
        self.assertIn("Python >=3.6", notes)

    def test_an_index_without_hashes(self):
        self.index.sdist("bare", "1.0")
        self.configure(self.pypi_of("bare", index="bare", refresh="always"))
        version = self.says(WHEN, "1.0")["version"]
        data = (self.index.folder / "files/bare-1.0.tar.gz").read_bytes()
        self.assertEqual(version, f"bare-1.0.tar.gz#sha256={hashlib.sha256(data).hexdigest()}")

    def test_a_locked_version_is_fetched_by_its_hash(self):
        self.index.sdist("locked", "1.0")
        self.configure(self.pypi_of("locked"))
        self.assertEqual(self.home.run("lock").returncode, 0)
        self.index.sdist("locked", "2.0")
        self.says(WHEN, "at 1.0", "--locked")

    def test_references(self):
        self.index.sdist("passing", "1.4")
        self.configure(resource_type={"pypi": {"index": f"{self.proxy.url}/simple/"}})
        for reference in ("pypi:passing", "pypi:passing@1.4", "pypi:passing>=1,<2", "pkg:pypi/passing@1.4"):
            with self.subTest(reference):
                self.says(WHEN, "at 1.4", resources=[reference])

    def test_the_token_is_sent_to_the_index_alone(self):
        self.index.sdist("secret", "1.0")
        other = Proxy(self.index.url)
        self.addCleanup(other.stop)
        page = self.index.folder / "simple/secret/index.html"
        page.write_text(page.read_text().replace("../../files", f"{other.url}/files"))
        self.configure(self.pypi_of("secret", token={"env": "INDEX_TOKEN"}))
        self.home.environment["INDEX_TOKEN"] = "word-of-the-index"
        self.says(WHEN, "1.0")
        wanted = "Basic " + base64.b64encode(b"__token__:word-of-the-index").decode()
        self.assertEqual([each.headers.get("Authorization") for each in self.proxy.requests], [wanted])
        self.assertEqual([each.headers.get("Authorization") for each in other.requests], [None])


if __name__ == "__main__":
    unittest.main()
