"""Git repositories from a real server: the resources that questions can use, and their
snapshots."""

import concurrent.futures
import json
import unittest

import git_server
from git_server import Link, Submodule, make_certificate
from harness import check_stream
from resource_harness import GitCase, git_of

LFS_POINTER = """version https://git-lfs.github.com/spec/v1
oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
size 12345
"""


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Repositories(GitCase):
    def test_an_answer_rests_on_a_commit(self):
        self.configure(self.code)
        meta, done = self.answer("When does the walrus sleep?")
        self.assertIn("sleeps at noon", done["text"])
        self.assertEqual(meta["snapshots"][0]["version"], self.first)
        self.assertTrue(done["citations"])
        for citation in done["citations"]:
            self.assertEqual((citation["path"], citation["version"], citation["verified"]),
                             ("README.md", self.first, True))
        self.nothing_left()

    def test_a_git_that_ignores_restrictions_is_refused(self):
        old = self.home.path / "old"
        old.mkdir()
        (old / "git").write_text("#!/bin/sh\necho git version 2.30.2\n")
        (old / "git").chmod(0o755)
        self.home.environment["PATH"] = f"{old}:{self.home.environment['PATH']}"
        self.configure(self.code)
        asked = self.home.run("ask", "When does the walrus sleep?")
        self.assertNotEqual(asked.returncode, 0)
        self.assertIn("git 2.30.2 is too old", asked.stderr)
        self.assertIn("2.31", asked.stderr)

    def test_the_remote_says_which_branch_is_meant(self):
        trunk = self.new_repository("trunk", branch="trunk")
        trunk.commit({"a.md": "The lynx waits.\n"})
        trunk.commit({"a.md": "The lynx leaps.\n"}, branch="main")
        self.configure(git_of("trunk", trunk.url))
        meta, done = self.answer("What does the lynx do?")
        self.assertIn("waits", done["text"])
        self.assertNotIn("leaps", done["text"])
        self.assertEqual(meta["snapshots"][0]["fields"], {"branch": "trunk"})

    def test_branches_tags_and_commits_are_answered_from_again_and_again(self):
        second = self.repository.commit({"README.md": "# Tools\n\nThe walrus sleeps at night.\n"})
        self.repository.git("tag", "v1", self.first)
        self.repository.git("-c", "user.name=T", "-c", "user.email=t@quarry.invalid",
                            "tag", "-a", "-m", "Noted", "v1-noted", self.first)
        self.repository.commit({"README.md": "The walrus sleeps at dawn.\n"}, branch="topic/dawn")
        for branch, word in (("v1", "noon"), ("v1-noted", "noon"), (self.first, "noon"),
                             (second, "night"), ("main", "night"), ("topic/dawn", "dawn")):
            self.configure({**self.code, "branch": branch, "refresh": "always"})
            for _ in range(2):
                snapshot = self.says("When does the walrus sleep?", f"sleeps at {word}")
                self.assertEqual(snapshot["version"],
                                 self.repository.commit_of(branch), branch)

    def test_only_the_search_paths_are_fetched(self):
        self.repository.commit({
            "docs/guide.md": "The walrus eats clams.\n", "src/walrus.c": "/* The walrus swims. */\n",
            "other/walrus.md": "The walrus hides.\n" + "x" * 1000, "root.md": "The walrus grunts.\n"})
        for more, there, missing in (
                ({"searchPath": "docs"}, ["eats"], ["swims", "hides", "grunts", "noon"]),
                ({"searchPaths": ["docs", "src/walrus.c"]}, ["eats", "src/walrus.c"], ["hides", "grunts"]),
                ({"searchPath": "docs", "searchPaths": ["src"]}, ["eats", "src/walrus.c"], ["hides"])):
            self.configure({**self.code, **more})
            _, done = self.answer("What does the walrus do: eats, swims, hides, grunts?")
            for word in there:
                self.assertIn(word, done["text"])
            for word in missing:
                self.assertNotIn(f"walrus {word}", done["text"])
        self.configure({**self.code, "searchPath": "dosc"})
        refused = self.refusal("walrus?")
        self.assertIn("dosc", refused)
        self.assertIn("docs", refused, "the paths there are")

    def test_a_citation_links_to_its_commit(self):
        self.configure(self.code, resource_type={"git": {"permalinks": {
            "127.0.0.1": "https://forge.test/at/{version}/{path}#from{start}to{end}"}}})
        _, done = self.answer("When does the walrus sleep?")
        citation = done["citations"][0]
        self.assertEqual(citation["url"], f"https://forge.test/at/{self.first}/README.md"
                         f"#from{citation['startLine']}to{citation['endLine']}")

    def test_names_of_every_kind_are_cited_and_read_back(self):
        names = {"with space.md": "quokka", "new\nline.md": "wombat", "d" * 255 + "/" + "e" * 45: "numbat",
                 'quo"te\\.md': "bilby", "-rf.md": "potoroo", "über/straße.md": "bandicoot",
                 "#L1-L2.md": "dunnart", "[a] b.md": "antechinus", "a]b[c.md": "kowari"}
        self.repository.commit({name: f"# Animals\n\nThe {animal} is shy.\n"
                                for name, animal in names.items()})
        self.configure(self.code)
        for name, animal in names.items():
            _, done = self.answer(f"What is the {animal} like?")
            self.assertIn(f"{animal} is shy", done["text"])
            cited = [each["path"] for each in done["citations"] if each["verified"]]
            self.assertIn(name, cited)

    def test_names_that_are_no_utf8_do_not_hide_the_others(self):
        self.repository.commit({b"caf\xe9.md": "The cassowary kicks.\n",
                                "plain.md": "The emu runs.\n"})
        self.configure(self.code)
        self.says("What does the emu do?", "emu runs")
        self.says("What does the cassowary do?", "cassowary kicks")

    def test_names_that_differ_in_case_only_are_two_files(self):
        self.repository.commit({"Notes.md": "The heron stands.\n", "notes.md": "The heron flies.\n",
                                "NOTES/a.md": "The heron nests.\n"})
        self.configure(self.code)
        _, done = self.answer("What does the heron do: stands, flies, nests?")
        for word in ("stands", "flies", "nests"):
            self.assertIn(word, done["text"])

    def test_symbolic_links_lead_nowhere(self):
        self.repository.commit({"passwd": Link(b"/etc/passwd"), "up": Link(b"../../../../etc/passwd"),
                                "README.md": Link(b"real.md"), "real.md": "The walrus sleeps.\n",
                                "loop": Link(b"loop"), "dir": Link(b"/etc")})
        self.configure(self.code)
        _, done = self.answer("root daemon bin nologin walrus sleeps")
        self.assertNotIn("root:", done["text"])
        self.assertIn("walrus", done["text"])

    def test_submodules_and_lfs_pointers_are_named_and_not_followed(self):
        self.repository.commit({
            ".gitmodules": '[submodule "lib"]\n\tpath = vendor/lib\n\turl = http://127.0.0.1:1/lib.git\n',
            "vendor/lib": Submodule("1a2b3c4d" * 5), "big.bin": LFS_POINTER})
        self.configure(self.code)
        snapshot = self.says("When does the walrus sleep?", "noon")
        said = " ".join(snapshot["notes"])
        self.assertIn("vendor/lib", said)
        self.assertIn("big.bin", said)
        self.assertFalse(self.proxy.asked("lib.git"))

    def test_an_empty_repository_says_so(self):
        empty = self.new_repository("empty")
        for more in ({}, {"branch": "main"}):
            self.configure(git_of("empty", empty.url, **more))
            self.assertIn("empty", self.refusal("walrus?").replace('"empty"', ""))

    def test_a_secret_looking_file_is_no_answer(self):
        self.repository.commit({".env": "WALRUS_KEY=hush\n", "id_rsa": "walrus key hush\n"})
        self.configure(self.code)
        _, done = self.answer("walrus key hush")
        self.assertNotIn("hush", done["text"])

    def test_a_reference_in_a_question_is_a_resource_of_that_question(self):
        self.configure()
        certificate = make_certificate(self.outside)
        server = git_server.GitServer(self.outside / "tls", certificate=certificate)
        self.addCleanup(server.stop)
        repository = server.repository("ephemeral")
        repository.commit({"a.md": "The narwhal dives.\n"})
        self.home.environment["SSL_CERT_FILE"] = str(certificate)
        for _ in range(2):
            self.says("What does the narwhal do?", "dives", resources=[repository.url])
        self.assertEqual(json.loads(self.home.run("resources", "--json").stdout)["resources"], [])
        refused = self.refusal("-r", f"{server.url}/nothing.git", "narwhal?")
        self.assertIn("nothing.git", refused)

    def test_an_address_of_a_forges_page_is_the_repository_it_shows(self):
        self.configure()
        with self.serving() as server:
            for number, (url, want) in enumerate((
                    ("https://github.com/o/r/tree/next/docs/api", ("o/r", "next", "docs/api")),
                    ("https://github.com/o/r/blob/v1.2/README.md", ("o/r", "v1.2", "README.md")))):
                status, made = server.json("POST", "/config/resources",
                                           git_of(f"page{number}", url))
                self.assertEqual(status, 200, made)
                self.assertEqual(made["url"].removesuffix(".git"), f"https://github.com/{want[0]}")
                self.assertEqual((made["branch"], made["searchPath"]), want[1:])


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class AtOnce(GitCase):
    def ask_at_once(self, servers, count):
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            asked = [pool.submit(servers[number % len(servers)].ask, f"walrus sleeps {number}?")
                     for number in range(count)]
            for question in asked:
                events = question.result()
                check_stream(self, events)
                self.assertIn("sleeps at noon", events[-1].data.get("text", events[-1].text))

    def test_first_questions_at_once_fetch_once(self):
        for count in (6, 8):
            repository = self.new_repository(f"new{count}")
            repository.commit({"a.md": "The walrus sleeps at noon.\n"})
            self.configure(git_of("code", repository.url))
            before = self.packs_fetched()
            with self.serving() as server:
                self.ask_at_once([server], count)
            self.assertEqual(self.packs_fetched() - before, 1)

    def test_two_hosts_share_one_cache(self):
        self.configure({**self.code, "refresh": "always"})
        with self.serving() as one, self.serving() as other:
            self.ask_at_once([one, other], 8)
            for number in range(3):
                self.repository.commit({f"more{number}.md": f"The yak of round {number} chews.\n"})
                for server in (one, other):
                    done = server.ask(f"What does the yak of round {number} do?")[-1].data
                    self.assertIn(f"round {number} chews", done["text"])
        self.nothing_left()

    def test_the_third_question_finds_what_another_host_fetched(self):
        self.configure(self.code)
        with self.serving() as one:
            one.ask("walrus?")
        with self.serving() as other:
            other.ask("walrus?")
        self.assertEqual(self.packs_fetched(), 1)


@unittest.skipIf(git_server.MISSING, git_server.MISSING)
class Progress(GitCase):
    def test_a_reader_sees_how_far_the_fetch_is(self):
        self.configure(self.code)
        hold = self.proxy.hold("command=fetch")
        with self.serving() as server:
            body = {"question": "When does the walrus sleep?"}
            with server.stream("/question/stream?events=extended", body) as (_, _, events):
                kinds = []
                for event in events:
                    kinds.append(event.type or event.text)
                    hold.release()
        self.assertIn("resource.progress", kinds)
        self.assertEqual(kinds[-1], "done")


if __name__ == "__main__":
    unittest.main()
