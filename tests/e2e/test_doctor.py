"""`quarry doctor` names the cause and the next step of what is planted here."""

import ctypes
import errno
import http.server
import json
import os
import re
import resource
import shutil
import socket
import sqlite3
import struct
import subprocess
import threading
import time
import unittest

from harness import BUILD, KEY, KEY_VARIABLE, QUARRY, TIMEOUT, TestCase
from played_model import PlayedModel

BASE = """
[model]
provider = "extractive"
[transport.rest]
listen = "127.0.0.1:0"
"""


OPENAI = """
[model]
provider = "openai"
name = "model-of-nobody"
base_url = "{url}/v1"
api_key = {{ env = "{key}" }}
{more}
[network]
private_hosts = ["127.0.0.1"]
[transport.rest]
listen = "127.0.0.1:0"
"""


def deny_landlock():
    """This process and its children see a kernel without Landlock: a filter of its first system call."""
    libc = ctypes.CDLL(None, use_errno=True)
    allow, refuse = (0x06, 0, 0, 0x7FFF0000), (0x06, 0, 0, 0x00050000 | errno.EOPNOTSUPP)
    steps = ((0x20, 0, 0, 0), (0x15, 0, 1, 444), refuse, allow)  # load the number; landlock_create_ruleset?
    code = b"".join(struct.pack("HBBI", *step) for step in steps)
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(buffer := ctypes.create_string_buffer(code)))
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program):  # no new privileges; a filter
        raise OSError(ctypes.get_errno(), "no seccomp filter")
    del buffer


class DoctorCase(TestCase):
    def setUp(self):
        super().setUp()
        self.configure()

    def configure(self, more="", base=BASE, trust=True):
        return self.home.write("quarry.toml", base + more, trust=trust)

    def findings(self, **given):
        result = self.home.run("doctor", "--json", **given)
        report = json.loads(result.stdout)
        self.assertEqual(result.returncode, 1 if report["findings"] else 0, report)
        for finding in report["findings"]:
            self.assertTrue(finding["cause"] and finding["next"], finding)
        return report["findings"]

    def finds(self, check, cause, severity="fault", step="", **given):
        """The planted finding, among those of this machine."""
        found = self.findings(**given)
        for finding in found:
            if finding["check"] == check and cause in finding["cause"]:
                self.assertEqual(finding["severity"], severity, finding)
                self.assertIn(step, finding["next"])
                return finding
        self.fail(f"nothing about {cause!r} by {check}: {found}")

    def finds_none(self, check, **given):
        self.assertEqual([found for found in self.findings(**given) if found["check"] == check], [])


