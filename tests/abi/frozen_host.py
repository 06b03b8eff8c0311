"""Plugins of today, or of grown headers, in the host of version 1.0.

The plugins are those of QUARRY_BUILD_DIR. The frozen plugins run in it too, which shows what the
host prints for everything in the contract."""

import http.client
import http.server
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

import frozen_build
from frozen_server import FrozenServer

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
# pylint: disable=wrong-import-position
import git_server
import npm_server
from harness import BUILD, TIMEOUT, parse_events

PLUGINS = BUILD / "lib/quarry/plugins"
TOKEN = "a-frozen-token"
CHAT = {"model": "m", "system": "Answer.",
        "messages": [{"role": "user", "text": "What is a zebra?"}], "tools": [], "maxOutputTokens": 100, "toolsAllowed": True, "options": {}}


class FrozenHost:
    """The program, with one plugin."""

    def __init__(self, program, library, folder, *options):
        folder.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen([program, library, folder, *options], text=True,
                                        errors="replace", stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def send(self, *words):
        self.process.stdin.write("\t".join(word if isinstance(word, str) else json.dumps(word)
                                           for word in words) + "\n")
        self.process.stdin.flush()

    def lines(self, function):
        """Its lines up to the end of a function."""
        found = []
        for line in self.process.stdout:
            found.append(json.loads(line))
            if found[-1] == {"end": function}:
                return found[:-1]
        raise AssertionError(f"the host ended ({self.process.wait(TIMEOUT)}): {found}")

    def run(self, function, *arguments):
        self.send(function, *arguments)
        return self.lines(function)

    def value(self, function, *arguments):
        """The value of a function, which must succeed."""
        lines = self.run(function, *arguments)
        outcome = [line for line in lines if line.get("function") == function]
        assert len(outcome) == 1 and outcome[0]["status"] == "ok", lines
        return outcome[0].get("value")

    def stop(self):
        """(the last lines, the exit code)"""
        if self.process.stdin.closed:
            return [], self.process.returncode
        self.process.stdin.close()
        with self.process.stdout:
            lines = [json.loads(line) for line in self.process.stdout]
        return lines, self.process.wait(TIMEOUT)


class FileServer(http.server.ThreadingHTTPServer):
    """Serves `files` = {path: (media type, bytes)} to any method. `seen`: (path, headers, body)."""

    def __init__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.server.seen.append((self.path, self.headers, self.body()))
                kind, content = self.server.files.get(self.path, ("text/plain", None))
                self.send_response(404 if content is None else 200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content or b"")))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content or b"")

            def body(self):
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))

            do_POST = do_HEAD = do_GET

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.files, self.seen = {}, []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def stop(self):
        self.shutdown()
        self.server_close()


class HostCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.built = frozen_build.built()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="quarry-frozen-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def start(self, library, *options):
        host = FrozenHost(self.built / "frozen-host", library, self.folder / "host", *options)
        self.addCleanup(host.stop)
        return host

    def bundled(self, name, *options):
        return self.start(PLUGINS / name / f"{name}.so", *options)

    def file_server(self):
        server = FileServer()
        self.addCleanup(server.stop)
        return server

    def fetch(self, host, resource):
        """(version, {path: text or None}, metadata), through each function that comes before."""
        canonical = host.value("normalise", resource)
        canonical = {**resource, **canonical}
        version = host.value("resolve", canonical, "")
        lines = host.run("fetch", canonical, version, "")
        self.assertEqual(lines[-1]["status"], "ok", lines)
        files = {line["path"]: line.get("text") for line in lines if "tree" in line}
        return version, files, lines[-1].get("value")

    def step(self, host, function, request):
        """The calls of the sink as {function: [arguments]}, and the text."""
        found = {}
        for line in host.run(function, request):
            if "sink" in line:
                found.setdefault(line.pop("sink"), []).append(line)
        return found, "".join(each["delta"] for each in found.get("text", []))

    def ends(self, host):
        host.run("destroy")
        self.assertEqual(host.stop()[1], 0)


