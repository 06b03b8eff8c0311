"""`quarry plugins add` and `remove`: folders, archives, the lock file, and attacks on them."""

import gzip
import hashlib
import io
import json
import os
import pty
import signal
import subprocess
import tarfile
import tomllib
import unittest

from harness import BUILD, QUARRY, TIMEOUT
from plugin_harness import BUILT, HELLO, PluginCase, pack


class Add(PluginCase):
    def test_a_plugin_is_installed_used_and_removed(self):
        (self.folder / "notes.txt").write_text("not named by the manifest")
        said = self.add(self.folder)
        for words in (f"{HELLO} 1.0.0", 'quarry.resource/1 "hello"', "reaches no host",
                      f"installed {HELLO} 1.0.0"):
            self.assertIn(words, said)
        self.assertEqual(sorted(file.name for file in (self.installed / HELLO).iterdir()),
                         ["hello.so", "plugin.toml"])
        self.assertIn(HELLO, self.listed()[0])
        answer = self.answer()
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        self.assertIn("Welcome", answer.stdout)
        self.assertIn(f"removed {HELLO} 1.0.0", self.plugins("remove", HELLO))
        self.assertFalse((self.installed / HELLO).exists())
        self.assertNotIn(HELLO, self.listed()[0])

    def test_the_lock_file_has_its_digests_and_its_source(self):
        said = json.loads(self.add("--json", self.manifest))
        row, = tomllib.loads(self.lock.read_text())["plugin"]
        digest = hashlib.sha256((self.folder / "hello.so").read_bytes()).hexdigest()
        of_manifest = hashlib.sha256(self.manifest.read_bytes()).hexdigest()
        self.assertEqual(row, {"id": HELLO, "version": "1.0.0", "sha256": digest,
                               "manifest_sha256": of_manifest, "source": str(self.manifest)})
        self.assertEqual(said, {"id": HELLO, "version": "1.0.0", "sha256": digest,
                                "manifestSha256": of_manifest, "source": str(self.manifest),
                                "folder": str(self.installed / HELLO), "key": None,
                                "replaced": None})
        shown = json.loads(self.plugins("show", "--json", HELLO))
        self.assertEqual(shown["origin"], {"from": "added", "source": str(self.manifest),
                                           "key": None})

    def test_a_new_version_replaces_the_old_one(self):
        self.add(self.folder)
        self.edit('summary = "For tests"', 'summary = "For other tests"')
        said = self.add(self.folder)
        self.assertIn(f"replaces      1.0.0 from {self.folder}", said)
        self.assertIn("For other tests", self.plugins("show", HELLO))
        self.assertEqual(len(tomllib.loads(self.lock.read_text())["plugin"]), 1)

    def test_a_failure_leaves_the_old_version(self):
        self.add(self.folder)
        self.edit('version = "1.0.0"', 'version = "1.0.1"')
        message = self.refused(self.folder)
        self.assertIn("it says version 1.0.0, its manifest 1.0.1", message)
        self.assertIn("Welcome", self.answer().stdout)

    def test_a_plugin_whose_initialiser_fails_is_not_installed(self):
        for name in ("exits", "throws", "crashes", "two-symbols", "incomplete"):
            self.assertIn(f"org.example.{name}", self.refused(BUILT / name))

    def test_an_isolated_plugin_is_installed_and_used(self):
        self.edit("\n[abi]", 'isolation = "process"\n\n[abi]')
        self.assertIn("isolation     in a process of its own", self.add(self.folder))
        self.assertIn("Welcome", self.answer().stdout)

    def test_nothing_is_installed_without_a_terminal_or_yes(self):
        message = self.plugins("add", self.folder, code=1)
        self.assertIn(f"plugin {HELLO} is not installed", message)
        self.assertIn(f"quarry plugins add --yes {self.folder}", message)
        self.assertEqual(self.left(), {})

    def test_no_code_runs_before_the_answer(self):
        message = self.plugins("add", BUILT / "exits", code=1)
        self.assertIn("is not installed", message)
        self.assertNotIn("exited with status", message)

    def ask(self, answer):
        """Runs `plugins add` on a terminal and answers its question, or interrupts it if `answer`
        is None; returns exit code and text."""
        host, client = pty.openpty()
        process = subprocess.Popen([QUARRY, "plugins", "add", self.folder], stdin=client,
                                   stdout=client, stderr=client, env=self.home.environment,
                                   cwd=self.home.project)
        os.close(client)
        said = b""
        while b'Type "yes":' not in said:
            said += os.read(host, 4096)
        if answer is None:
            process.send_signal(signal.SIGINT)
        else:
            os.write(host, answer)
        try:
            while piece := os.read(host, 4096):
                said += piece
        except OSError:  # the other end is closed
            pass
        os.close(host)
        return process.wait(timeout=TIMEOUT), said.decode()

    def test_on_a_terminal_it_asks(self):
        code, said = self.ask(b"no\n")
        self.assertEqual(code, 1)
        self.assertIn("reaches no host", said)
        self.assertEqual(self.left(), {})
        code, said = self.ask(b"yes\n")
        self.assertEqual(code, 0)
        self.assertIn(f"installed {HELLO}", said)
        self.assertIn(HELLO, self.listed()[0])

    def test_an_interrupt_installs_nothing(self):
        code, _ = self.ask(None)
        self.assertEqual(code, 130)
        self.assertEqual(self.left(), {})

    def test_what_is_no_plugin_is_refused_with_a_hint(self):
        (self.home.path / "empty").mkdir()
        (self.home.path / "file.txt").write_text("text")
        for name, words in (("nowhere", "there is no"), ("empty", "plugin.toml"),
                            ("file.txt", "is no folder")):
            result = self.home.run("plugins", "add", "--yes", self.home.path / name)
            self.assertEqual(result.returncode, 1)
            self.assertIn(words, result.stderr)

    def test_links_and_large_files_are_refused(self):
        secret = self.home.path / "secret.json"
        secret.write_text("{}")
        self.edit('name = "hello"\n', 'name = "hello"\nschema = "schema.json"\n')
        (self.folder / "schema.json").symlink_to(secret)
        self.assertIn("is a symbolic link", self.refused(self.folder))
        (self.folder / "schema.json").unlink()
        (self.folder / "schema.json").write_text("{" + " " * (5 << 20) + "}")
        self.assertIn("has more than", self.refused(self.folder))

    def test_the_id_of_a_plugin_of_the_program_is_refused(self):
        self.edit(HELLO, "io.quarry.resource-git")
        self.assertIn("came with this program", self.refused(self.folder))

    def test_a_plugin_of_plugin_path_with_its_id_is_named(self):
        self.home.write("quarry.toml", f'plugin_path = ["{self.folder.parent}"]\n')
        result = self.home.run("plugins", "add", "--yes", self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"{self.folder}, which plugin_path names, is not used any more",
                      result.stderr)

    def test_a_server_uses_it_and_names_what_is_wrong_with_it(self):
        self.add(self.folder)
        self.home.write("quarry.toml", '[[resource]]\ntype = "hello"\nname = "mine"\n')
        server = self.serve()
        self.assertIn("Welcome", str([event.data for event in server.ask("welcome?", ["mine"])]))
        server.stop()
        self.lock.unlink()
        self.home.write("quarry.toml", "")
        server = self.serve()
        self.assertIn(f"plugin {HELLO} is not loaded", server.stop()[1])


