"""The page at /ui/ of the cloud interface, for callers with tokens."""

import http.client
import json
import re
import unittest

import git_server
from cloud_harness import EXTRACTIVE, PLAYED, Host
from harness import TIMEOUT, wait_until
from page_harness import PageCase
from played_model import PlayedModel

SHARED = """
[[resource]]
type = "local"
name = "handbook"
path = "{path}"
specialNotes = "for all"
projects = ["*"]
"""
QUESTION = {"question": "How are dates parsed?"}


class Served:
    """The address of a host, as of a server of the owner."""

    def __init__(self, host):
        self.url = f"http://127.0.0.1:{host.port}"


class TenantPage(PageCase):
    def begin(self, model=None, more="", transport="page = true"):
        self.home.write("handbook/rules.md", "# Rules\n\nThere are two rules.\n")
        text = EXTRACTIVE
        if model:
            self.addCleanup(model.stop)
            text = PLAYED.format(url=model.url)
        self.host = Host(self.home, model=text, transport=transport,
                         more=SHARED.format(path=self.home.project / "handbook") + more)
        for project in ("docs", "web"):
            self.host.project(project)
        self.host.start()
        self.addCleanup(self.end)
        self.server = Served(self.host)
        return self.host

    def end(self):
        code, errors = self.host.stop()
        self.assertEqual(code, 0, errors)
        self.assertNotIn("WARNING: ThreadSanitizer", errors)

    def token(self, *more, project="docs", **given):
        return self.host.token(project, *more, **given)["token"]

    def add(self, token, name="docs"):
        added = self.host.call(token, "addResource", {"type": "local", "name": name,
                                                      "path": str(self.home.project / "docs")})
        self.assertFalse(added["isError"], added)

    def enter(self, page, token):
        page.fill("#token", token)
        page.press("Enter")
        page.see("#question")

    def request(self, method, path, token=None, body=None, **headers):
        """(status, body as JSON)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.host.port, timeout=TIMEOUT)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            connection.request(method, "/ui/api" + path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            text = response.read()
            return response.status, json.loads(text) if text else None
        finally:
            connection.close()


class Using(TenantPage):
    def test_a_caller_signs_in_and_sees_its_project_alone(self):
        self.begin()
        token = self.token()
        self.add(token)
        self.add(self.token(project="web"), "of-web")
        page = self.open("/")
        self.assertEqual(page.call("url"), self.server.url + "/ui/")
        page.fill("#token", "qry_wrong")
        page.press("Enter")
        page.see(".failure")
        self.assertIn("token", page.text(".failure"))
        self.enter(page, token)
        page.see("nav .foot b:has-text('2')")
        self.assertEqual(page.text("nav").split(), ["Quarry", "New", "question", "N", "docs", "Resources", "2", "Theme", "system"])
        page.click(".row >> text=Sources")
        self.assertEqual(page.value("[...document.querySelectorAll('[role=option]')].map((one) => one.children[1].textContent)"),
                         ["All 2 resources (chosen)", "docs", "handbook"])
        page.press("Escape")
        self.ask(page, "How are dates parsed?")
        page.see(".turn .sources .cite.good")
        self.assertIn("docs at ", page.text(".turn .sources"))
        page.click(".turn .sources .cite.good")
        page.see(".source .cited")
        self.assertIn("parse_date", page.call("textContent", ".source .lines"))
        page.press("Escape")
        page.click("nav a:has-text('Resources')")
        page.see(".card:has-text('handbook')")
        self.assertEqual(page.count(".cards .card"), 2)
        shared = page.text(".card:has-text('handbook')")
        self.assertIn("shared by the owner", shared)
        self.assertIn("for all", shared)
        self.assertNotIn(str(self.home.project), shared)
        self.assertEqual(page.count(".cards button.danger"), 0)
        for view in ("costs", "state", "conversations"):
            page.go(f"{self.server.url}/ui/#/{view}")
            page.see("#question")
        self.check_quiet("401")

    def test_a_resource_is_added_by_form_with_the_right_to(self):
        self.begin()
        page = self.open()
        self.enter(page, self.token())
        page.go(self.server.url + "/ui/#/resources")
        page.choose("#type", "local")
        page.fill("#field-name", "mine")
        page.fill("#field-path", str(self.home.project / "docs"))
        page.click("form.schema button[type=submit]")
        page.see(".card:has-text('mine')")
        reader = self.open()
        self.enter(reader, self.token(rights="ask,list"))
        reader.go(self.server.url + "/ui/#/resources")
        reader.see(".card:has-text('mine')")
        self.assertEqual(reader.count("#type"), 0)
        self.check_quiet("401")

    def test_a_token_of_two_projects_chooses_one(self):
        self.begin()
        both = self.token("--project", "web")
        self.add(both)
        self.add(self.token(project="web"), "of-web")
        page = self.open()
        self.enter(page, both)
        page.see(".first .chooser:has-text('All 2 resources')")
        page.choose("nav select", "web")
        page.click(".row >> text=Sources")
        page.see("[role=option]:has-text('of-web')")
        self.assertNotIn("docs", page.text("[role=listbox]"))
        page.press("Escape")
        self.ask(page, "How are dates parsed?")
        page.see(".turn .sources .cite.good")
        self.assertIn("of-web at ", page.text(".sources"))
        self.check_quiet("401")

    def test_a_reload_takes_the_answer_up_and_a_question_continues_the_last(self):
        model = PlayedModel(lambda number: ["one ", PlayedModel.HANG] if number == 1 else [f"answer {number}"])
        self.begin(model=model)
        token = self.token()
        self.add(token)
        page = self.open()
        self.enter(page, token)
        self.ask(page, "first?")
        page.see(".markdown:has-text('one')")
        page.call("reload")
        page.see("#token")
        self.enter(page, token)
        page.see(".markdown:has-text('one')")
        self.assertEqual(page.text("h2.question"), "first?")
        page.click("[aria-label=Stop]")
        page.see(".turn .facts:has-text('stopped')")
        self.ask(page, "second?")
        page.see(".markdown:has-text('answer 2')")
        self.ask(page, "third?")
        page.see(".markdown:has-text('answer 3')")
        sent = json.dumps(model.requests[-1])
        self.assertLess(sent.index("second?"), sent.index("answer 2"))
        self.assertLess(sent.index("answer 2"), sent.index("third?"))
        self.check_quiet("401")

    def test_axe_finds_nothing_and_everything_fits_a_phone(self):
        self.begin()
        token = self.token("--project", "web")
        self.add(token)
        for scheme in ("light", "dark"):
            page = self.open(scheme=scheme, width=360, height=740)
            self.assertEqual(page.command("axe"), [])
            self.enter(page, token)
            page.see(".chooser:has-text('All 2 resources')")
            self.assertEqual(page.command("axe"), [])
            page.go(self.server.url + "/ui/#/resources")
            page.see(".card")
            self.assertEqual(page.command("axe"), [])
            self.assertLessEqual(page.value("document.documentElement.scrollWidth"), 360)


class Sharing(TenantPage):
    """Resources of the owner and of two projects, two of one name: on each surface a project sees what it may."""

    OWNERS = {"handbook": '"*"', "plan": '"web"', "hidden": None}
    LINES = {"handbook": "The walrus rule is shared with all.", "plan": "The zebra plan is for one.", "hidden": "The ferret is the owner's.",
             "mine": "The heron rule is of a project."}
    SURFACES = ("MCP", "REST")

    def setUp(self):
        super().setUp()
        for name, line in self.LINES.items():
            self.home.write(f"{name}/rules.md", f"# Rules\n\n{line}\n")

    def begin(self, more=""):
        self.host = Host(self.home, transport="page = true", more='network.private_hosts = ["127.0.0.1"]\n' + "".join(
            f'[[resource]]\ntype = "local"\nname = "{name}"\npath = "{self.home.project / name}"\n'
            + (f"projects = [{projects}]\n" if projects else "") for name, projects in self.OWNERS.items()) + more)
        for project in ("docs", "web"):
            self.host.project(project)
        self.host.start()
        self.addCleanup(self.end)
        self.server = Served(self.host)
        self.docs, self.web = (self.token(project=project, rights="ask,list,add,read") for project in ("docs", "web"))
        added = self.host.call(self.docs, "addResource", self.own("handbook"))
        self.assertFalse(added["isError"], added)

    def own(self, name):
        return {"type": "local", "name": name, "path": str(self.home.project / "mine")}

    def use(self, surface, token, tool, arguments):
        """What a tool answers, as a text."""
        if surface == "MCP":
            return json.dumps(self.host.call(token, tool, arguments))
        path = "/question" if tool == "ask" else f"/tools/{tool}"
        return json.dumps(self.request("POST", path, token, arguments)[1])

    def listed(self, token):
        """What MCP and REST list, in the same words."""
        by_mcp = self.host.call(token, "listResources")["structuredContent"]["resources"]
        self.assertEqual(self.request("GET", "/resources", token)[1]["resources"], by_mcp)
        self.assertEqual(self.host.resources(token), [one["name"] for one in by_mcp])
        return by_mcp

    def check_reads(self, token, name, line):
        """Every tool reads this line of a resource, and none of another's."""
        word = line.split()[1]
        for surface in self.SURFACES:
            for tool, given in (("ask", {"question": f"What is the {word}?"}), ("search", {"query": "rule plan ferret"}),
                                ("grep", {"pattern": "The "}), ("read", {"path": f"{name}/rules.md"})):
                if tool != "read":
                    given["resources"] = [name]
                told = self.use(surface, token, tool, given)
                self.assertIn(word, told, (surface, tool))
                for other in self.LINES.values():
                    if other != line:
                        self.assertNotIn(other, told, (surface, tool))

    def check_unknown(self, token, name):
        """The resource is as unknown as one that does not exist."""
        for surface in self.SURFACES:
            for tool, given in (("ask", {"question": "What is there?", "resources": ["?"]}), ("search", {"query": "rule", "resources": ["?"]}),
                                ("grep", {"pattern": "The ", "resources": ["?"]}), ("read", {"path": "?/rules.md"}),
                                ("list", {"path": "?"}), ("sync", {"resources": ["?"]})):
                told, nobody = (self.use(surface, token, tool, json.loads(json.dumps(given).replace("?/", one + "/").replace('"?"', f'"{one}"')))
                                .replace(one, "?") for one in (name, "n" * len(name)))
                self.assertIn("no ", told, (surface, tool))
                for line in self.LINES.values():
                    self.assertNotIn(line, told, (surface, tool))
                self.assertEqual(self.without_hint(told), self.without_hint(nobody), (surface, tool))

    @staticmethod
    def without_hint(told):
        """Without ids of questions, and the name that is the most similar."""
        return re.sub(r'Did you mean [^?]*\?|"[0-9a-f]{32}"', "", told)

    def test_each_project_sees_its_own_and_what_is_shared_with_it(self):
        self.begin()
        self.assertEqual(self.listed(self.docs), [{**self.own("handbook"), "specialNotes": None, "refresh": None, "refreshInBackground": None}])
        self.assertEqual(self.listed(self.web), [{"type": "local", "name": name, "specialNotes": None, "shared": True}
                                                 for name in ("handbook", "plan")])
        self.check_reads(self.docs, "handbook", self.LINES["mine"])
        self.check_reads(self.web, "handbook", self.LINES["handbook"])
        self.check_reads(self.web, "plan", self.LINES["plan"])
        self.check_unknown(self.docs, "plan")
        self.check_unknown(self.docs, "hidden")
        self.check_unknown(self.web, "hidden")
        for token in (self.docs, self.web):  # all that there is to each
            for surface in self.SURFACES:
                told = self.use(surface, token, "grep", {"pattern": "The "})
                self.assertEqual([line for line in self.LINES.values() if line in told],
                                 [self.LINES["mine"]] if token == self.docs else [self.LINES["handbook"], self.LINES["plan"]])

    def test_the_page_of_each_shows_the_same(self):
        self.begin()
        for token, names, line in ((self.docs, ["handbook"], self.LINES["mine"]),
                                   (self.web, ["handbook", "plan"], self.LINES["handbook"])):
            page = self.open()
            self.enter(page, token)
            page.go(self.server.url + "/ui/#/resources")
            page.see(".card:has-text('handbook')")
            self.assertEqual(page.value("[...document.querySelectorAll('.cards h2')].map((one) => one.textContent)"), names)
            shared = len(names) if token == self.web else 0
            self.assertEqual(page.value("[...document.querySelectorAll('.cards .card')].filter((one) => one.textContent.includes('shared by the owner')).length"),
                             shared)
            self.assertEqual([page.count(f".cards [aria-label^={verb}]") for verb in ("Ask", "Update", "Remove", "Files")],
                             [len(names), len(names) - shared, 0, 0])
            self.assertNotIn(str(self.home.project / "handbook"), page.text("main"))
            page.go(self.server.url + "/ui/#/ask/handbook")
            self.ask(page, f"What is the {line.split()[1]} rule?")
            page.see(".turn .sources .cite.good")
            page.click(".turn .sources .cite.good")
            page.see(".source .cited")
            self.assertIn(line, page.call("textContent", ".source .lines"))
            for view in ("files/handbook/-/rules.md", "costs", "state"):
                page.go(f"{self.server.url}/ui/#/{view}")
                page.see("#question")
        self.check_quiet("401")

    def test_nothing_of_a_project_changes_what_is_the_owners(self):
        self.begin()
        file = self.home.project / "quarry.toml"
        before = file.read_text()
        for method, path, body in (("DELETE", "/config/resources", {"name": "handbook"}), ("DELETE", "/config/resources/handbook", None),
                                   ("POST", "/sync", {"name": "handbook"}), ("POST", "/clear", {}), ("POST", "/recognise", {"reference": "/etc"}),
                                   ("GET", "/resources/handbook", None), ("GET", "/resources/handbook/files/rules.md", None)):
            self.assertEqual(self.request(method, path, self.web, body)[0], 404, path)
        page = self.open()
        self.enter(page, self.web)
        page.go(self.server.url + "/ui/#/resources")
        page.choose("#type", "local")
        for name in ("plan", "hidden"):  # names of the owner's, of which it sees the first alone
            page.choose("#type", "local")
            page.fill("#field-name", name)
            page.fill("#field-path", str(self.home.project / "mine"))
            page.click("form.schema button[type=submit]")
            page.wait(f"[...document.querySelectorAll('.cards .card')].some((one) => one.textContent.includes('{name}') && !one.textContent.includes('shared'))")
        for name in ("plan", "hidden"):
            self.check_reads(self.web, name, self.LINES["mine"])
        self.assertEqual(file.read_text(), before)
        owners = self.home.run("grep", "The ", "-r", "plan", "-r", "hidden", "-r", "handbook")
        for name in self.OWNERS:
            self.assertIn(self.LINES[name], owners.stdout, owners.stderr)
        self.check_reads(self.docs, "handbook", self.LINES["mine"])
        self.check_unknown(self.docs, "plan")
        self.check_quiet("401")

    @unittest.skipIf(git_server.MISSING, git_server.MISSING)
    def test_a_project_does_not_make_the_owners_source_be_asked(self):
        server = git_server.GitServer(self.home.path / "git")
        self.addCleanup(server.stop)
        repository = server.repository("kit")
        repository.commit({"README.md": "The first line.\n"})
        self.begin(f'[[resource]]\ntype = "git"\nname = "kit"\nurl = "{repository.url}"\nprojects = ["web"]\n')
        grep = {"pattern": "The .* line", "resources": ["kit"]}
        for surface in self.SURFACES:
            self.assertIn("The first line.", self.use(surface, self.web, "grep", grep))
        repository.commit({"README.md": "The second line.\n"})
        for surface in self.SURFACES:
            told = self.use(surface, self.web, "sync", {"resources": ["kit"]})
            self.assertNotIn(repository.url, told)
            for tool, given in (("grep", grep), ("ask", {"question": "What is the first line?", "resources": ["kit"], "sync": True})):
                told = self.use(surface, self.web, tool, given)
                self.assertIn("first line", told, (surface, tool))
                self.assertNotIn("second", told, (surface, tool))
        synced = self.home.run("sync", "kit")
        self.assertEqual(synced.returncode, 0, synced.stderr)
        self.host.stop()
        self.host.start()
        self.assertIn("The second line.", self.use("MCP", self.web, "grep", grep))


