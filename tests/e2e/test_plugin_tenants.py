"""Callers with tokens whose resources crash an isolated plugin, beside callers of another project."""

import shutil
import unittest

from cloud_harness import Host
from harness import BUILD, TestCase, runners

CRASHES = 4


class CrashesOfAProject(TestCase):
    def setUp(self):
        super().setUp()
        plugins = self.home.path / "plugins"
        shutil.copytree(BUILD / "tests/plugins/faulty", plugins / "faulty")
        self.host = Host(self.home, plugins=(plugins,)).start()
        self.addCleanup(self.host.kill)

    def caller(self, project):
        self.host.project(project)
        return self.host.token(project)["token"]

    def add(self, token, name, **fields):
        added = self.host.call(token, "addResource", {"type": "faulty", "name": name, **fields})
        self.assertFalse(added.get("isError"), added)

    def ask(self, token, name):
        """(failed, text)"""
        result = self.host.call(token, "ask", {"question": "What is the Hello?", "resources": [name]})
        return result.get("isError", False), result["content"][0]["text"]

    def test_cost_its_own_questions_alone(self):
        one, two = self.caller("one"), self.caller("two")
        for token in (one, two):
            self.add(token, "good", do="nothing")
        for number in range(CRASHES):
            self.add(one, f"bad{number}", do="fetch:segv", files=number)
        self.assertFalse(self.ask(two, "good")[0])
        before = runners(self.host.process.pid)
        for number in range(CRASHES):
            failed, text = self.ask(one, f"bad{number}")
            self.assertTrue(failed, text)
            self.assertIn("was killed by signal 11", text)
            self.add(two, f"good{number}", do="nothing", files=number + 2)
            failed, text = self.ask(two, f"good{number}")
            self.assertFalse(failed, text)
        # The process of the other project, and the owner's, have not ended.
        self.assertEqual(len(before), len(set(before) & set(runners(self.host.process.pid))) + 1, before)
        self.assertFalse(self.ask(one, "good")[0])


if __name__ == "__main__":
    unittest.main()
