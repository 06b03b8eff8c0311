"""kill -9 at every moment of an upgrade in place: somebody serves, and no stream is cut."""

import json
import os
import shlex
import signal
import unittest.mock

from harness import BUILD, QUARRY, TIMEOUT, check_stream, patience, wait_until
from kill_harness import CHANGES, counted, counting, killing
from upgrade_harness import Upgrade, alive

# What others see of a start, besides changes of files.
STEPS = f"{CHANGES},sendto,listen,clone3,execve,dup2"


class Kill(Upgrade):
    """The program on the disk is a script, which runs Quarry under strace."""

    def setUp(self):
        super().setUp()
        place = self.home.path / "installed"
        (place / "bin").mkdir(parents=True)
        (place / "lib").symlink_to(BUILD / "lib")
        self.program = place / "bin/quarry"
        self.install()

    def install(self, strace=(), before=""):
        """Replaces the program on the disk by one that runs alone or under strace, after other commands."""
        script = self.program.with_name("new")
        start = f"exec strace -D -f -qqq {shlex.join(map(str, strace))}" if strace else 'exec -a "$0"'
        script.write_text(f"""#!/bin/bash\n{before}\n{start} {shlex.quote(str(QUARRY))} "$@"\n""")
        script.chmod(0o755)
        script.rename(self.program)

    def serve(self, *arguments):
        with unittest.mock.patch("harness.QUARRY", self.program):
            return super().serve(*arguments)

    def kinds(self):
        """The kinds of steps that a new process makes until it listens."""
        counts = self.home.path / "counts"
        self.install(counting(counts, STEPS))
        server = self.serve()
        self.end(self.upgrade(server.process.pid))
        wait_until(lambda: counts.exists() and counts.read_text(), "strace has counted")
        self.assertEqual(server.process.wait(TIMEOUT), 0)
        return counted(counts, STEPS)

    def upgrade_as_installed(self, process):
        result = self.home.run("upgrade-in-place", process, "--json", timeout=patience(180))
        return json.loads(result.stdout) if result.returncode == 0 else {"error": result.stderr}

    def test_the_new_process_is_killed_at_every_step_of_its_start(self):
        kills = 0
        for kind in self.kinds():
            self.install()
            self.model.released.clear()
            server = self.serve()
            begun, events = self.ask_slowly(server)
            number, answer = 0, {"error": ""}
            while "error" in answer:
                number += 1
                self.install(killing(kind, number))
                answer = self.upgrade_as_installed(server.process.pid)
                if "error" in answer:
                    kills += 1
                    self.assertIn("the new program was killed by signal 9 (Killed) before it listened", answer["error"])
                    self.assertEqual(server.request("GET", "/livez")[0], 200)
            self.model.release()
            check_stream(self, begun + [event for event in events if event.type])
            self.assertEqual(server.process.wait(TIMEOUT), 0)
            if alive(answer["process"]):
                os.kill(answer["process"], signal.SIGKILL)
        self.assertGreater(kills, 20)
        self.install()
        check_stream(self, self.serve().ask("How are dates parsed?", ["code"]))

    def test_the_old_process_is_killed_while_the_new_one_starts(self):
        server = self.serve()
        go, started = self.home.path / "go", self.home.path / "started"
        self.install(before=f"echo $$ >{started}; while [ ! -e {go} ]; do sleep 0.01; done")
        command = self.home.start("upgrade-in-place", str(server.process.pid))
        wait_until(lambda: started.exists() and started.read_text(), "the new process starts")
        self.addCleanup(self.end, int(started.read_text()))
        server.process.kill()
        _, errors = command.communicate(timeout=TIMEOUT)
        self.assertIn("ended without an answer", errors.decode())
        go.touch()
        self.assertEqual(server.request("GET", "/livez")[0], 200, "it has the sockets")
        self.model.release()
        check_stream(self, server.ask("How are dates parsed?", ["code"]))