class Lock(PluginCase):
    """An installed plugin that the lock file does not permit any more."""

    def setUp(self):
        super().setUp()
        self.add(self.folder)

    def expect_problem(self, words):
        self.assertNotIn(HELLO, self.listed()[0])
        problem, = self.listed()[1]
        self.assertIn(words, problem)
        for arguments, code in ((("plugins", "list"), 1), (("config", "check"), 3),
                                (("plugins", "show", HELLO), 4)):
            result = self.home.run(*arguments)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(words, result.stderr)
            self.assertIn(f"quarry plugins add {self.installed / HELLO}", result.stderr)
        result = self.home.run("ask", "-r", self.home.project, "anything?")
        self.assertIn(words, result.stderr)

    def test_without_its_row_it_is_not_loaded(self):
        self.lock.unlink()
        self.expect_problem(f"plugin {HELLO} is not loaded: plugins.lock.toml in")

    def test_with_another_file_it_is_not_loaded(self):
        with open(self.installed / HELLO / "hello.so", "ab") as file:
            file.write(b"x")
        self.expect_problem("changed since it was added")

    def test_with_another_manifest_it_is_not_loaded_until_it_is_added_again(self):
        manifest = self.installed / HELLO / "plugin.toml"
        manifest.write_text(manifest.read_text() + '\n[permissions]\nhosts = ["*"]\n'
                            if "[permissions]" not in manifest.read_text() else
                            manifest.read_text().replace("hosts = []", 'hosts = ["*"]'))
        self.expect_problem("changed since it was added")
        self.assertIn("reaches every host", self.add(self.installed / HELLO))
        self.assertIn(HELLO, self.listed()[0])

    def test_with_another_schema_it_is_not_loaded(self):
        fixture = "org.example.resource-fixture"
        self.add(BUILD / "tests/fixtures/resource-fixture")
        self.assertIn(fixture, self.listed()[0])
        schema = self.installed / fixture / "schema.json"
        schema.write_text(schema.read_text() + " ")
        listed, (problem,) = self.listed()
        self.assertNotIn(fixture, listed)
        self.assertIn("schema.json is not the file whose SHA-256 its manifest has", problem)

    def test_a_folder_that_was_put_there_is_not_loaded(self):
        (self.installed / HELLO).rename(self.installed / "org.example.other")
        problem, = self.listed()[1]
        self.assertIn("is not the folder of its id", problem)

    def test_an_isolated_plugin_cannot_write_where_it_is_installed(self):
        data = self.home.path / "data/quarry/plugins"
        self.assertFalse(self.installed.is_relative_to(data))
        self.assertFalse((data / HELLO).exists())


