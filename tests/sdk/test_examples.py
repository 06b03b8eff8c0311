"""The plugins of examples/, built with the installed SDK alone (QUARRY_EXAMPLES names the folder of
their builds), used through the real program."""

import functools
import http.server
import json
import os
import pathlib
import socket
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(os.environ["QUARRY_SOURCE_DIR"]) / "tests" / "e2e"))

from harness import BUILD, KEY, TIMEOUT, TestCase  # noqa: E402
from played_model import PlayedModel  # noqa: E402

BUILDS = pathlib.Path(os.environ["QUARRY_EXAMPLES"]).resolve()
LOCAL = '[network]\nprivate_hosts = ["127.0.0.1"]\n'


def plugins(*names, more=()):
    paths = [str(BUILDS / name / "lib/quarry/plugins") for name in names] + [*map(str, more)]
    return f"plugin_path = {json.dumps(paths)}\n"


class Site(http.server.ThreadingHTTPServer):
    """A folder served over HTTP, and the requests for it as (method, path, status)."""

    def __init__(self, folder):
        self.seen = []
        site = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_request(self, code="-", size="-"):
                site.seen.append((self.command, self.path, int(code)))

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def stop(self):
        self.shutdown()
        self.server_close()


class ExampleCase(TestCase):
    def site(self, **files):
        folder = self.home.path / "site"
        folder.mkdir()
        for name, text in files.items():
            (folder / name.replace("_", ".")).write_text(text)
        site = Site(str(folder))
        self.addCleanup(site.stop)
        return site

    def ask(self, question, *arguments, **more):
        result = self.home.run("ask", *arguments, question, **more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def done(self, question, *arguments, **more):
        """The last event, which has the answer's text."""
        return json.loads(self.ask(question, "--json", *arguments, **more).splitlines()[-1])


class Notes(ExampleCase):
    def test_a_note_is_cited(self):
        for name, kind, fields in (
                ("resource-notes-cpp", "notes", 'notes = ["The zebra ships on Friday.", "Rest."]'),
                ("resource-note-c", "note", 'text = "The zebra ships on Friday."'),
                ("resource-note-rust", "note", 'text = "The zebra ships on \\"Friday\\" \\u00fc."')):
            with self.subTest(name):
                self.home.write("quarry.toml", plugins(name) + "[[resource]]\n"
                                f'type = "{kind}"\nname = "mine"\n{fields}\n')
                self.assertRegex(self.ask("When does the zebra ship?"), r"mine:note(-1)?\.md#L1")


class WebDocs(ExampleCase):
    def configure(self, site, more=LOCAL):
        self.home.write("quarry.toml", plugins("resource-webdocs-cpp") + more + "[[resource]]\n"
                        f'type = "webdocs"\nname = "site"\nurl = "{site.url}/"\n')

    def test_pages_are_cited_and_sent_once(self):
        site = self.site(llms_txt="# Zoo\n- [Care](care.html)\n- [Hours](hours.md)\n",
                         care_html="<title>Care</title><h1>Care</h1><p>The zebra eats hay &amp; "
                                   "grass.<script>zebra()</script>",
                         hours_md="# Hours\n\nOpen until noon.\n")
        self.configure(site)
        said = self.ask("What does the zebra eat?", "--json")
        done = json.loads(said.splitlines()[-1])
        self.assertIn("The zebra eats hay & grass.", done["text"])
        self.assertIn("[site:care.md#L", done["text"])
        self.assertIn(f"{site.url}/care.html", said)
        site.seen.clear()
        self.assertIn("noon", self.ask("Until when is it open?", "--sync"))
        sent = {seen for seen in site.seen if seen[0] == "GET" and seen[2] == 200}
        self.assertEqual(sent, {("GET", "/llms.txt", 200)}, "the list of pages alone")

    def test_a_private_host_needs_permission(self):
        site = self.site(llms_txt="- [A](a.md)", a_md="# A\n")
        self.configure(site, more="")
        result = self.home.run("ask", "What is A?")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("private_hosts", result.stderr)
        self.assertEqual(site.seen, [])


class Prices(ExampleCase):
    def test_a_question_costs_what_the_table_says(self):
        site = self.site(prices_json=json.dumps({
            "name": "Contract", "date": "2026-11-01",
            "models": {"contract/tiny": {"input": "1", "output": "2"}}}))
        self.home.environment["FIXTURE_KEY"] = KEY
        model = PlayedModel(lambda number: ["On Friday."])
        self.addCleanup(model.stop)
        self.home.write("notes/ship.md", "The zebra ships on Friday.\n")
        self.home.write("quarry.toml", plugins("pricing-table-cpp", more=[BUILD / "tests/fixtures"]) + LOCAL + f"""
[model]
provider = "fixture"
name = "tiny"
vendor = "contract"
base_url = "{model.url}"
max_cost_usd = 1

[pricing.table]
url = "{site.url}/prices.json"

[pricing.models-dev]
enabled = false
""")
        for _ in range(2):  # the second time from the plugin's cache
            pricing = self.done("When does the zebra ship?", "-r", "./notes",
                                env={"QUARRY_PRICING_REFRESH": "true"})["metrics"]["pricing"]
            self.assertIn("Contract", json.dumps(pricing))
            self.assertIn("2026-11-01", json.dumps(pricing))
            self.assertAlmostEqual(pricing["costUsd"]["total"], (1000 * 1 + 10 * 2) / 1e6)
        self.assertEqual(site.seen, [("GET", "/prices.json", 200)])


class Lines(ExampleCase):
    def setUp(self):
        super().setUp()
        self.path = self.home.path / "socket"
        self.home.write("notes/ship.md", "The zebra ships on Friday.\n")
        self.home.write("quarry.toml", plugins("transport-lines-cpp") + f"""
[plugins.isolation]
"org.example.lines-transport" = "none"

[transport.lines]
enabled = true
socket = "{self.path}"

[[resource]]
type = "local"
name = "notes"
path = "{self.home.project}/notes"
""")
        self.server = self.home.start("serve", "--listen", "127.0.0.1:0")
        self.addCleanup(self.server.communicate)
        self.addCleanup(self.server.terminate)
        # The socket exists a moment before connections are accepted.
        line = self.server.stdout.readline().decode()
        self.assertEqual(line, f"Quarry listens on unix:{self.path}\n")
        self.client = socket.socket(socket.AF_UNIX)
        self.addCleanup(self.client.close)
        self.client.settimeout(TIMEOUT)
        self.client.connect(str(self.path))
        self.lines = self.client.makefile("r")
        self.addCleanup(self.lines.close)

    def send(self, **request):
        self.client.sendall(json.dumps(request).encode() + b"\n")

    def receive(self):
        return json.loads(self.lines.readline())

    def test_questions_are_answered_line_by_line(self):
        self.assertEqual(self.path.stat().st_mode & 0o777, 0o600)
        self.send(id=1, method="question.ask", params={"question": "When does the zebra ship?"})
        self.send(id="x", method="health")
        said = [self.receive()]
        while said[-1]["id"] != 1 or "event" in said[-1]:
            said.append(self.receive())
        self.assertTrue(next(line for line in said if line["id"] == "x")["result"]["ok"])
        events = [line["event"] for line in said if "event" in line]
        self.assertEqual([event["number"] for event in events], list(range(1, len(events) + 1)))
        self.assertIn("meta", [event["type"] for event in events])
        self.assertEqual(events[-1]["type"], "done")
        self.assertIn("Friday", events[-1]["data"]["text"])

    def test_mistakes_get_an_error(self):
        for request, fault in (({"method": "nothing"}, "nothing"),
                               ({"method": "question.ask", "params": {"question": 1}}, "question")):
            self.send(id=1, **request)
            self.assertIn(fault, self.receive()["error"]["message"])
        self.client.sendall(b'{"id":2,"method":"question.ask","params":{"question":}}\n')
        self.assertEqual(self.receive()["error"]["status"], 1)

    def test_the_socket_is_gone_after_a_stop(self):
        self.send(id=1, method="health")
        self.assertTrue(self.receive()["result"]["ok"])  # the connection is accepted
        self.server.terminate()
        self.assertEqual(self.lines.readline(), "")
        self.assertEqual(self.server.wait(TIMEOUT), 0)
        self.assertFalse(self.path.exists())


if __name__ == "__main__":
    unittest.main()
