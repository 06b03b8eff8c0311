"""Secrets of plugins: each plugin reads the secrets of its own configuration, and those of the
resource of the running call, and no other; by every service that takes a secret, in the host's
process and isolated, in a call and in the plugin's own jobs."""

import http.server
import json
import shutil
import threading
import unittest

from harness import BUILD, TestCase

FIXTURES = BUILD / "tests/secrets-fixtures"
PLUGINS = ("secrets-a", "secrets-b", "secrets-none")
DENIED = "3"  # QUARRY_PERMISSION_DENIED
SERVICES = ("secrets", "http", "http_all")


class Server(http.server.ThreadingHTTPServer):
    """Answers every request, and keeps (path, authorization)."""

    def __init__(self):
        self.seen = []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                server.seen.append((self.path, self.headers["Authorization"]))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def stop(self):
        self.shutdown()
        self.server_close()


class Secrets(TestCase):
    """Two resources of each plugin; each resource and each plugin's table has a token."""

    def setUp(self):
        super().setUp()
        self.server = Server()
        self.addCleanup(self.server.stop)
        self.values = {}
        for plugin in PLUGINS:
            for name in (f"resource_type.{plugin}", f"resource.{plugin}-1", f"resource.{plugin}-2"):
                variable = "T_" + name.translate(str.maketrans(".-", "__")).upper()
                self.values[f"{name}.token"] = f"value-of-{name}"
                self.home.environment[variable] = f"value-of-{name}"

    def configure(self, isolation, more=None):
        """`more`: TOML of a resource's table, by its name."""
        text = (f'plugin_path = ["{FIXTURES}"]\n[network]\nprivate_hosts = ["127.0.0.1"]\n'
                '[plugins.isolation]\n')
        text += "".join(f'"org.example.{plugin}" = "{isolation}"\n' for plugin in PLUGINS)
        for name in self.values:
            table, _, rest = name.removesuffix(".token").partition(".")
            variable = "T_" + f"{table}.{rest}".translate(str.maketrans(".-", "__")).upper()
            if table == "resource_type":
                text += f'[resource_type.{rest}]\ntoken = {{ env = "{variable}" }}\n'
            else:
                text += (f'[[resource]]\ntype = "{rest[:-2]}"\nname = "{rest}"\n'
                         f'server = "{self.server.url}"\nnames = {json.dumps(list(self.values))}\n'
                         f'token = {{ env = "{variable}" }}\n{(more or {}).get(rest, "")}')
        self.home.write("quarry.toml", text)

    def attempts(self, plugin, resource):
        """{(where, service, name): what the plugin got}"""
        [report] = (self.home.path / "data").rglob(f"org.example.{plugin}/{resource}")
        lines = report.read_text().splitlines()
        report.unlink()
        return {tuple(line.split(" ", 3)[:3]): line.split(" ", 3)[3] for line in lines}

    def ask(self, *resources):
        arguments = [word for resource in resources for word in ("-r", resource)]
        result = self.home.run("ask", *arguments, "Where is the zebra?")
        self.assertEqual(result.returncode, 0, result.stderr)
        shutil.rmtree(self.home.path / "cache")  # the next question fetches again

    def readable(self, plugin, resource, where, isolation):
        """Names of the secrets that the plugin may read."""
        if plugin == "secrets-none" or (where == "job" and isolation == "process"):
            return set()
        table = {f"resource_type.{plugin}.token"}
        return table if where == "job" else table | {f"resource.{resource}.token"}

    def test_each_plugin_reads_its_own_alone(self):
        for isolation in ("process", "none"):
            self.configure(isolation)
            for number in (1, 2):
                self.ask(*(f"{plugin}-{number}" for plugin in PLUGINS))
                for plugin in PLUGINS:
                    with self.subTest(isolation=isolation, plugin=plugin, number=number):
                        self.check(plugin, f"{plugin}-{number}", isolation)

    def check(self, plugin, resource, isolation):
        got = self.attempts(plugin, resource)
        for where in ("call", "part", "job"):
            readable = self.readable(plugin, resource, where, isolation)
            for name, value in self.values.items():
                for service in SERVICES:
                    expected = value if service == "secrets" else "http200"
                    outcome = got[where, service, name]
                    if name in readable:
                        self.assertEqual(outcome, expected, (where, service, name))
                    elif where != "job" or isolation == "none":
                        self.assertEqual(outcome, DENIED, (where, service, name))
                    else:
                        self.assertRegex(outcome, r"^\d+$", (where, service, name))
            self.no_secret_in(got[where, "process", "all"])
            self.assertIn("PATH=", got["call", "process", "all"])
        if isolation == "process":
            self.no_secret_in(got["none", "environment", "all"])
        self.assertEqual(self.sent(plugin), {
            (where, f"Bearer {self.values[name]}") for where in ("call", "part", "job")
            for name in self.readable(plugin, resource, where, isolation)})

    def sent(self, plugin):
        """(where, authorization) of the requests of a plugin, which are forgotten."""
        path = f"/{plugin}/"
        sent = {(seen[0].removeprefix(path), seen[1]) for seen in self.server.seen
                if seen[0].startswith(path)}
        self.server.seen = [seen for seen in self.server.seen if not seen[0].startswith(path)]
        return sent

    def no_secret_in(self, text):
        self.assertNotIn("value-of-", text)

    def test_a_plugin_that_writes_another_secret_into_its_resource_does_not_get_it(self):
        other = "resource.secrets-b-1.token"
        for isolation in ("process", "none"):
            self.configure(isolation, {"secrets-a-1": f'take = "{other}"\n'})
            for resource in ("secrets-a-1", f"secrets-a:{self.server.url} {other}"):
                with self.subTest(isolation=isolation, resource=resource):
                    self.home.run("ask", "-r", resource, "Where is the zebra?")
                    shutil.rmtree(self.home.path / "cache")
                    for report in (self.home.path / "data").rglob("org.example.secrets-a/*"):
                        text = report.read_text()
                        report.unlink()
                        self.assertNotIn(f"{other} {self.values[other]}", text)
                    self.assertNotIn(f"Bearer {self.values[other]}",
                                     [authorization for _, authorization in self.server.seen])


if __name__ == "__main__":
    unittest.main()