class Remove(PluginCase):
    def test_an_unknown_id_is_answered_with_the_nearest(self):
        self.add(self.folder)
        message = self.plugins("remove", "org.example.helo", code=1)
        self.assertIn(f'did you mean "{HELLO}"?', message)

    def test_before_anything_is_installed_nothing_is_made(self):
        self.assertIn("there is no plugin", self.plugins("remove", HELLO, code=1))
        self.assertFalse(self.installed.exists())

    def test_a_plugin_of_the_program_is_disabled_instead(self):
        message = self.plugins("remove", "io.quarry.resource-git", code=1)
        self.assertIn("came with this program, in", message)
        self.assertIn('disabled = ["io.quarry.resource-git"]', message)

    def test_a_plugin_of_plugin_path_is_left_where_it_lies(self):
        self.home.write("quarry.toml", f'plugin_path = ["{self.folder.parent}"]\n')
        message = self.plugins("remove", HELLO, code=1)
        self.assertIn(f"lies in {self.folder}, which plugin_path names", message)
        self.assertTrue(self.manifest.exists())

    def test_names_that_are_no_ids_remove_nothing(self):
        self.add(self.folder)
        before = self.left()
        for name in ("..", "../plugins", "/", ".lock", ""):
            self.assertNotEqual(self.home.run("plugins", "remove", name).returncode, 0)
        self.assertEqual(self.left(), before)


