"""A type of resource that only a plugin knows (tests/fixtures/resource-walk-fixture), everywhere
that a resource of the built-in types can be used."""

import json
import subprocess
import unittest
import urllib.request

from cloud_harness import PLAYED, Host
from harness import BUILD, KEY_VARIABLE, TIMEOUT, TestCase, wait_until, without_progress
from played_model import PlayedModel

PLUGINS = f'plugin_path = ["{BUILD / "tests/fixtures"}"]\n'
PLACES = """
[resource_type.walk]
edition = "{edition}"
places.forest = "The heron nests beside the pond of the forest."
places.shore = "The seal rests on the shore at noon."
"""
WOODS = {"type": "walk", "name": "woods", "place": "forest", "season": "autumn",
         "trails": ["north", "south"], "backAgain": True, "distance": 7}
FLAGS = ("--place", "forest", "--season", "autumn", "--trails", "north", "--trails", "south",
         "--back-again", "--distance", "7")


class TypesCase(TestCase):
    def configure(self, more="", edition="first"):
        return self.home.write("quarry.toml", PLUGINS + PLACES.format(edition=edition) + more)

    def works(self, *arguments, **more):
        result = self.home.run(*arguments, **more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def refused(self, code, *arguments):
        result = self.home.run(*arguments)
        self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        return result.stderr

    def listed(self):
        return json.loads(self.works("resources", "--json"))["resources"]

    def has(self, listed, wanted):
        self.assertEqual({key: listed[key] for key in wanted}, wanted)

    def events(self, *arguments):
        """(meta, done) of `quarry ask --json`."""
        events = without_progress(self.works("ask", "--json", *arguments))
        return events[0], events[-1]


class Adding(TypesCase):
    def setUp(self):
        super().setUp()
        self.file = self.configure()

    def test_by_the_options_of_the_type(self):
        self.assertEqual(self.works("add", "walk", *FLAGS, "-n", "woods", "--refresh", "1h"),
                         "added woods (walk, forest)\n")
        self.has(self.listed()[0], {**WOODS, "refresh": "1h", "specialNotes": None})
        self.assertIn("distance = 7\n", self.file.read_text())
        self.assertEqual(self.works("resources"), "woods  walk  forest\n")
        self.assertEqual(self.works("remove", "woods"), "removed woods\n")
        self.assertEqual(self.listed(), [])

    def test_a_table_is_given_as_json(self):
        command = ("add", "--offline", "archive", "--url", "https://example.org/kit.tgz", "--headers")
        for value in ("Accept: text/plain", "[]", "3", '{"Accept": '):
            said = self.refused(3, *command, value)
            self.assertIn("--headers: is not a JSON object", said)
            self.assertIn("""--headers '{"name": "value"}'""", said)
        self.assertIn("\"headers/Accept\" must be of type string", self.refused(3, *command, '{"Accept": 3.5}'))
        self.assertEqual(self.listed(), [])
        self.works(*command, '{"Accept": "text/plain"}')
        self.assertIn('headers = { accept = "text/plain" }', self.file.read_text())
        self.assertRegex(self.works("add", "archive", "--help"), r"--headers JSON +Headers sent")

    def test_options_before_the_type_hold_for_it(self):
        self.works("add", "-n", "one", "--refresh", "never", "walk", "--place", "shore", "--json")
        self.has(self.listed()[0], {"name": "one", "refresh": "never", "place": "shore"})

    def test_by_a_reference(self):
        self.assertEqual(self.works("add", "walk:forest@autumn"), "added forest-walk (walk, forest)\n")
        self.works("add", "walk", "walk:shore", "--season", "winter", "--no-back-again")
        self.has(self.listed()[0], {"type": "walk", "place": "forest", "season": "autumn"})
        self.has(self.listed()[1], {"name": "shore-walk", "season": "winter", "backAgain": False})

    def test_by_fields_with_the_values_that_the_schema_wants(self):
        self.works("add", "woods", "-t", "walk", "-f", "place=forest", "-f", "distance=7",
                   "-f", "season=autumn", "-f", 'trails=["north","south"]', "-f", "backAgain=true")
        self.works("add", "walk", "--place", "shore", "-f", "specialNotes=true")
        self.has(self.listed()[0], WOODS)
        self.has(self.listed()[1], {"name": "shore", "specialNotes": "true"})

    def test_on_a_server(self):
        server = self.serve()
        for arguments in (["walk", *FLAGS, "-n", "woods"], ["walk:shore"], [str(self.home.path)]):
            self.works("add", *arguments, "-s", server.url)
        self.has(self.listed()[0], WOODS)
        self.assertEqual([one["type"] for one in self.listed()], ["walk", "walk", "local"])
        self.assertRegex(self.works("resources", "-s", server.url), r"(?m)^shore-walk +walk  shore$")

    def test_the_help_names_the_type_and_its_fields(self):
        self.assertRegex(self.works("add", "--help").partition("Verbs:")[2],
                         r"(?m)^  walk +A resource type with fields of every form")
        shown = " ".join(self.works("add", "walk", "--help").split())
        for part in ("--place TEXT A place of [resource_type.walk]; required",
                     "--season TEXT:{spring,summer,autumn,winter} The season of the walk; default: "
                     '"summer"', "--trails TEXT ... Trails that are described too",
                     "--back-again,--no-back-again{false} The walk leads back; default: false",
                     "--distance TEXT Kilometres", "--special-notes TEXT", "-n,--name TEXT",
                     "Set in the configuration file only: guideKey"):
            self.assertIn(part, shown)
        self.assertNotIn("guide-key", shown)
        self.assertNotIn("--type", shown)

    def test_a_word_that_was_a_source_remains_one(self):
        self.works("add", "walk", "-t", "walk", "-f", "place=forest")
        for name in ("walk", "git"):
            (self.home.project / name).mkdir()
            (self.home.project / name / "a.md").write_text("A heron.\n")
            self.assertIn("(local, ", self.works("add", name, "-n", f"folder-{name}"))
        self.works("add", "walk", "--place", "forest", "-n", "typed")
        self.assertEqual([one["type"] for one in self.listed()], ["walk", "local", "local", "walk"])

    def test_a_type_is_offered_as_the_configuration_says(self):
        self.assertNotIn("  walk ", self.works("add", "--help", "--config", "/dev/null"))
        self.assertIn("  walk ", self.works("add", "--config", self.file, "--help"))
        self.home.write("quarry.toml", PLUGINS + '[plugins]\ndisabled = ["org.example.resource-walk-fixture"]\n')
        self.assertNotIn("  walk ", self.works("add", "--help"))
        self.home.write("quarry.toml", "broken", trust=False)
        self.assertIn("  git ", self.works("add", "--help"))


class Mistakes(TypesCase):
    def setUp(self):
        super().setUp()
        self.configure()

    def test_a_wrong_field_is_named_with_its_type(self):
        for arguments, words in (
                (["walk", "--place", "forest", "--distance", "far"], ['type "walk"', '"distance" must be']),
                (["walk", "--place", "forest", "-f", "distanse=1"], ['type "walk"', '"distance"']),
                (["walk", "--place", "swamp"], ['the resource of type "walk": ', "place is no place of"]),
                (["walk", "--place", "forest", "-f", "guideKey=x"], ['"guideKey" is a secret'])):
            said = self.refused(3, "add", *arguments)
            for word in words:
                self.assertIn(word, said)
        self.assertEqual(self.listed(), [])

    def test_a_missing_field_is_a_usage_error(self):
        for arguments in (["-n", "x"], ["--distance", "1"]):
            self.assertIn("a reference or --place is required", self.refused(2, "add", "walk", *arguments))

    def test_a_wrong_option_is_a_usage_error(self):
        self.assertIn("--season: spring! not in {spring,summer,autumn,winter}",
                      self.refused(2, "add", "walk", "--place", "forest", "--season", "spring!"))
        self.assertIn("--branch", self.refused(2, "add", "walk", "--branch", "main"))
        self.assertIn("not expected: b", self.refused(2, "add", "walk", "walk:forest", "b"))
        self.assertIn("not expected: --place", self.refused(2, "add", "--place", "forest"))

    def test_a_reference_of_another_type_is_refused_with_both(self):
        said = self.refused(3, "add", "walk", "./")
        self.assertIn('"./" is of the type "local", not "walk"', said)
        self.assertIn("hint: Run: quarry add ", said)
        self.assertIn("walk:forest", self.refused(3, "add", "walk", "wlak:forest"))

    def test_the_nearest_type_is_named(self):
        self.assertIn('did you mean "walk"?', self.refused(3, "add", "x", "-t", "wlak"))
        self.configure('[[resource]]\ntype = "walc"\nname = "x"\nplace = "forest"\n')
        for verb in (["ask", "x"], ["config", "check"]):
            self.assertIn('did you mean "walk"?', self.refused(3, *verb))

    def test_a_table_of_the_type_is_checked_at_its_place(self):
        file = self.configure('[[resource]]\ntype = "walk"\nname = "x"\nplace = "forest"\nsaison = "x"\n')
        for verb in (["ask", "x"], ["config", "check"]):
            said = self.refused(3, *verb)
            self.assertIn(f"{file}:11:1: ", said)
            self.assertIn('did you mean "season"?', said)


class Using(TypesCase):
    TABLE = '[[resource]]\ntype = "walk"\nname = "woods"\nplace = "forest"\ntrails = ["north"]\n'

    def test_a_table_is_asked_about(self):
        self.configure(self.TABLE + f'guideKey = {{ env = "{KEY_VARIABLE}" }}\n')
        self.works("config", "check")
        self.assertIn("resource.walk.season", self.works("config", "explain"))
        meta, done = self.events("Where does the heron nest?")
        snapshot, = meta["snapshots"]
        self.assertEqual((snapshot["resource"], snapshot["version"], snapshot["notes"]),
                         ("woods", "first", ["The walk was taken in summer."]))
        self.assertIn("beside the pond", done["text"])
        urls = [citation.get("url") for citation in done["citations"]]
        self.assertIn("https://walks.example/first/forest.md#L1-L1", urls)

    def test_a_project_without_trust_may_use_the_fields_that_its_schema_opens(self):
        user = self.home.path / "config/quarry/quarry.toml"
        user.parent.mkdir(parents=True)
        user.write_text(PLUGINS + PLACES.format(edition="first"))
        self.home.write("quarry.toml", self.TABLE, trust=False)
        self.assertIn("beside the pond", self.events("Where does the heron nest?")[1]["text"])
        self.assertIn("any value without a table", self.works("config", "explain", "resource.walk.place"))
        self.home.write("quarry.toml", self.TABLE + f'guideKey = {{ env = "{KEY_VARIABLE}" }}\n',
                        trust=False)
        self.assertIn("resource.woods.guideKey", self.refused(3, "ask", "q"))
        user.write_text("")
        self.home.write("quarry.toml", self.TABLE, trust=False)
        self.assertIn("resource.woods.place", self.refused(3, "ask", "q"))

    def test_a_reference_is_asked_about(self):
        self.configure()
        meta, done = self.events("-r", "walk:shore@winter", "Where does the seal rest?")
        snapshot, = meta["snapshots"]
        self.assertEqual((snapshot["resource"], snapshot["notes"]),
                         ("shore-walk", ["The walk was taken in winter."]))
        self.assertIn("on the shore", done["text"])
        self.assertEqual(self.listed(), [])
        self.assertIn("walk:forest", self.refused(3, "ask", "-r", "wlak:shore", "q"))

    def test_it_is_synced_locked_and_removed(self):
        self.configure(self.TABLE)
        self.assertEqual(self.works("sync"), "woods: edition first, new\n")
        self.assertEqual(self.works("lock"), "woods: edition first, new\n")
        self.assertIn('place = "forest"', (self.home.project / "quarry.lock").read_text())
        self.configure(self.TABLE, edition="second")
        self.assertIn("edition second, new", self.works("sync", "woods"))
        self.assertIn("edition first -> edition second", self.works("lock"))
        self.configure(self.TABLE + 'season = "winter"\n', edition="second")
        self.assertIn('season nothing is now "winter"', self.refused(1, "ask", "--locked", "heron?"))
        self.works("remove", "woods")
        self.assertEqual(self.listed(), [])
        self.assertIn("quarry add <folder or reference>", self.refused(3, "lock"))


class Completion(TypesCase):
    def completed(self, script, *words):
        """The completions that bash offers for the last of these words."""
        command = (f"source {script}; COMP_WORDS=(quarry {' '.join(words)}); "
                   f"COMP_CWORD={len(words)}; _quarry; echo \"${{COMPREPLY[@]}}\"")
        return subprocess.run(["bash", "-c", command], capture_output=True, text=True,
                              check=True).stdout.split()

    def test_the_type_and_its_options_are_offered(self):
        self.configure()
        script = self.home.path / "completion"
        script.write_text(self.works("completion", "bash"))
        self.assertEqual(self.completed(script, "add", "wa"), ["walk"])
        self.assertEqual(self.completed(script, "add", "walk", "--pl"), ["--place"])
        self.assertEqual(self.completed(script, "add", "walk", "--place", "forest", "--no"),
                         ["--no-back-again"])
        self.assertIn("walk", self.works("completion", "zsh"))
        fish = self.works("completion", "fish")
        self.assertRegex(fish, r"__fish_seen_subcommand_from add' -a walk -d 'A resource type")
        self.assertIn("__fish_seen_subcommand_from walk' -l season", fish)
        for shell in (script.read_text(), fish):
            self.assertNotIn("guide-key", shell)


class Rest(TypesCase):
    def setUp(self):
        super().setUp()
        self.configure()
        self.server = self.serve()

    def test_it_is_described(self):
        _, document = self.server.json("GET", "/openapi.json")
        variants = document["components"]["schemas"]["resource"]["oneOf"]
        walk, = (one for one in variants if one["properties"]["type"] == {"const": "walk"})
        self.assertEqual(set(walk["required"]), {"place", "type", "name"})
        self.assertIn("autumn", walk["properties"]["season"]["enum"])
        self.assertNotIn("guideKey", walk["properties"])

    def test_it_is_recognised_added_listed_asked_and_removed(self):
        status, answer = self.server.json("POST", "/recognise", {"reference": "walk:forest@autumn"})
        self.assertEqual(status, 200, answer)
        self.has(answer["resource"], {"type": "walk", "name": "forest-walk", "season": "autumn"})
        self.assertEqual(self.server.json("GET", "/resources")[1]["resources"], [])
        status, added = self.server.json("POST", "/config/resources", WOODS)
        self.assertEqual(status, 200, added)
        self.has(added, WOODS)
        self.has(self.server.json("GET", "/resources")[1]["resources"][0], WOODS)
        status, answer = self.server.json("POST", "/question", {"question": "Where is the heron?"})
        self.assertIn("beside the pond", answer["answer"])
        self.assertEqual(self.server.json("POST", "/sync")[1]["resources"][0]["display"], "edition first")
        self.assertRegex(self.server.request("GET", "/metrics")[2], r"(?m)^quarry_resources 1$")
        self.assertEqual(self.server.json("DELETE", "/config/resources/woods")[0], 200)

    def test_mistakes_name_the_field_and_the_type(self):
        status, answer = self.server.json("POST", "/config/resources", {**WOODS, "distance": "far"})
        self.assertEqual((status, answer["tag"]), (400, "ConfigError"))
        self.assertIn('the resource of type "walk": "distance" must be', answer["error"])
        self.assertEqual(answer["details"][0]["field"], "/distance")
        status, answer = self.server.json("POST", "/config/resources", {**WOODS, "type": "wolk"})
        self.assertIn('did you mean "walk"?', answer["error"])
        self.assertIn("walk", answer["hint"])
        status, answer = self.server.json("POST", "/recognise", {"reference": "wlak:forest"})
        self.assertEqual(status, 404)
        self.assertIn("walk:forest", answer["hint"])


class Cloud(TypesCase):
    def setUp(self):
        super().setUp()
        model = PlayedModel()
        self.addCleanup(model.stop)
        self.model = model
        self.audit = self.home.path / "audit.jsonl"
        self.host = Host(self.home, model=PLAYED.format(url=model.url),
                         more=f'[access]\naudit_file = "{self.audit}"\n' + PLACES.format(edition="first"))
        self.host.project("docs")
        self.host.start()
        self.addCleanup(self.host.stop)
        self.token = self.host.token("docs", rights="ask,list,add,metrics")["token"]

    def lines(self):
        text = self.audit.read_text() if self.audit.exists() else ""
        return [json.loads(line) for line in text.splitlines()]

    def test_it_is_added_listed_and_asked_with_a_token(self):
        added = self.host.call(self.token, "addResource", {**WOODS, "notes": "Mind the mud."})
        self.assertFalse(added["isError"], added)
        listed = self.host.call(self.token, "listResources")["structuredContent"]["resources"]
        self.has(listed[0], {**WOODS, "specialNotes": "Mind the mud."})
        _, _, body = self.host.post(self.token, {"jsonrpc": "2.0", "id": 1, "method": "resources/list",
                                                 "params": {}}, {"MCP-Protocol-Version": "2025-06-18"})
        self.assertEqual(body["result"]["resources"][0]["description"], "walk forest: Mind the mud.")
        answer = self.host.call(self.token, "ask", {"question": "Where is the heron?"})
        self.assertFalse(answer["isError"], answer)
        self.assertIn("Mind the mud.", self.model.requests[0])
        wait_until(lambda: {line["tool"] for line in self.lines()} >= {"addResource", "listResources",
                                                                      "ask"}, "each has its line")
        self.assertEqual({(line["status"], line["project"]) for line in self.lines()},
                         {(200, "docs")})
        self.assertIn('quarry_questions_total{outcome="stop"} 1', self.metrics())
        self.works("projects", "secret", "set", "docs", "woods.guideKey", "--env", KEY_VARIABLE)
        self.assertIn("woods.guideKey", self.works("projects", "secret", "list", "docs"))

    def metrics(self):
        request = urllib.request.Request(f"http://127.0.0.1:{self.host.port}/metrics",
                                         headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            return response.read().decode()

    def test_its_members_are_those_of_the_tool(self):
        _, _, body = self.host.post(self.token, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        add = next(t for t in body["result"]["tools"] if t["name"] == "addResource")
        members = add["inputSchema"]["properties"]
        self.assertIn("walk", members["type"]["enum"])
        self.assertEqual(members["trails"]["type"], "array")
        self.assertIn("autumn", members["season"]["enum"])
        self.assertEqual(members["backAgain"]["description"], "walk")
        self.assertNotIn("guideKey", members)

    def test_mistakes_name_the_field_and_the_type(self):
        for arguments, words in (({**WOODS, "distance": "far"}, ['type "walk"', '"distance" must be']),
                                 ({**WOODS, "place": "swamp"}, ['type "walk"', "place"]),
                                 ({**WOODS, "type": "wolk"}, ['did you mean "walk"?']),
                                 ({**WOODS, "guideKey": "x"}, ["guideKey", "secret"])):
            refused = self.host.call(self.token, "addResource", arguments)
            self.assertTrue(refused["isError"], refused)
            for word in words:
                self.assertIn(word, refused["content"][0]["text"])


if __name__ == "__main__":
    unittest.main()
