"""The command line: output, exit codes, interrupts."""

import json
import os
import pty
import shutil
import signal
import subprocess
import unittest

from harness import QUARRY, SOURCE, TIMEOUT, TestCase, check_stream, of_threads, wait_until, without_progress
from test_serve import LOCAL, tree


class Ask(TestCase):
    def setUp(self):
        super().setUp()
        self.folder = tree(self.home)

    def test_a_folder_is_asked_about_without_any_configuration(self):
        result = self.home.run("ask", "-r", self.folder, "How is an ISO date parsed?")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("parse_date", result.stdout)
        self.assertRegex(result.stdout, r"\[[^\]]*parser\.py#L\d+")
        self.assertEqual(result.stderr, "", "only the answer without a terminal")

    def test_a_section_that_answers_is_quoted_whole_and_first(self):
        result = self.home.run("ask", "-r", SOURCE,
                               "How does the host load a plugin, and what does it check first?")
        first = result.stdout.partition("\n[")[2].partition("\n[")[0]
        self.assertRegex(first, r"^[^\]]+:docs/plugins\.md#L\d+-L\d+\]", result.stderr)
        self.assertIn("## Checks before loading", first)
        self.assertIn("exports the entry alone", first)

    def test_relative_folders_and_any_working_directory_work(self):
        result = self.home.run("ask", "-r", "../code", "zebra?", cwd=self.home.project)
        self.assertIn("zebra", result.stdout)
        result = self.home.run("ask", "-r", ".", "zebra?", cwd=self.folder)
        self.assertIn("zebra", result.stdout)

    def test_a_single_file_is_asked_about_and_followed(self):
        # sammcj/ingest#13, growgraph/ontocast#53, fluencelabs/aqua#119
        file = self.home.path / "notes.md"
        file.write_text("The walrus port is 5001.\n")
        for reference in (file, "../notes.md", f"file://{file}"):
            result = self.home.run("ask", "-r", reference, "walrus port?", cwd=self.home.project)
            self.assertIn("5001", result.stdout, result.stderr)
        file.write_text("The walrus port is 6006.\n")
        self.assertIn("6006", self.home.run("ask", "-r", file, "walrus port?").stdout)
        self.assertEqual(self.home.run("add", file).returncode, 0)
        self.assertIn("6006", self.home.run("ask", "-r", "notes.md", "walrus port?").stdout)

    def test_a_folder_here_needs_no_path_where_no_resource_has_its_name(self):
        for verb in ("ask", "grep", "search"):
            result = self.home.run(verb, "-r", self.folder.name, "zebra", cwd=self.folder.parent)
            self.assertIn("zebra", result.stdout, result.stderr)
        other = self.home.path / "other"
        other.mkdir()
        (other / "notes.md").write_text("The walrus port is 5001.\n")
        self.assertEqual(self.home.run("add", other, "--name", self.folder.name).returncode, 0)
        result = self.home.run("grep", "-r", self.folder.name, "port|zebra", cwd=self.folder.parent)
        self.assertIn("walrus", result.stdout, result.stderr)
        self.assertNotIn("zebra", result.stdout)

    def test_misread_references_are_told(self):
        for reference, words in (("pkg:cargo/serde", '"cargo"'),
                                 ("git@github.com:o/r.git", "https://github.com/o/r, or set ssh"),
                                 ("https://crates.io/crates/serde", "has no repositories")):
            result = self.home.run("ask", "-r", reference, "x", cwd=self.folder.parent)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(words, result.stderr)

    def test_standard_input_is_a_question_or_adds_to_it(self):
        for arguments, given in ((["zebra?", "-"], "in which file\n"), (["-"], "zebra?\n")):
            answer = self.home.run("ask", "-r", self.folder, *arguments, input=given)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertIn("zebra", answer.stdout)
        refused = self.home.run("ask", "-r", self.folder, "-", input="x" * (1 << 20) + "x")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("more than 1 MiB", refused.stderr)

    def test_json_prints_one_event_a_line(self):
        result = self.home.run("ask", "--json", "-r", self.folder, "zebra?")
        events = without_progress(result.stdout)
        self.assertEqual(events[0]["type"], "meta")
        self.assertEqual(events[-1]["type"], "done")

    def test_configured_resources_are_asked_by_name_or_all(self):
        self.home.write("quarry.toml", LOCAL.format("code", self.folder))
        for arguments in (["zebra?"], ["-r", "code", "zebra?"]):
            self.assertIn("zebra", self.home.run("ask", *arguments).stdout)

    def test_a_server_answers_for_the_program(self):
        self.home.write("quarry.toml", LOCAL.format("code", self.folder))
        server = self.serve()
        self.assertIn("zebra", self.home.run("ask", "--server", server.url, "zebra?").stdout)
        listed = self.home.run("resources", "--server", server.url)
        self.assertIn("code", listed.stdout)
        self.assertEqual(self.home.run("ask", "--server", server.url, "-r", "no", "x").returncode, 3)

    def test_exit_codes_tell_what_went_wrong(self):
        for arguments, code, words in (
                (["ask"], 2, "question"),
                (["fly"], 2, "fly"),
                (["ask", "-r", "nothing", "x"], 3, "nothing"),
                (["ask", "-r", "./nothing", "x"], 3, "./nothing"),
                (["ask", "x"], 3, "resource"),
                (["ask", "--set", "model.provider=nobody", "-r", self.folder, "x"], 3, "nobody"),
                (["ask", "--server", "http://127.0.0.1:1", "x"], 5, "127.0.0.1"),
                (["ask", "-c", "missing.toml", "x"], 3, "missing.toml"),
        ):
            result = self.home.run(*arguments)
            self.assertEqual(result.returncode, code, (arguments, result.stderr))
            self.assertTrue(result.stderr.startswith("error: "), result.stderr)
            self.assertIn(words, result.stderr)
            self.assertEqual(result.stdout, "")

    def test_no_file_takes_the_place_of_a_closed_standard_one(self):
        server = subprocess.Popen(["sh", "-c", 'exec "$0" serve --listen 127.0.0.1:0 <&- >&- 2>&-', QUARRY],
                                  cwd=self.home.project, env=self.home.environment)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        wait_until(lambda: "quarry-io" in of_threads(server.pid, "comm"), "it has started")
        self.assertEqual([os.readlink(f"/proc/{server.pid}/fd/{number}") for number in range(3)], ["/dev/null"] * 3)

    def test_a_closed_pipe_is_no_crash(self):
        process = subprocess.run(f"{QUARRY} ask --json -r {self.folder} zebra? | true", shell=True,
                                 env=self.home.environment, capture_output=True, timeout=TIMEOUT)
        self.assertEqual((process.returncode, process.stderr), (0, b""))

    def on_terminal(self, *arguments, **environment):
        leader, follower = pty.openpty()
        process = subprocess.Popen([QUARRY, *map(str, arguments)], cwd=self.home.project,
                                   env={**self.home.environment, "TERM": "xterm", **environment},
                                   stdout=subprocess.PIPE, stderr=follower)
        os.close(follower)
        shown = b""
        while True:
            try:
                chunk = os.read(leader, 65536)
            except OSError:
                break
            if not chunk:
                break
            shown += chunk
        os.close(leader)
        process.communicate(timeout=TIMEOUT)
        return shown.decode()

    def test_a_terminal_sees_tools_and_a_closing_line(self):
        shown = self.on_terminal("ask", "-r", self.folder, "zebra?")
        self.assertIn("\x1b[", shown)
        self.assertIn("steps", shown)
        self.assertNotIn("\x1b[2m", self.on_terminal("ask", "-r", self.folder, "zebra?", NO_COLOR="1"))
        self.assertEqual(self.on_terminal("ask", "-q", "-r", self.folder, "zebra?"), "")

    def test_what_rules_leave_out_of_a_folder_is_listed(self):
        (self.folder / ".ignore").write_text("*.log\n")
        (self.folder / "a.log").write_text("zebra\n")
        self.home.write("quarry.toml", f'[[resource]]\ntype = "local"\nname = "zoo"\npath = "{self.folder}"\n')
        shown = self.home.run("resources", "show", "zoo")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn(f"folder: {self.folder}\n", shown.stdout)
        self.assertIn("quarry resources show zoo --ignored", shown.stderr)
        listed = self.home.run("resources", "show", "zoo", "--ignored").stdout
        self.assertIn('1 entry left out by "*.log" in .ignore:1: a.log\n', listed)
        row = json.loads(self.home.run("resources", "show", "zoo", "--json").stdout)["leftOut"][0]
        self.assertEqual(row, {"rule": '"*.log" in .ignore:1', "entries": 1, "examples": ["a.log"]})
        missing = self.home.run("resources", "show", "zo")
        self.assertNotEqual(missing.returncode, 0)
        self.assertIn("zoo", missing.stderr)
        (self.folder / ".ignore").write_text("/*\n")
        for verb in (("search", "zebra"), ("list", "zoo")):
            found = self.home.run(*verb)
            self.assertRegex(found.stdout + found.stderr, r'left out by "/\*" in \.ignore:1\.')

    def test_ignore_files_hold_as_with_ripgrep_and_are_named_when_they_leave_nothing(self):
        def zebra():
            result = self.home.run("ask", "-r", self.folder, "zebra?")
            self.assertEqual(result.returncode, 0, result.stderr)
            return result.stdout

        (self.folder / ".gitignore").write_text("# Everything\n*\n")
        self.assertRegex(zebra(), r"\[[^\]]+#L\d+", "no git work tree")
        subprocess.run(["git", "init", "-q", self.folder], check=True, env=self.home.environment)
        said = zebra()
        self.assertRegex(said, r'no file was read: \d+ entries are left out by "\*" in \.gitignore:2\.')
        self.assertNotRegex(said, r"#L\d+")
        (self.folder / ".ignore").write_text("!*\n")
        self.assertRegex(zebra(), r"\[[^\]]+#L\d+", ".ignore precedes .gitignore")
        shutil.rmtree(self.folder / ".git")
        (self.folder / ".ignore").write_text("/*\n")
        self.assertRegex(zebra(), r'left out by "/\*" in \.ignore:1\.')

    def test_odd_trees_are_answered_too(self):
        odd = self.home.path / "odd"
        odd.mkdir()
        (odd / "latin.txt").write_bytes("Der Gruß der Walküre ist laut.\n".encode("latin-1"))
        (odd / "wide.txt").write_bytes("the unicorn runs\n".encode("utf-16"))
        (odd / "picture.bin").write_bytes(bytes(range(256)) * 10)
        (odd / "späce name [1].txt").write_text("a quokka smiles\n")
        os.symlink("/etc/passwd", odd / "outside")
        os.symlink("nowhere", odd / "dangling")
        os.symlink(".", odd / "loop")
        os.mkfifo(odd / "pipe")
        closed = odd / "closed"
        closed.mkdir()
        (closed / "x").write_text("x")
        closed.chmod(0)
        (odd / "empty").write_text("")
        for question, word in (("walküre laut", "laut"), ("unicorn", "unicorn"), ("quokka", "quokka")):
            result = self.home.run("ask", "-r", odd, question)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(word, result.stdout)
        self.assertNotIn("root:", self.home.run("ask", "-r", odd, "root passwd bin").stdout)