class Archives(PluginCase):
    def archive(self, *members, name="evil.tar.gz"):
        """An archive of the plugin's files and further members: (TarInfo, bytes)."""
        path = self.home.path / name
        with tarfile.open(path, "w:gz") as archive:
            for file in sorted(self.folder.iterdir()):
                archive.add(file, f"hello/{file.name}")
            for member, data in members:
                archive.addfile(member, io.BytesIO(data))
        return path

    @staticmethod
    def member(name, kind=tarfile.REGTYPE, data=b"", **more):
        member = tarfile.TarInfo(name)
        member.type, member.size = kind, len(data)
        for key, value in more.items():
            setattr(member, key, value)
        return member, data

    def test_archives_of_both_kinds_are_installed(self):
        for name in ("hello.tar.zst", "hello.tar.gz", "hello.tgz"):
            path = pack(self.home.path / name, self.folder)
            self.assertIn(f"installed {HELLO}", self.add(path))
            self.assertIn(HELLO, self.listed()[0])
            self.plugins("remove", HELLO)
        self.assertEqual(list(self.left()), [str(self.lock)])

    def test_other_members_are_left_in_the_archive(self):
        path = self.archive(self.member("hello/README.md", data=b"text"), self.member("x", data=b""))
        self.add(path)
        self.assertEqual(sorted(file.name for file in (self.installed / HELLO).iterdir()),
                         ["hello.so", "plugin.toml"])

    def test_names_that_leave_the_archive(self):
        for name in ("/etc/passwd", "../outside", "hello/../../outside"):
            message = self.refused(self.archive(self.member(name, data=b"evil")))
            self.assertRegex(message, "absolute name|\\.\\.")
        self.assertFalse((self.home.path / "outside").exists())

    def test_a_time_that_would_move_the_names_in_the_list(self):
        late = self.member("late", mtime=400000000000)
        self.assertIn("cannot be read",
                      self.refused(self.archive(late, self.member("/etc/passwd", data=b"evil"))))

    def test_links_and_devices(self):
        for kind, words, more in ((tarfile.SYMTYPE, "symbolic link", {"linkname": "/etc/passwd"}),
                                  (tarfile.LNKTYPE, "hard link", {"linkname": "hello/plugin.toml"}),
                                  (tarfile.CHRTYPE, "device", {"devmajor": 1, "devminor": 3}),
                                  (tarfile.BLKTYPE, "device", {"devmajor": 8, "devminor": 0}),
                                  (tarfile.FIFOTYPE, "named pipe", {})):
            message = self.refused(self.archive(self.member("hello/x", kind, **more)))
            self.assertIn(words, message)

    def test_a_link_in_place_of_the_manifest(self):
        link = self.member("hello/plugin.toml", tarfile.SYMTYPE, linkname="/etc/passwd")
        self.manifest.unlink()
        self.assertIn("symbolic link", self.refused(self.archive(link)))

    def test_ten_gigabytes_of_zeros(self):
        size = 10 << 30
        head, _ = self.member("hello/zeros")
        head.size = size
        path = self.home.path / "bomb.tar.zst"
        with open(path, "wb") as out:
            zstd = subprocess.Popen(["zstd", "-q", "-1"], stdin=subprocess.PIPE, stdout=out)
            zstd.stdin.write(head.tobuf(tarfile.GNU_FORMAT))
            zeros = bytes(1 << 20)
            for _ in range(64):  # the refusal does not depend on the rest
                zstd.stdin.write(zeros)
            zstd.stdin.close()
            zstd.wait(timeout=TIMEOUT)
        self.assertIn("has more than", self.refused(path))

    def test_thousands_of_members_and_the_same_twice(self):
        many = [self.member(f"hello/{number}") for number in range(5000)]
        self.assertIn("more than 256 members", self.refused(self.archive(*many)))
        twice = self.member("hello/plugin.toml", data=b"format = 1\n")
        self.assertIn("is there twice", self.refused(self.archive(twice)))

    def test_an_archive_that_is_cut_or_something_else(self):
        whole = pack(self.home.path / "hello.tar.zst", self.folder).read_bytes()
        for part in (0, 1, 10, len(whole) // 2, len(whole) - 1):
            path = self.home.path / "cut.tar.zst"
            path.write_bytes(whole[:part])
            self.assertIn("cut.tar.zst", self.refused(path))
        path.write_bytes(gzip.compress(b"this is no archive"))
        self.refused(path)

    def test_a_header_that_asks_for_all_memory(self):
        head = tarfile.TarInfo("x")
        head.type, head.size = tarfile.XHDTYPE, 7 << 30
        path = self.home.path / "memory.tar.gz"
        path.write_bytes(gzip.compress(head.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 20)))
        self.assertIn("memory.tar.gz", self.refused(path))

    def test_a_name_of_another_machine_is_a_file_of_this_one(self):
        path = pack(self.home.path / "a:b.tar.gz", self.folder)
        self.add(path)
        self.assertIn(HELLO, self.listed()[0])

    def test_an_archive_without_a_file_that_its_manifest_names(self):
        (self.folder / "hello.so").unlink()
        self.assertIn("has no hello/hello.so", self.refused(self.archive()))


if __name__ == "__main__":
    unittest.main()