class Planted(DoctorCase):
    def test_a_right_installation_has_none_of_them(self):
        for check in ("clock", "cache", "state", "addresses", "processes", "names", "proxies", "configuration and plugins",
                      "start", "models"):
            self.finds_none(check)
        text = self.home.run("doctor")
        self.assertRegex(text.stdout, r"\d+ checks, (nothing is wrong|\d+ found something)\n$")

    def test_key_missing(self):
        self.configure(base=BASE.replace('"extractive"', '"openai"'))
        del self.home.environment[KEY_VARIABLE]
        self.finds("models", "is not set", step="api_key")

    def test_key_refused(self):
        self.configure(base=self.openai(401, b'{"error":{"message":"Incorrect API key provided"}}'))
        found = self.finds("models", "openai", step="key")
        self.assertNotIn(KEY, json.dumps(found))

    def test_a_fault_that_is_not_known_says_what_to_send(self):
        self.configure(base=self.openai(418, b"short and stout"))
        self.finds("models", "418", step="quarry doctor --json")

    def openai(self, status, body):
        """The configuration of a server of models that answers everything with this."""
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return OPENAI.format(url=f"http://127.0.0.1:{server.server_port}", key=KEY_VARIABLE, more="")

    def test_model_server_not_running(self):
        self.configure(base=BASE.replace('"extractive"', '"ollama"\nbase_url = "http://127.0.0.1:1"'))
        self.finds("models", "connection refused", step="Start the server")

    def test_price_unknown_where_money_is_limited(self):
        model = PlayedModel(lambda number: ["answer"])
        self.addCleanup(model.stop)
        self.configure(base=OPENAI.format(url=model.url, key=KEY_VARIABLE, more="max_cost_usd = 1"))
        self.finds("models", "model-of-nobody", step="pricing.static")

    def test_model_without_tools(self):
        listed = {"data": [{"id": "model-of-nobody", "supported_parameters": ["seed"]}]}
        self.configure(base=self.openai(200, json.dumps(listed).encode()))
        self.finds("models", "openai/model-of-nobody cannot call tools", step="quarry models")

    def test_clock(self):
        self.findings()
        state = self.home.path / "state/quarry"
        later = time.time() + 3600
        os.utime(next(state.iterdir()), (later, later))
        self.finds("clock", str(state), step="timedatectl")

    def test_proxy(self):
        self.finds("proxies", "https_proxy at 127.0.0.1:1", env={"https_proxy": "http://127.0.0.1:1"})

    def test_name_without_address(self):
        self.configure('[[resource]]\ntype = "git"\nname = "kit"\nurl = "https://git.invalid/kit"\n')
        self.finds("names", "git.invalid", step="/etc/resolv.conf")

    def test_program_missing(self):
        self.configure('[[resource]]\ntype = "git"\nname = "kit"\nurl = "https://127.0.0.1/kit"\n')
        self.finds("programs", "need the program git", step="Install", env={"PATH": str(self.home.path)})

    def test_program_too_old(self):
        self.configure('[[resource]]\ntype = "git"\nname = "kit"\nurl = "https://127.0.0.1/kit"\n')
        self.finds_none("programs")
        old = self.home.write("bin/git", "#!/bin/sh\necho git version 2.30.2\n")
        old.chmod(0o755)
        self.finds("programs", "git 2.30.2 is too old", step="git 2.31", env={"PATH": f"{old.parent}:{os.environ['PATH']}"})

    def test_authorities(self):
        self.finds("authorities", "SSL_CERT_FILE", step="ca-certificates", env={"SSL_CERT_FILE": "/dev/null"})

    def test_port_taken(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            self.configure(base=BASE.replace("127.0.0.1:0", f"127.0.0.1:{port}"))
            self.finds("addresses", f"another program uses 127.0.0.1:{port}", step="transport.rest.listen")

    def test_the_server_itself_takes_no_port(self):
        server = self.serve()
        self.configure(base=BASE.replace("127.0.0.1:0", server.url.removeprefix("http://")))
        self.finds_none("addresses")

    def test_cache_that_cannot_be_written(self):
        self.finds("cache", "cannot be written", step="QUARRY_CACHE_DIR", env={"QUARRY_CACHE_DIR": "/proc/quarry"})

    def test_state_that_cannot_be_written(self):
        self.finds("state", "cannot be written", step="QUARRY_STATE_DIR", env={"QUARRY_STATE_DIR": "/proc/quarry"})

    @unittest.skipIf(os.geteuid() != 0, "only root can give a directory away")
    def test_cache_of_another_user(self):
        cache = self.home.path / "cache/quarry"
        cache.mkdir(parents=True)
        os.chown(cache, 65534, 65534)
        self.finds("cache", "belongs to another user (uid 65534")

    @unittest.skipIf(os.geteuid() != 0, "only root can mount")
    def test_disk_full(self):
        disk = self.home.path / "disk"
        disk.mkdir()
        command = f"mount -t tmpfs -o size=8m none {disk} && exec {QUARRY} doctor --json"
        result = subprocess.run(["unshare", "-m", "sh", "-c", command], cwd=self.home.project, capture_output=True,
                                text=True, timeout=TIMEOUT,
                                env={**self.home.environment, "QUARRY_CACHE_DIR": str(disk / "quarry")})
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stdout, r"has \d\.\d MiB left")

    def test_cache_that_may_grow_beyond_the_disk(self):
        self.configure('[cache]\nmax_size = "100000TiB"\n')
        self.finds("cache", "may be used", severity="warning", step="cache.max_size")

    def test_descriptors(self):
        limit = (512, 512)
        self.finds("descriptors", "512 files", severity="warning", step="LimitNOFILE",
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limit))

    @unittest.skipIf(subprocess.run(["unshare", "-Ur", "true"], capture_output=True).returncode != 0,
                     "this machine permits no user namespace")
    def test_watches(self):
        command = f"echo 10 > /proc/sys/user/max_inotify_watches && exec {QUARRY} doctor --json"
        result = subprocess.run(["unshare", "-Ur", "sh", "-c", command], cwd=self.home.project, capture_output=True,
                                text=True, timeout=TIMEOUT, env=self.home.environment)
        self.assertIn("10 directories can be watched", result.stdout, result.stderr)
        self.assertIn("max_user_watches", result.stdout)

    def test_memory(self):
        if any(name in os.environ for name in ("ASAN_OPTIONS", "TSAN_OPTIONS")):
            self.skipTest("a sanitizer reserves more")
        limit = (4 << 30, 4 << 30)
        self.finds("memory", "may map 4096 MiB", severity="warning", step="ulimit -v",
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))

    def test_kernel_without_landlock(self):
        self.finds("sandbox", "no Landlock", severity="warning", step="/sys/kernel/security/lsm", preexec_fn=deny_landlock)

    def test_locale(self):
        self.finds("locale", '"xx_YY.UTF-8" is not installed', severity="warning", step="LC_ALL=C.UTF-8",
                   env={"LC_ALL": "xx_YY.UTF-8"})
        self.finds("locale", "not UTF-8", severity="warning", env={"LC_ALL": "C"})

    def test_configuration_without_trust(self):
        self.configure('[plugins]\ndisabled = ["io.quarry.resource-git"]\n', trust=False)
        self.finds("configuration and plugins", "quarry.toml", step="quarry trust")

    def test_mistake_in_the_configuration(self):
        self.configure("[server]\nmax_questions = 0\n", trust=False)
        self.home.run("trust", "--yes", self.home.project / "quarry.toml")
        self.finds("configuration and plugins", "max_questions")

    def test_plugin_refused(self):
        broken = self.home.path / "plugins/broken"
        broken.mkdir(parents=True)
        (broken / "plugin.toml").write_text('format = 1\nid = "org.example.broken"\n')
        self.configure(base=f'plugin_path = ["{broken.parent}"]\n' + BASE)
        self.finds("configuration and plugins", "broken/plugin.toml")

    def test_plugin_quarantined(self):
        fixture = BUILD / "tests/fixtures/resource-fixture"
        [digest] = re.findall(r'^sha256 = "(.*)"$', (fixture / "plugin.toml").read_text(), re.M)
        self.home.write("../state/quarry/quarantined-plugins", digest + "\n")
        self.configure(base=f'plugin_path = ["{fixture.parent}"]\n' + BASE)
        self.finds("configuration and plugins", "crashed 3 times", step="quarry plugins release org.example.resource-fixture")

    def test_a_plugin_directory_that_is_wrong_is_named_once(self):
        self.configure(base=f'plugin_path = ["{BUILD}/tests/fixtures/resource-fixture"]\n' + BASE)
        self.assertEqual(len([one for one in self.findings() if "that of one plugin" in one["cause"]]), 1)

    def test_store_unreachable(self):
        self.configure('[store]\nprovider = "sqlite"\nfile = "/proc/quarry.db"\n')
        self.finds("store", "/proc/quarry.db")

    def test_store_of_a_later_version(self):
        store = self.home.path / "store.db"
        self.configure(f'[store]\nprovider = "sqlite"\nfile = "{store}"\n')
        self.home.run("projects", "create", "docs")
        with sqlite3.connect(store) as database:
            database.execute("UPDATE quarry_schema SET version = 1000")
        database.close()
        self.finds("store", "knows schemas up to")

    def test_program_that_was_replaced(self):
        installed = self.home.path / "installed"
        shutil.copytree(QUARRY.parent.parent / "bin", installed / "bin")
        os.symlink(QUARRY.parent.parent / "lib", installed / "lib")
        program = installed / "bin/quarry"
        process = subprocess.Popen([program, "serve"], cwd=self.home.project, env=self.home.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            process.stdout.readline()
            program.unlink()
            self.finds("processes", f"process {process.pid} runs", severity="warning", step=f"kill {process.pid}")
        finally:
            process.terminate()
            process.communicate(timeout=TIMEOUT)


if __name__ == "__main__":
    unittest.main()
