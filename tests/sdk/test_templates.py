"""What `quarry plugins new` writes: each project is built with the installed SDK alone, passes its own
tests, and is used as its README.md says. A new folder of sdk/templates is built without a change here."""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "e2e"))

from harness import BUILD, QUARRY, SOURCE, TIMEOUT, Server, TestCase, patience

# Names that collide with a word of the template, of the test kit or of C, were they used alone.
NAMES = {"resource-c": "e-o-f", "resource-rust": "contract", "model-c++": "exchange",
         "pricing-c++": "reply", "transport-c++": "tree"}
# Those of a plugin's user begin the second part of a README.md's commands.
USES = ("quarry ", "python3 ")


class Project:
    """A project made from one template, in a folder of its own."""

    def __init__(self, template, folder, name):
        self.kind, _, self.language = template.partition("-")
        self.folder, self.name = folder, name

    def write(self, quarry, environment):
        return subprocess.run([quarry, "plugins", "new", self.kind, self.name, "--language",
                               self.language, "--folder", self.folder], env=environment,
                              capture_output=True, text=True)

    def block(self, language):
        text = (self.folder / "README.md").read_text()
        return re.search(rf"^```{language}\n(.*?)^```$", text, re.M | re.S).group(1)

    def plugin_path(self):
        """The line of README.md for the newest build, instead of an installed one."""
        return re.search(r"`(plugin_path = .*)`", (self.folder / "README.md").read_text()).group(1) + "\n"

    def commands(self):
        """(those that build and check, those that use the plugin)"""
        lines = [re.sub(r"\s+# .*", "", line) for line in self.block("sh").splitlines()]
        first = next(i for i, line in enumerate(lines) if line.startswith(USES))
        return lines[:first], lines[first:]

    def build(self, environment):
        """The output of the commands that build and check, with a line of each that failed."""
        output = ""
        for command in self.commands()[0]:
            result = subprocess.run(["bash", "-c", command], cwd=self.folder, env=environment,
                                    capture_output=True, text=True, timeout=patience(240))
            output += f"$ {command}\n{result.stdout}{result.stderr}"
            if result.returncode:
                return f"{output}exit code {result.returncode}\n"
        return output


def shipped(folder):
    return sorted(entry.name for entry in folder.iterdir() if entry.is_dir())