class Resources(TestCase):
    def test_a_folder_is_added_listed_asked_and_removed(self):
        folder = tree(self.home, "my-notes")
        added = self.home.run("add", folder)
        self.assertEqual(added.returncode, 0, added.stderr)
        self.assertIn("added my-notes", added.stdout)
        self.assertIn("my-notes", self.home.run("resources").stdout)
        listed = json.loads(self.home.run("resources", "--json").stdout)
        self.assertEqual(listed["resources"][0]["path"], str(folder))
        self.assertIn("zebra", self.home.run("ask", "zebra?").stdout)
        self.assertEqual(self.home.run("add", folder).returncode, 3, "the name is taken")
        self.assertEqual(self.home.run("remove", "MY-NOTES").returncode, 0)
        self.assertEqual(json.loads(self.home.run("resources", "--json").stdout), {"resources": []})
        self.assertNotEqual(self.home.run("remove", "my-notes").returncode, 0)

    def test_a_folder_is_added_whatever_its_name_and_beside_another_of_its_name(self):
        names = {"My Project": "My-Project", "f++": "f", ".github": "github", "na\u00efve (1)": "na-ve-1",
                 "other/docs": "docs", "docs": "docs-2"}
        for folder, name in names.items():
            (self.home.path / folder).parent.mkdir(exist_ok=True)
            source = tree(self.home, folder)
            added = self.home.run("add", source)
            self.assertIn(f"added {name} (", added.stdout, added.stderr)
        again = self.home.run("add", source)
        self.assertEqual(again.returncode, 3, again.stdout)
        self.assertIn('a resource "docs-2" is configured already', again.stderr)
        self.assertIn("--name", again.stderr)
        tree(self.home, "more")
        self.assertIn("added more (", self.home.run("add", "local", "more", cwd=self.home.path).stdout)

    def test_a_source_is_contacted_before_it_is_added(self):
        source = ["add", "git", "--url", "https://127.0.0.1:1/o/n"]
        refused = self.home.run(*source)
        self.assertNotEqual(refused.returncode, 0, refused.stdout)
        self.assertIn("the resource is not added: ", refused.stderr)
        self.assertIn("; --offline adds it as it is", refused.stderr)
        self.assertEqual(self.home.run("resources").stdout, "")
        added = self.home.run(*source, "--offline")
        self.assertEqual((added.returncode, added.stdout), (0, "added n (git, https://127.0.0.1:1/o/n)\n"), added.stderr)

    def test_adding_keeps_every_byte_of_the_file(self):
        before = "# mine\n\n[model]   # keep\nmax_steps=7\n"
        file = self.home.write("quarry.toml", before)
        self.assertEqual(self.home.run("add", tree(self.home)).returncode, 0)
        self.assertTrue(file.read_text().startswith(before))
        self.assertEqual(self.home.run("remove", "code").returncode, 0)
        self.assertEqual(file.read_text().rstrip("\n"), before.rstrip("\n"))

    def test_clear_removes_snapshots(self):
        folder = tree(self.home)
        self.home.run("ask", "-r", folder, "zebra?")
        self.assertIn("cleared 1 ", self.home.run("clear").stdout)
        self.assertIn("cleared 0 ", self.home.run("clear").stdout)
        self.assertIn("zebra", self.home.run("ask", "-r", folder, "zebra?").stdout)


