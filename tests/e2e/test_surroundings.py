"""Every verb in odd surroundings: a working directory that was removed, homes that cannot be used, a
locale that does not exist, closed standard streams.

References: anthropics/claude-code#73428, anthropics/claude-code#3908, openclaw/openclaw#73676,
nodejs/node#1184, sifiveinc/wake#344 (the directory), rust-lang/rust#57728, att/ast#1125,
circus-tent/circus#417 (the streams)."""

import concurrent.futures
import os
import shlex
import subprocess
import unittest

from harness import QUARRY, TIMEOUT, Home, Server

GONE = "the working directory does not exist any more"

# A command line of each verb, with absolute paths: {config}, {folder}, {missing}.
VERBS = {
    "serve": "serve -c {missing}.toml",
    "ask": "ask -c {config} -r docs zebra?",
    "chat": "chat -c {config}",
    "add": "add -c {config} {folder} --name other",
    "remove": "remove -c {config} docs",
    "resources": "resources -c {config}",
    "search": "search -c {config} zebra",
    "grep": "grep -c {config} zebra",
    "symbols": "symbols -c {config} zebra",
    "list": "list -c {config}",
    "read": "read -c {config} docs/a.md",
    "sync": "sync -c {config}",
    "lock": "lock -c {config}",
    "clear": "clear -c {config}",
    "models": "models -c {config}",
    "usage": "usage -c {config}",
    "threads": "threads -c {config} list",
    "projects": "projects -c {config} list",
    "tokens": "tokens -c {config} list",
    "store": "store -c {config} migrate --dry-run",
    "backup": "backup -c {config} {folder}/a.md/no",
    "restore": "restore -c {config} {missing}",
    "mcp": "mcp -c {config}",
    "plugins": "plugins -c {config} list",
    "trust": "trust {missing}/quarry.toml",
    "config": "config -c {config} check",
    "doctor": "doctor -c {config}",
    "top": "top --once --server http://127.0.0.1:1",
    "upgrade-in-place": "upgrade-in-place -c {config} 1",
    "completion": "completion bash",
    "version": "version",
}