class Bundled(HostCase):
    """The plugins that come with the program."""

    def test_local(self):
        docs = self.folder / "docs"
        docs.mkdir()
        (docs / "a.md").write_text("text")
        host = self.bundled("resource-local")
        host.value("create", "quarry.resource/1", "local", {})
        self.assertEqual(host.value("describe")["inPlace"], True)
        _, files, _ = self.fetch(host, {"type": "local", "name": "docs", "path": str(docs)})
        self.assertEqual(list(files), [str(docs)])
        refused = host.run("normalise", {"type": "local", "name": "x", "path": "relative"})
        self.assertEqual(refused[0]["details"]["fields"][0]["field"], "/path")
        self.ends(host)

    @unittest.skipIf(git_server.MISSING, git_server.MISSING)
    def test_git(self):
        server = git_server.GitServer(self.folder / "git")
        self.addCleanup(server.stop)
        repository = server.repository("tools")
        commit = repository.commit({"README.md": "# Tools\n", "src/a.py": "pass\n"})
        host = self.bundled("resource-git", "--program", "git")
        host.value("create", "quarry.resource/1", "git", {})
        resource = {"type": "git", "name": "tools", "url": repository.url, "branch": "main"}
        version, files, _ = self.fetch(host, resource)
        self.assertEqual((version["id"], version["immutable"]), (commit, True))
        self.assertEqual(files, {"README.md": "# Tools\n", "src/a.py": "pass\n"})
        self.ends(host)

    def test_npm(self):
        server = self.file_server()
        tarball = npm_server.package("zebra", "1.0.0", {"index.js": "stripes()\n"})
        integrity = npm_server.integrity_of(tarball)
        version = {"name": "zebra", "version": "1.0.0", "dist": {
            "integrity": integrity, "tarball": f"{server.url}/zebra-1.0.0.tgz"}}
        server.files = {
            "/zebra": ("application/json", json.dumps({
                "name": "zebra", "dist-tags": {"latest": "1.0.0"},
                "versions": {"1.0.0": version}}).encode()),
            "/zebra-1.0.0.tgz": ("application/octet-stream", tarball)}
        host = self.bundled("resource-npm")
        host.value("create", "quarry.resource/1", "npm", {"registry": server.url, "npmrc": False})
        resource = {"type": "npm", "name": "zebra", "package": "zebra"}
        version, files, _ = self.fetch(host, resource)
        self.assertEqual((version["id"], version["integrity"]), ("1.0.0", integrity))
        self.assertEqual(files["index.js"], "stripes()\n")
        self.assertGreaterEqual(host.value("parse_reference", "npm:zebra@1")["confidence"], 90)
        self.ends(host)

    def test_archive(self):
        server = self.file_server()
        content = npm_server.archive([("docs/a.md", "# A\n")])
        server.files["/docs.tar.gz"] = ("application/gzip", content)
        host = self.bundled("resource-archive", "--secret", f"TOKEN={TOKEN}")
        host.value("create", "quarry.resource/1", "archive", {})
        resource = {"type": "archive", "name": "docs", "url": f"{server.url}/docs.tar.gz",
                    "token": "TOKEN"}
        version, files, _ = self.fetch(host, resource)
        self.assertEqual(files, {"docs/a.md": "# A\n"})
        self.assertEqual(server.seen[-1][1]["Authorization"], f"Bearer {TOKEN}")
        host.run("destroy")
        shutil.rmtree(self.folder / "host/cache")
        host.value("create", "quarry.resource/1", "archive", {})
        server.files["/docs.tar.gz"] = ("application/gzip", npm_server.archive([("b", "B\n")]))
        other = host.run("fetch", resource, version, "")
        self.assertEqual(other[-1]["status"], "not_found", other)
        self.ends(host)

    def test_extractive(self):
        host = self.bundled("model-extractive")
        host.value("create", "quarry.model/1", "extractive", {})
        self.assertTrue(host.value("describe")["local"])
        calls, _ = self.step(host, "generate", {**CHAT, "tools": [
            {"name": name, "description": name, "parameters": {"type": "object"}}
            for name in ("list", "search", "read")]})
        self.assertEqual(calls["finish"], [{"reason": "tool_calls"}])
        self.assertEqual(calls["tool_call"][0]["name"], "list")
        self.ends(host)

    def test_openai(self):
        server = self.file_server()
        parts = [{"choices": [{"delta": {"content": "Striped "}}]},
                 {"choices": [{"delta": {"content": "horses."}, "finish_reason": "stop"}]},
                 {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 3}}]
        stream = "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + "data: [DONE]\n\n"
        server.files = {"/v1/chat/completions": ("text/event-stream", stream.encode()),
                        "/v1/models": ("application/json", b'{"data": [{"id": "m"}]}')}
        host = self.bundled("model-openai", "--secret", f"KEY={TOKEN}")
        host.value("create", "quarry.model/1", "openai",
                   {"base_url": f"{server.url}/v1", "api_key": "KEY", "api": "chat"})
        calls, text = self.step(host, "exchange", CHAT)
        self.assertEqual((text, calls["finish"]), ("Striped horses.", [{"reason": "stop"}]))
        self.assertEqual((calls["usage"][-1]["input"], calls["usage"][-1]["output"]), (10, 3))
        _, headers, body = server.seen[-1]
        self.assertEqual(headers["Authorization"], f"Bearer {TOKEN}")
        self.assertIn("What is a zebra?", body.decode())
        self.assertEqual([each["id"] for each in host.value("models")["models"]], ["m"])
        server.files.clear()
        calls, _ = self.step(host, "exchange", CHAT)
        self.assertEqual((calls["error"][0]["status"], calls["error"][0]["http_status"]),
                         ("not_found", 404))
        self.ends(host)

    def test_prices(self):
        host = self.bundled("pricing-static")
        host.value("create", "quarry.pricing/1", "static",
                   {"vendor/m": {"input": "1.25", "output": "10"}})
        self.assertEqual(host.value("rates", "vendor", "m")["input"], "1.25")
        self.assertIsNone(host.value("rates", "vendor", "other"))
        refused = host.run("create", "quarry.pricing/1", "static", {"vendor/m": {"input": "dear"}})
        self.assertEqual(refused[0]["status"], "invalid_argument", refused)
        self.ends(host)
        host = self.bundled("pricing-models-dev")
        catalogue = self.file_server()
        host.value("create", "quarry.pricing/1", "models-dev", {"url": f"{catalogue.url}/api.json"})
        catalogue.files["/api.json"] = ("application/json", json.dumps({"vendor": {"models": {"m": {
            "id": "m", "cost": {"input": 1.5, "output": 2}}}}}).encode())
        self.assertTrue(host.value("refresh")["changed"])
        self.assertEqual(host.value("rates", "vendor", "m")["input"], "1.5")
        self.ends(host)

    def test_rest(self):
        host = self.bundled("transport-rest", "--secret", "QUARRY_TOKEN=")
        host.value("create", "quarry.transport/1", "rest", {"listen": "127.0.0.1:0"})
        host.run("value", "resources.list", {"resources": [{"type": "local", "name": "docs"}]})
        host.run("value", "question.ask", {"id": "q-1"})
        port = int(host.value("start")["listening"][0].rpartition(":")[2])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
        self.addCleanup(connection.close)
        connection.request("GET", "/resources")
        self.assertEqual(json.load(connection.getresponse())["resources"][0]["name"], "docs")
        connection.request("POST", "/question/stream", '{"question": "zebra?"}',
                           {"Content-Type": "application/json"})
        events = [each for each in parse_events(connection.getresponse()) if each.type]
        self.assertEqual([each.type for each in events], ["meta", "text.delta", "done"])
        connection.request("GET", "/question/nothing/events")
        self.assertEqual(connection.getresponse().status, 404)
        told = host.run("stop", "1000")
        self.assertIn({"engine": "open_reader", "id": "nothing", "after": 0}, told)
        self.ends(host)