class Configuration(TestCase):
    def test_check_names_every_mistake_with_its_place(self):
        file = self.home.write("quarry.toml", '[model]\nprovidr = "x"\n[[resource]]\ntype = "local"\n'
                               'name = "a"\npaht = "/tmp"\n')
        result = self.home.run("config", "check")
        self.assertEqual(result.returncode, 3)
        self.home.write("quarry.toml", '[[resource]]\ntype = "local"\nname = "a"\npaht = "/tmp"\n')
        result = self.home.run("config", "check")
        self.assertEqual(result.returncode, 3)
        self.assertIn(f"{file}:4:1", result.stderr)
        self.assertIn('did you mean "path"', result.stderr)
        self.home.write("quarry.toml", '[[resource]]\ntype = "local"\nname = "a"\npath = "/tmp"\n')
        self.assertEqual(self.home.run("config", "check").returncode, 0)

    def test_check_reports_the_mistakes_of_all_files_and_schemas_at_once(self):
        own = self.home.path / "config/quarry/quarry.toml"
        file = self.home.write(
            "quarry.toml", '[model.work]\nprovider = "openai"\ntemperature = 3\n'
            '[pricing.static]\n"openai/x" = { input = 1.5 }\n'
            '[network]\nprivate_hosts = ["10.0.0.0/99"]\n[transport.rest]\nthreads = 0\n')
        own.parent.mkdir(parents=True)
        own.write_text("[model]\nmax_steps = 0\n")
        places = [(str(own), 2, "model.max_steps"), (str(file), 3, "model.work.temperature"),
                  (str(file), 5, 'pricing.static."openai/x".input'),
                  (str(file), 7, "network.private_hosts"), (str(file), 9, "transport.rest.threads")]
        result = self.home.run("config", "check")
        self.assertEqual(result.returncode, 3)
        for name, line, _ in places:
            self.assertIn(f"{name}:{line}:", result.stderr)
        listed = self.home.run("config", "check", "--json")
        self.assertEqual(listed.returncode, 3)
        found = json.loads(listed.stdout)["mistakes"]
        self.assertEqual([(row["file"], row["line"], row["key"]) for row in found], places)
        self.assertTrue(all(row["message"] and row["hint"] for row in found))

    def test_show_and_path_tell_what_is_in_force(self):
        file = self.home.write("quarry.toml", '[model]\napi_key = { env = "CANARY" }\n')
        shown = self.home.run("config", "show", env={"CANARY": "sk-canary-value"})
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertNotIn("sk-canary-value", shown.stdout + shown.stderr)
        self.assertEqual(self.home.run("config", "path").stdout.splitlines()[0], str(file))