class Surroundings(unittest.TestCase):
    def setUp(self):
        self.homes = []
        self.addCleanup(lambda: [home.remove() for home in self.homes])

    def run_verb(self, verb, prepare="", redirect="</dev/null", **environment):
        """Runs its command line in a home of its own; `prepare` runs in the working directory."""
        home = Home()
        self.homes.append(home)
        folder = home.path / "docs"
        folder.mkdir()
        (folder / "a.md").write_text("The zebra is striped.\n")
        config = home.path / "given.toml"
        config.write_text('[model]\nprovider = "extractive"\n'
                          f'[[resource]]\ntype = "local"\nname = "docs"\npath = "{folder}"\n')
        line = verb.format(config=config, folder=folder, missing=home.path / "missing")
        script = f'{prepare.format(home=home.path)} exec {shlex.quote(str(QUARRY))} {line} {redirect}'
        values = {name: value.format(home=home.path) for name, value in environment.items()}
        variables = {**home.environment, **values}
        return subprocess.run(["sh", "-c", script], cwd=home.project, capture_output=True, text=True,
                              env={name: value for name, value in variables.items() if value},
                              timeout=TIMEOUT)

    def each(self, **how):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return dict(zip(VERBS, pool.map(lambda line: self.run_verb(line, **how), VERBS.values())))

    def assert_ended(self, results):
        for verb, result in results.items():
            # 128 and more, and less than 0: of a signal
            self.assertTrue(0 <= result.returncode < 128, (verb, result))
            self.assertNotIn("terminate called", result.stderr, verb)

    def test_the_table_has_every_verb(self):
        home = Home()
        self.homes.append(home)
        text = home.run("--help").stdout
        verbs = [line.split()[0] for line in text.partition("Verbs:")[2].splitlines() if line.strip()]
        self.assertEqual(sorted(verbs), sorted(VERBS))

    def test_a_removed_working_directory_changes_no_result(self):
        usual = self.each()
        self.assert_ended(usual)
        gone = self.each(prepare="rmdir {home}/project;")
        self.assert_ended(gone)
        for verb, result in gone.items():
            self.assertEqual(result.returncode, usual[verb].returncode, (verb, result))
            self.assertNotIn(GONE, result.stderr, verb)

    def test_a_locale_that_does_not_exist_changes_no_result(self):
        odd = self.each(LANG="xx_YY.UTF-8", LC_ALL="xx_YY.UTF-8")
        self.assert_ended(odd)
        self.assertIn("striped", odd["ask"].stdout)
        self.assertIn("striped", odd["read"].stdout)

    def test_homes_that_cannot_be_used_are_named_or_not_needed(self):
        nowhere = {name: "" for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")}
        # Nothing can be made below a file, not even by root.
        for home in ("", "/dev/null"):
            results = self.each(HOME=home, **nowhere)
            self.assert_ended(results)
            for verb in ("version", "completion"):
                self.assertEqual(results[verb].returncode, 0, (home, verb))
            for verb, result in results.items():
                if result.returncode != 0:
                    said = result.stdout if verb == "doctor" else result.stderr
                    self.assertRegex(said, "^(error|fault): |\nerror: ", (home, verb, result))

    def test_closed_standard_streams_end_no_verb_by_a_signal(self):
        self.assert_ended(self.each(redirect="<&- >&- 2>&-"))

    def test_output_that_cannot_be_written_is_an_error(self):
        for line in ("version", "--help", "resources -c {config}", "read -c {config} docs/a.md",
                     "grep -c {config} zebra", "ask -c {config} -r docs zebra?", "plugins validate ./x"):
            with self.subTest(line):
                result = self.run_verb(line, redirect="</dev/null >/dev/full")
                self.assertEqual(result.returncode, 1, result)
                self.assertIn("No space left on device", result.stderr)

    def test_a_limit_of_file_sizes_ends_no_verb_by_a_signal(self):
        for verb in ("ask", "grep", "resources", "version"):
            with self.subTest(verb):
                result = self.run_verb(VERBS[verb], prepare="ulimit -f 0;")
                self.assertTrue(0 <= result.returncode < 128, result)

    def test_a_limit_of_address_space_ends_no_verb_by_a_signal(self):
        little = self.run_verb(VERBS["ask"], prepare="ulimit -v 200000;")
        self.assertEqual(little.returncode, 1, little)
        self.assertIn("ulimit -v unlimited", little.stderr)
        enough = self.run_verb(VERBS["ask"], prepare="ulimit -v 800000;")
        self.assertEqual(enough.returncode, 0, enough)
        self.assertIn("striped", enough.stdout)

    def test_what_needs_the_directory_says_so(self):
        for line in ("ask -r ./docs zebra?", "ask -c given.toml zebra?", "add ./docs", "add .", "trust",
                     "trust quarry.toml", "plugins new resource x", "plugins validate ./x", "backup copy",
                     "restore copy", "mcp setup cursor --project --write", "grep -r . x"):
            with self.subTest(line):
                result = self.run_verb(line, prepare="rmdir {home}/project;")
                self.assertNotEqual(result.returncode, 0, result)
                self.assertIn(GONE, result.stderr + result.stdout)

    def test_the_file_of_a_project_is_said_to_be_missed(self):
        result = self.run_verb("models", prepare="rmdir {home}/project;")
        self.assertEqual(result.returncode, 0, result)
        self.assertIn(f"{GONE}: no configuration of a project is read", result.stderr)

    def test_a_server_of_a_removed_directory_answers(self):
        home = Home()
        self.homes.append(home)
        folder = home.path / "docs"
        folder.mkdir()
        (folder / "a.md").write_text("The zebra is striped.\n")
        config = home.path / "given.toml"
        config.write_text(f'[[resource]]\ntype = "local"\nname = "docs"\npath = "{folder}"\n')
        server = Server(home, "-c", config)
        self.addCleanup(server.stop)
        os.rmdir(home.project)
        self.assertIn("striped", server.ask("zebra?")[-1].data["text"])


if __name__ == "__main__":
    unittest.main()
