"""What "config check" says is what a start or a question says: configurations with each kind of mistake."""

import unittest

from harness import Home, Server
from wrong_configurations import RIGHT, WRONG

EACH = 5  # one of so many here; all in the part slow


class ConfigCheck(unittest.TestCase):
    wrong, right = WRONG[::EACH], RIGHT[:2]

    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.remove)

    def given(self, text):
        self.home.write("quarry-under-test.toml", text + "\n")
        return ["-c", "quarry-under-test.toml"]

    def test_a_mistake_is_said_before_it_stops_anything(self):
        for name, text, words, who in self.wrong:
            with self.subTest(name):
                options = self.given(text)
                check = self.home.run("config", "check", *options)
                self.assertEqual(check.returncode, 3, check.stdout)
                self.assertIn(words, check.stderr)
                self.assertIn("quarry-under-test.toml:", check.stderr)
                self.assertEqual(check.stderr.count(words), 1, check.stderr)
                if who == "log":
                    _, log = Server(self.home, *options).stop()
                    self.assertIn(words.replace('"', '\\"'), log)
                if who in ("start", "serve"):
                    serve = self.home.run("serve", *options)
                    self.assertEqual((serve.returncode, serve.stderr), (3, check.stderr))
                if who in ("start", "ask"):
                    ask = self.home.run("ask", *options, "How?")
                    self.assertNotEqual(ask.returncode, 0)
                    self.assertIn(words, ask.stderr)

    def test_the_cause_of_a_failed_start_is_said_before_other_mistakes(self):
        other = Server(self.home)
        self.addCleanup(other.stop)
        options = self.given(f'[transport.rset]\n[transport.rest]\nlisten = "127.0.0.1:{other.port}"')
        result = self.home.run("serve", *options)
        self.assertEqual(result.returncode, 3)
        first, *others = result.stderr.splitlines()
        self.assertIn(f"127.0.0.1:{other.port}", first)
        self.assertIn('did you mean "rest"', "".join(others))

    def test_a_value_is_set_only_if_it_is_right(self):
        file = self.home.write("c.toml", '# mine\n[log]\nlevel = "info"\n')
        for key, value, words in (("transport.rest.listen", "127.0.0.1", "not an address"),
                                  ("modle.provider", "x", 'did you mean "model"'), ("log.level", "loud", "must be one of"),
                                  ("resource.x.url", "y", "is of a resource")):
            refused = self.home.run("config", "set", key, value, "-c", file)
            self.assertIn(refused.returncode, (2, 3), refused.stderr)
            self.assertIn(words, refused.stderr)
        self.assertEqual(file.read_text(), '# mine\n[log]\nlevel = "info"\n')
        for key, value in (("transport.rest.listen", "localhost:0"), ("log.level", "debug")):
            done = self.home.run("config", "set", key, value, "-c", file)
            self.assertEqual((done.returncode, done.stdout), (0, f"set {key} in {file}\n"), done.stderr)
        self.assertEqual(file.read_text(), '# mine\n[log]\nlevel = "debug"\n\n[transport.rest]\nlisten = "localhost:0"\n')

    def test_what_is_right_starts(self):
        for name, text in self.right:
            with self.subTest(name):
                options = self.given(text)
                check = self.home.run("config", "check", *options)
                self.assertEqual((check.returncode, check.stderr), (0, ""))
                self.assertEqual(Server(self.home, *options).stop()[0], 0)


if __name__ == "__main__":
    unittest.main()