class Others(TestCase):
    def test_version_help_and_completion(self):
        self.assertRegex(self.home.run("version").stdout, r"^quarry \d+\.\d+\.\d+\n$")
        self.assertEqual(self.home.run("--version").stdout, self.home.run("version").stdout)
        self.assertRegex(self.home.run("version", "--json").stdout, r'^{"contract":"1\.\d+","version":"\d+\.\d+\.\d+"}\n$')
        self.assertIn("ask", self.home.run("--help").stdout)
        self.assertIn("complete", self.home.run("completion", "bash").stdout)

    def test_the_man_page_renders(self):
        page = subprocess.run(["man", "-l", str(SOURCE / "host/cli/quarry.1")], capture_output=True,
                              text=True, env={**os.environ, "MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
        self.assertEqual((page.returncode, page.stderr), (0, ""))
        self.assertIn("EXIT STATUS", page.stdout)

    def test_plugins_are_listed_without_loading_them(self):
        listed = self.home.run("plugins", "list")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        for name in ("resource-local", "model-extractive", "pricing-static", "transport-rest"):
            self.assertIn(name, listed.stdout)


class Interrupts(TestCase):
    def test_ctrl_c_ends_with_130(self):
        folder = self.home.path / "large"
        folder.mkdir()
        for number in range(300):
            (folder / f"file{number}.txt").write_text(f"line {number}\n" * 20_000)
        process = self.home.start("ask", "--json", "-r", folder, "Which line?")
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT)
        self.assertIn(process.returncode, (130, 0), "0 when the answer was quicker")


if __name__ == "__main__":
    unittest.main()