class Attacks(TenantPage):
    def ended_question(self, token):
        status, body = self.request("POST", "/question", token, QUESTION)
        self.assertEqual(status, 200, body)
        return body["id"]

    def test_it_is_off_unless_it_is_wanted(self):
        self.begin(transport="")
        for path in ("/ui/", "/ui", "/", "/ui/api/"):
            connection = http.client.HTTPConnection("127.0.0.1", self.host.port, timeout=TIMEOUT)
            connection.request("GET", path, headers={"Accept": "text/html"})
            self.assertEqual(connection.getresponse().status, 404, path)
            connection.close()

    def test_what_is_the_owners_is_not_there(self):
        self.begin()
        token = self.token()
        known = {}
        for path in ("/config", "/threads", "/usage", "/state", "/providers", "/metrics", "/readyz", "/livez",
                     "/resources/handbook", "/resources/handbook/files/rules.md", "/ui/"):
            known[path] = self.request("GET", path, token)
        for path, body in (("/recognise", {"reference": "/etc"}), ("/clear", {}), ("/sync", {}), ("/reload-config", {}),
                           ("/plugins/reload", {})):
            known[path] = self.request("POST", path, token, body)
        known["PUT"] = self.request("PUT", "/config/model", token, {"provider": "x", "model": "y"})
        known["DELETE"] = self.request("DELETE", "/config/resources", token, {"name": "handbook"})
        self.assertEqual({path: status for path, (status, _) in known.items()}, {path: 404 for path in known})

    def test_without_a_valid_token_nothing_is_there(self):
        self.begin()
        for token in (None, "qry_wrong", "x" * 5000):
            for method, path, body in (("GET", "/", None), ("GET", "/resources", None), ("POST", "/question", QUESTION),
                                       ("GET", "/question/1/events", None)):
                status, answer = self.request(method, path, token, body)
                self.assertEqual(status, 401, (path, answer))

    def test_a_question_of_another_is_not_there(self):
        self.begin()
        mine, other = self.token(), self.token()
        self.add(mine)
        question = self.ended_question(mine)
        for method, path in (("GET", f"/question/{question}/events"), ("GET", f"/question/{question}/sources/1"),
                             ("POST", f"/question/{question}/stop")):
            self.assertNotEqual(self.request_status(method, path, mine), 404, path)
            status, body = self.request(method, path, other)
            self.assertEqual((status, body["tag"]), (404, "NotFound"), path)
            unknown = self.request(method, path.replace(question, "0" * len(question)), other)[1]
            self.assertEqual(unknown["error"].replace("0" * len(question), question), body["error"])

    def request_status(self, method, path, token):
        connection = http.client.HTTPConnection("127.0.0.1", self.host.port, timeout=TIMEOUT)
        try:
            connection.request(method, "/ui/api" + path, headers={"Authorization": f"Bearer {token}"})
            return connection.getresponse().status
        finally:
            connection.close()

    def test_nobody_acts_for_another(self):
        self.begin()
        mine, other = self.host.token("docs"), self.host.token("web")
        self.add(other["token"], "of-web")
        body = {**QUESTION, "resources": ["of-web"], "principal": {"token": other["id"], "project": "web"}}
        status, answer = self.request("POST", "/question", mine["token"], body)
        self.assertEqual((status, answer["tag"]), (400, "RequestError"), answer)
        self.assertIn('"principal"', answer["error"])
        del body["principal"]
        status, answer = self.request("POST", "/question", mine["token"], body)
        self.assertEqual((status, answer["tag"]), (400, "CollectionError"), answer)
        status, answer = self.request("GET", "/resources", mine["token"], X_Project="web")
        self.assertEqual((status, answer["tag"]), (404, "ProjectError"), answer)
        for wrong in ([], "text", 7, {"question": 5}):
            status, answer = self.request("POST", "/question", mine["token"], wrong)
            self.assertEqual(status, 400, (wrong, answer))

    def test_rights_and_limits_are_kept_to(self):
        self.begin()
        asker = self.token(rights="ask")
        self.assertEqual(self.request("GET", "/resources", asker)[0], 403)
        self.assertEqual(self.request("POST", "/config/resources", asker, {
            "type": "local", "name": "x", "path": str(self.home.project)})[0], 403)
        self.assertEqual(self.request("POST", "/tools/grep", asker, {"pattern": "x"})[0], 403)
        slow = self.token("--requests-per-minute", "2")
        statuses = [self.request("GET", "/resources", slow)[0] for _ in range(3)]
        self.assertEqual(statuses, [200, 200, 429])

    def test_a_page_of_another_origin_gets_nothing(self):
        self.begin()
        token = self.token()
        self.assertEqual(self.request("GET", "/resources", token, Origin="https://evil.example")[0], 403)
        self.assertEqual(self.request("GET", "/resources", token, Host="evil.example")[0], 403)

    def test_a_revoked_token_ends_its_stream(self):
        model = PlayedModel(lambda number: ["one ", PlayedModel.HANG])
        self.begin(model=model)
        made = self.host.token("docs")
        self.add(made["token"])
        page = self.open()
        self.enter(page, made["token"])
        self.ask(page, "q?")
        page.see(".markdown:has-text('one')")
        self.host.manage("tokens", "revoke", made["id"])
        page.see(".turn .failure")
        self.assertEqual(self.request("GET", "/resources", made["token"])[0], 401)

    def test_the_audit_has_its_questions_with_their_cost(self):
        audit = self.home.path / "audit.jsonl"
        self.begin(more=f'[access]\naudit_file = "{audit}"\n')
        made = self.host.token("docs")
        self.add(made["token"])
        self.ended_question(made["token"])
        self.request("GET", "/resources", made["token"])
        self.request("GET", "/resources", "qry_wrong")

        def lines():
            return [json.loads(line) for line in audit.read_text().splitlines()] if audit.exists() else []

        def of(tool):
            return [line for line in lines() if line.get("tool") == tool]
        wait_until(lambda: of("/question") and of("/resources"), "the audit has the lines")
        self.assertEqual([(line["token"], line["project"], line["status"]) for line in of("/question")],
                         [(made["id"], "docs", 200)])
        self.assertIn("usd", of("/question")[0])
        self.assertNotIn("dates", audit.read_text())


if __name__ == "__main__":
    unittest.main()