class Frozen(HostCase):
    """The frozen plugins."""

    def setUp(self):
        super().setUp()
        self.server = FrozenServer()
        self.addCleanup(self.server.stop)

    def frozen(self):
        return self.start(self.built / "frozen/frozen.so", "--program", "sh", "--secret",
                          f"TOKEN={TOKEN}")

    def test_pages(self):
        host = self.frozen()
        refused = host.run("create", "quarry.resource/1", "frozen-pages", {"greeting": "none"})
        self.assertEqual(refused[-1]["details"]["fields"][0]["field"], "/greeting")
        host.value("create", "quarry.resource/1", "frozen-pages", {"greeting": "Hello"})
        resource = {"type": "frozen-pages", "name": "frozen", "base": self.server.url,
                    "token": "TOKEN"}
        version, files, metadata = self.fetch(host, resource)
        self.assertEqual(len(files), 11)
        last = {"version": version, "state": metadata["state"]}
        self.assertEqual(host.value("resolve", resource, last), version)
        self.assertEqual([headers.get("If-None-Match") for path, headers in self.server.seen
                          if path == "/version"], [None, '"edition-1"'])
        again = {line["path"]: line for line in host.run("fetch", resource, version, last)
                 if "tree" in line}
        jobs = {f"job-{number}.md": "add_file" for number in range(1, 5)}
        self.assertEqual({path: line["tree"] for path, line in again.items()}, {
            "README.md": "add_file", "report.md": "add_file", "from-scratch.md": "add_directory",
            "described.md": "add_described", "kept.md": "keep_file", "large.bin": "add_large",
            "link": "add_link", **jobs})
        self.assertEqual(again["described.md"], {
            "tree": "add_described", "path": "described.md", "size": 12, "text": "# Described\n",
            "permalink": "https://frozen.example/described#{start}-{end}",
            "title": "The described file", "media_type": "text/markdown"})
        first = files["report.md"].splitlines()
        second = again["report.md"]["text"].splitlines()
        self.assertEqual(first[0:2], ['{"last": false}', '{"keep_file": 2}'])
        self.assertEqual(second[0:2], ['{"last": true}', '{"keep_file": 0}'])
        self.assertEqual(first[2:], second[2:])
        self.ends(host)

    def test_limits(self):
        host = self.frozen()
        host.value("create", "quarry.resource/1", "frozen-limits", {})
        _, files, _ = self.fetch(host, {"base": self.server.url})
        self.assertGreater(len(files), 6000)
        refused = host.run("normalise", {"refused": True})[0]
        self.assertEqual((len(refused["message"]), len(refused["details"]["fields"])), (4096, 100))
        self.ends(host)

    def test_models_and_prices(self):
        host = self.frozen()
        chat = {**CHAT, "messages": [{"role": "user", "text": "zebra?"}]}
        expected = None
        for function, name in (("generate", "frozen-generate"), ("exchange", "frozen-exchange")):
            host.value("create", "quarry.model/1", name,
                       {"base_url": self.server.url, "api_key": "TOKEN"})
            calls, _ = self.step(host, function, chat)
            calls.pop("request", None)
            expected = expected or calls
            self.assertEqual(calls, expected)
            host.run("destroy")
        self.assertEqual(calls["finish"], [{"reason": "tool_calls"}])
        self.assertEqual(calls["usage"][-1], {"input": 1000, "output": 100, "reasoning": 20,
                                              "cache_read": 200, "cache_write": 100})
        host.value("create", "quarry.pricing/1", "frozen-prices", {})
        self.assertEqual(host.value("rates", "frozen-vendor", "frozen-1")["cacheRead"], "0.5")
        self.ends(host)

    def test_transport(self):
        host = self.start(self.built / "transport/transport.so")
        host.value("create", "quarry.transport/1", "frozen-lines", {"socket": f"{self.folder}/s"})
        host.run("value", "health", {"ok": True})
        self.assertEqual(host.value("start"), {"listening": [f"unix:{self.folder}/s"]})
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(TIMEOUT)
            client.connect(f"{self.folder}/s")
            client.sendall(b"call health {}\ncancel nothing {}\nevents q-1 1\nevents nothing 0\n")
            with client.makefile() as lines:
                said = [next(lines).strip() for _ in range(6)]
        self.assertEqual(said, [
            'value {"ok": true}', "failure 2 there is no method nothing",
            'event 2 text.delta {"type":"text.delta","delta":"frozen"}',
            'event 3 done {"type":"done","id":"q-1"}', "end",
            "failure 2 there is no such question"])
        told = host.run("stop", "0")
        self.assertIn({"engine": "cancel", "handle": 1}, told)
        self.ends(host)

    def test_folder(self):
        host = self.frozen()
        host.value("create", "quarry.resource/1", "frozen-folder", {})
        told = host.run("fetch", {"path": str(self.folder)}, {"id": "now"}, "")
        self.assertEqual(told[0], {"tree": "use_in_place", "path": str(self.folder)})
        self.ends(host)


class LaterKind(HostCase):
    def test_its_other_components_are_used(self):
        host = self.start(frozen_build.build_later(self.folder / "later") / "frozen.so")
        host.value("create", "quarry.pricing/1", "frozen-prices", {})
        self.ends(host)


class Refused(HostCase):
    """Plugins that the host must not load."""

    def refuse(self, include=frozen_build.INCLUDE, options=()):
        folder = frozen_build.build_plugin("transport", self.folder / "built", include, options)
        lines, code = self.start(folder / "transport.so").stop()
        self.assertEqual(code, 1, lines)
        return lines[-1]["refused"]

    def test_a_later_minor_is_needed(self):
        said = self.refuse(options=["-DQUARRY_MINIMUM_HOST_MINOR=1u"])
        self.assertEqual(said, "the plugin needs version 1.1 of the contract, this host offers 1.0")

    def test_another_major(self):
        include = frozen_build.include_with(self.folder / "include", QUARRY_ABI_MAJOR="2u")
        self.assertEqual(self.refuse(include), "the plugin is built for version 2.0 of the "
                                               "contract, this host offers 1.0")


if __name__ == "__main__":
    unittest.main()
