"""The local interface over TLS: the page's routes, streams, the command line, and a certificate that is renewed."""

import http.client
import json
import re
import ssl
import subprocess

from git_server import make_certificate
from harness import TIMEOUT, TestCase, parse_events, wait_until
from test_serve import LOCAL, tree


class Tls(TestCase):
    def setUp(self):
        super().setUp()
        self.folder = self.home.path / "tls"
        self.folder.mkdir()
        make_certificate(self.folder)
        self.home.write("quarry.toml", LOCAL.format("code", tree(self.home)) + f"""
[transport.rest]
listen = "127.0.0.1:0"
tls = {{ certificate = "{self.folder}/cert.pem", key = "{self.folder}/key.pem" }}
""")
        self.process = self.home.start("serve")
        self.addCleanup(self.process.communicate)
        self.addCleanup(self.process.terminate)
        line = self.process.stdout.readline().decode()
        self.port = int(re.search(r"https://127\.0\.0\.1:(\d+)", line)[1])

    def connect(self):
        """A connection that trusts the certificate there is now."""
        trust = ssl.create_default_context(cafile=str(self.folder / "cert.pem"))
        connection = http.client.HTTPSConnection("localhost", self.port, timeout=TIMEOUT, context=trust)
        self.addCleanup(connection.close)
        return connection

    def test_a_question_is_streamed(self):
        connection = self.connect()
        body = json.dumps({"question": "How is an ISO date parsed?", "resources": ["code"]})
        connection.request("POST", "/question/stream", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200)
        events = list(parse_events(answer))
        self.assertEqual(events[-1].type, "done")
        self.assertIn("parse_date", events[-1].data["text"])

    def test_the_command_line_asks_a_server_whose_certificate_it_trusts(self):
        question = ("ask", "-s", f"https://localhost:{self.port}", "How is an ISO date parsed?", "-r", "code")
        refused = self.home.run(*question)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("certificate", refused.stderr)
        told = self.home.run(*question, env={"SSL_CERT_FILE": str(self.folder / "cert.pem")})
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("parse_date", told.stdout)

    def test_a_client_that_speaks_plainly_gets_nothing(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        self.addCleanup(connection.close)
        with self.assertRaises((http.client.HTTPException, ConnectionError)):
            connection.request("GET", "/livez")
            connection.getresponse()

    def test_a_renewed_certificate_is_used_without_a_restart(self):
        old = ssl.get_server_certificate(("127.0.0.1", self.port))
        make_certificate(self.folder)
        wait_until(lambda: ssl.get_server_certificate(("127.0.0.1", self.port)) != old, "the new one is used")
        connection = self.connect()
        connection.request("GET", "/livez")
        self.assertEqual(connection.getresponse().status, 200)

    def test_an_upgrade_in_place_keeps_the_socket(self):
        result = self.home.run("upgrade-in-place", self.process.pid, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        process = json.loads(result.stdout)["process"]
        self.addCleanup(subprocess.run, ["kill", str(process)], check=False)
        connection = self.connect()
        connection.request("GET", "/livez")
        self.assertEqual(connection.getresponse().status, 200)
