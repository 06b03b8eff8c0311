"""Hosts with the cloud interface, and callers with tokens."""

import contextlib
import http.client
import json
import re

import harness
from harness import BUILD, KEY, TIMEOUT, without_key

CONFIGURATION = """
local_roots = ["{root}"]
plugin_path = [{plugins}]
plugins.isolation."org.example.resource-fixture" = "none"
{model}
{more}
[store]
{store}
[transport.rest]
enabled = false
[transport.mcp]
enabled = true
listen = "{listen}:0"
{transport}
"""
EXTRACTIVE = 'model.provider = "extractive"'
PLAYED = """model.provider = "fixture"
model.name = "m1"
model.base_url = "{url}"
network.private_hosts = ["127.0.0.1"]
"""


class Host:
    """One host of the cloud interface, with its own home."""

    def __init__(self, home, model=EXTRACTIVE, store=None, more="", transport="", root=None,
                 listen="127.0.0.1", plugins=()):
        self.home = home
        home.environment["FIXTURE_KEY"] = KEY  # of the scripted model
        root = root or home.path
        store = store or f'file = "{home.path}/store.db"'
        home.write("quarry.toml", CONFIGURATION.format(
            root=root, plugins=", ".join(f'"{path}"' for path in (BUILD / "tests" / "fixtures", *plugins)),
            model=model, store=store, more=more,
            transport=transport, listen=listen))
        self.listen = listen
        self.process = None

    def start(self, env=None):
        self.process = self.home.start("serve", env=env or {})
        line = self.process.stdout.readline().decode()
        found = re.search(rf"http://{re.escape(self.listen)}:(\d+)", line)
        if not found:
            self.process.kill()
            raise AssertionError(f"no address in {line!r}: {self.process.stderr.read().decode()}")
        self.port = int(found.group(1))
        self.url = f"http://{self.listen}:{self.port}/api/mcp"
        return self

    def stop(self):
        """Shuts it down in order; returns (exit code, standard error)."""
        if self.process.poll() is None:
            self.process.terminate()
        _, errors = self.process.communicate(timeout=TIMEOUT)
        return self.process.returncode, without_key(errors.decode())

    def kill(self):
        self.process.kill()
        self.process.communicate()

    def manage(self, *arguments, env=None):
        """Runs a command as the owner; returns its JSON."""
        result = self.home.run(*arguments, "--json", env=env or {})
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    def project(self, name, *more, env=None):
        return self.manage("projects", "create", name, *more, env=env)

    def token(self, project, *more, rights="ask,list,add", env=None):
        """{"id", "token", …}"""
        return self.manage("tokens", "create", "--project", project, "--rights", rights, *more,
                           env=env)

    def post(self, token, message, headers=None, path="/api/mcp"):
        """(status, headers, body as JSON or None)"""
        return post(self.port, token, message, headers, path, self.listen)

    def call(self, token, name, arguments=None, **params):
        """The result of tools/call, in the interface's own form."""
        status, _, body = self.post(token, tool(name, arguments or {}, **params))
        assert status == 200, (status, body)
        return body["result"]

    def resources(self, token):
        """The names of all resources, page by page."""
        names, cursor = [], {}
        while True:
            _, _, body = self.post(token, {"jsonrpc": "2.0", "id": 1, "method": "resources/list",
                                           "params": cursor}, {"MCP-Protocol-Version": "2025-06-18"})
            names += [resource["name"] for resource in body["result"]["resources"]]
            if "nextCursor" not in body["result"]:
                return names
            cursor = {"cursor": body["result"]["nextCursor"]}

    @contextlib.contextmanager
    def stream(self, token, message):
        """An open event stream: (status, iterator of messages)."""
        connection = http.client.HTTPConnection(self.listen, self.port, timeout=TIMEOUT)
        with contextlib.closing(connection):
            connection.request("POST", "/api/mcp", json.dumps(message), {
                "Content-Type": "application/json", "Authorization": f"Bearer {token}",
                "Accept": "application/json, text/event-stream"})
            response = connection.getresponse()
            yield response.status, messages_of(response)


def tool(name, arguments, number=1, **params):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call",
            "params": {"name": name, "arguments": arguments, **params}}


def messages_of(response):
    for line in response:
        if line.startswith(b"data:"):
            yield json.loads(line[5:])


def post(port, token, message, headers=None, path="/api/mcp", address="127.0.0.1"):
    connection = http.client.HTTPConnection(address, port, timeout=TIMEOUT)
    with contextlib.closing(connection):
        all_headers = {"Content-Type": "application/json", **(headers or {})}
        if token:
            all_headers["Authorization"] = f"Bearer {token}"
        connection.request("POST", path, json.dumps(message), all_headers)
        response = connection.getresponse()
        text = without_key(response.read().decode())
        if response.getheader("Content-Type", "").startswith("text/event-stream"):
            events = [json.loads(line[5:]) for line in text.splitlines() if line.startswith("data:")]
            return response.status, response.headers, events[-1]
        return response.status, response.headers, json.loads(text) if text else None


def folder(home, name="docs"):
    """Creates a folder of this home; returns the arguments of addResource for it."""
    path = home.path / name
    path.mkdir(exist_ok=True)
    (path / "parser.md").write_text("# The parser\n\nThe parser reads tokens one at a time.\n")
    return {"type": "local", "name": name, "path": str(path)}


__all__ = ["EXTRACTIVE", "PLAYED", "Host", "folder", "harness", "post", "tool"]