class Templates(TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.work = pathlib.Path(tempfile.mkdtemp(prefix="quarry-templates-"))
        cls.addClassCleanup(shutil.rmtree, cls.work, ignore_errors=True)
        cls.prefix = cls.work / "sdk"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.prefix, "--component", "sdk"],
                       check=True, capture_output=True)
        cls.quarry = cls.prefix / "bin/quarry"  # the SDK alone has the tools, not the program
        shutil.copy(QUARRY, cls.quarry)
        cls.environment = {
            # Debian's rustc first: that of rustup needs the user's home.
            "PATH": f"{cls.prefix}/bin:/usr/bin:{os.environ['PATH']}", "HOME": str(cls.work),
            "LANG": "C.UTF-8",
            "CC": "gcc", "CXX": "g++", "CFLAGS": "-Wall -Wextra -Werror",
            "CXXFLAGS": "-Wall -Wextra -Werror", "CMAKE_GENERATOR": "Ninja",
            "CMAKE_BUILD_PARALLEL_LEVEL": "1", "CMAKE_PREFIX_PATH": str(cls.prefix)}
        cls.projects = {name: Project(name, cls.work / name, NAMES.get(name, "my-wiki"))
                        for name in shipped(cls.prefix / "share/quarry/templates")}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            cls.built = dict(zip(cls.projects, pool.map(cls.make, cls.projects.values())))

    @classmethod
    def make(cls, project):
        written = project.write(cls.quarry, cls.environment)
        if written.returncode:
            return f"{written.stderr}exit code {written.returncode}\n"
        return project.build(cls.environment)

    def setUp(self):
        super().setUp()
        self.home.environment["PATH"] = f"{BUILD / 'bin'}:{os.environ['PATH']}"
        (self.home.project / "lines.md").write_text("# Lines\n\nA line is read by read_line.\n")

    def write_configuration(self, text):
        file = self.home.path / "config/quarry/quarry.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def install(self, template, change=lambda text: text):
        """Adds the project's plugin, and writes the configuration of its README.md, if it has one, to
        the user's file; the commands that use it are returned, too."""
        project = self.projects[template]
        add, *uses = project.commands()[1]
        self.assertRegex(add, r"^quarry plugins add ")
        self.assertIn("\ninstalled ", self.run_shell(add, project.folder), template)
        if "```toml" in (project.folder / "README.md").read_text():
            self.write_configuration(change(project.block("toml")))
        return project, uses

    def run_shell(self, command, folder=None):
        result = subprocess.run(["bash", "-c", command], cwd=folder or self.home.project,
                                env=self.home.environment, capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(result.returncode, 0, f"{command}\n{result.stdout}{result.stderr}")
        return result.stdout

    def test_all_are_installed_and_found_beside_the_program(self):
        self.assertEqual(list(self.projects), shipped(SOURCE / "sdk/templates"))
        self.assertEqual(list(self.projects), shipped(BUILD / "share/quarry/templates"))
        self.assertFalse((self.prefix / "share/quarry/templates/.clang-format").exists())

    def test_each_builds_and_passes_its_tests(self):
        for template, output in self.built.items():
            self.assertNotIn("exit code", output, template)
            tests = re.search(r"100% tests passed, 0 tests failed out of (\d+)", output)
            self.assertGreaterEqual(int(tests.group(1)), 2, output)

    def test_each_is_built_without_the_source_tree(self):
        for template, project in self.projects.items():
            for file in project.folder.rglob("build.ninja"):
                self.assertNotIn(str(SOURCE), file.read_text(), template)
                self.assertIn(str(self.prefix / "include"), file.read_text(), template)

    def test_the_sources_are_formatted(self):
        if not shutil.which("clang-format"):
            self.skipTest("clang-format is not installed")
        names = {"resource-c": "note", "resource-rust": "note", "resource-c++": "notes",
                 "pricing-c++": "prices"}
        for template in self.projects:
            project = Project(template, self.home.path / template, names.get(template, "lines"))
            self.assertEqual(project.write(QUARRY, self.home.environment).returncode, 0, template)
            sources = [file for file in project.folder.rglob("*")
                       if file.suffix in (".c", ".cpp", ".h", ".hpp")]
            checked = subprocess.run(["clang-format", "--dry-run", "-Werror",
                                      f"--style=file:{SOURCE}/.clang-format", *sources],
                                     capture_output=True, text=True)
            self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_a_resource_is_added_and_asked(self):
        for template in self.projects:
            if not template.startswith("resource-"):
                continue
            self.assert_answers(self.install(template)[1], template)
            self.run_shell("quarry remove mine")

    def test_the_newest_build_is_used_by_its_path(self):
        for template in self.projects:
            project = self.projects[template]
            self.write_configuration(project.plugin_path())
            shown = json.loads(self.run_shell("quarry plugins list --json"))
            self.assertIn(str(project.folder), json.dumps(shown), template)
        project = self.projects["resource-c++"]
        self.write_configuration(project.plugin_path())
        self.assert_answers(project.commands()[1][1:], "resource-c++")

    def assert_answers(self, commands, template):
        for command in commands:
            output = self.run_shell(command)
        self.assertIn("Ship on Friday.", output, template)
        self.assertRegex(output, r"\[mine:note[\w.-]*#L1")

    def serve_model(self):
        """The URL of the stand-in that the model's project comes with."""
        project = self.projects["model-c++"]
        command = next(line for line in project.commands()[1] if line.startswith("python3 "))
        command = command.removesuffix(" &").replace("9099", "0")
        server = subprocess.Popen(command.split(), cwd=project.folder, stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        return server.stdout.readline().strip()

    def billed_model(self):
        """The folder of plugins with the model's project, changed to one that costs money."""
        model = self.projects["model-c++"]
        changed = Project("model-c++", self.work / "billed", model.name)
        shutil.copytree(model.folder, changed.folder, ignore=shutil.ignore_patterns("build"))
        source = changed.folder / f"{model.name}.cpp"
        source.write_text(source.read_text().replace(
            '"local": true', '"local": false, "vendor": "openai"'))
        subprocess.run("cmake -B build -DBUILD_TESTING=OFF && cmake --build build", shell=True,
                       cwd=changed.folder, env=self.environment, check=True, capture_output=True)
        return changed.folder / "build/lib/quarry/plugins"

    def test_a_model_answers_a_question(self):
        url = self.serve_model()
        _, uses = self.install("model-c++", lambda text: text.replace("http://127.0.0.1:9099", url))
        answer = self.run_shell(uses[-1])
        self.assertIn("I found this:", answer)
        self.assertIn("read_line", answer)

    def test_prices_are_those_of_the_catalogue(self):
        plugins, url = self.billed_model(), self.serve_model()
        project, uses = self.install("pricing-c++", lambda text: (
            f'plugin_path = ["{plugins}"]\n' + text.replace("gpt-x", "tiny") +
            f'\n[model]\nprovider = "{self.projects["model-c++"].name}"\nbase_url = "{url}"\n'))
        done = json.loads(self.run_shell(uses[0]).splitlines()[-1])
        cost = done["usage"]["inputTokens"] * 0.25 + done["usage"]["outputTokens"] * 1.25
        self.assertGreater(cost, 0)
        pricing = done["metrics"]["pricing"]
        self.assertAlmostEqual(pricing["costUsd"]["total"], cost / 1e6, places=12)
        self.assertIn(f'"{project.name}"', json.dumps(pricing), "the catalogue is named")

    def test_a_transport_answers_a_request(self):
        path = self.home.path / "socket"
        readme = f"/tmp/{self.projects['transport-c++'].name}.socket"
        _, uses = self.install("transport-c++", lambda text: text.replace(readme, str(path)))
        self.assertIn(readme, uses[1])
        server = Server(self.home)
        self.addCleanup(server.stop)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.assertRegex(self.request(path, "health {}\n"), r'^ok \{.*"ok":true.*\}\n$')
        self.assertRegex(self.request(path, "no.such {}\n"), r"^error .*no\.such.*\n$")
        self.assertEqual(server.stop()[0], 0)
        self.assertFalse(path.exists())

    @staticmethod
    def request(path, line):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(TIMEOUT)
            client.connect(str(path))
            client.sendall(line.encode())
            return client.makefile("r").read()

    def test_without_templates_the_error_says_where_they_were_searched(self):
        program = self.home.path / "alone/bin/quarry"
        program.parent.mkdir(parents=True)
        for tool in (QUARRY, QUARRY.with_name("quarry-author")):
            shutil.copy(tool, program.parent)
        result = Project("resource-c++", self.home.path / "new", "notes").write(
            program, self.home.environment)
        self.assertEqual(result.returncode, 1)
        self.assertIn(str(self.home.path / "alone/share/quarry/templates"), result.stderr)
        self.assertIn("--component sdk", result.stderr)
        self.assertFalse((self.home.path / "new").exists())

    def test_a_folder_with_content_is_refused(self):
        (self.home.project / "notes").mkdir()
        (self.home.project / "notes/mine").write_text("mine")
        result = self.home.run("plugins", "new", "resource", "notes")
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"--folder: {self.home.project}/notes is not empty", result.stderr)
        self.assertEqual([file.name for file in (self.home.project / "notes").iterdir()], ["mine"])

    def test_a_kill_before_the_end_leaves_no_folder(self):
        command = [QUARRY, "plugins", "new", "model", "lines"]
        traced = ["strace", "-f", "-o", "/dev/null", "-e", "inject=/^rename:signal=KILL"]
        killed = subprocess.run([*traced, *command], cwd=self.home.project,
                                env=self.home.environment, capture_output=True)
        self.assertEqual(killed.returncode, -signal.SIGKILL, killed.stderr)
        self.assertFalse((self.home.project / "lines").exists())
        self.assertEqual(self.home.run(*command[1:]).returncode, 0)


if __name__ == "__main__":
    unittest.main()
