"""Packages from a real registry: versions, content, access."""

import concurrent.futures
import json
import os
import unittest

import npm_server
from resource_harness import NpmCase

WHEN = "When does the zebra graze?"


def files(when):
    return {"README.md": f"# Zebra\n\nThe zebra grazes at {when}.\n", "index.js": "module.exports = 1\n",
            "lib/stripes.js": "// Stripes are painted by the okapi.\n"}


@unittest.skipIf(npm_server.MISSING, npm_server.MISSING)
class Packages(NpmCase):
    def test_an_answer_rests_on_an_exact_version(self):
        self.registry.publish("plain", "1.0.0", files("noon"))
        self.configure(self.npm_of("plain"))
        meta, done = self.answer(WHEN)
        self.assertIn("grazes at noon", done["text"])
        self.assertIn("1.0.0", meta["snapshots"][0]["version"] + meta["snapshots"][0]["display"])
        for citation in done["citations"]:
            self.assertTrue(citation["verified"])
            self.assertNotIn("url", citation, "unpkg.com has only what the public registry has")
        self.nothing_left()

    def test_versions_ranges_and_tags_mean_what_npm_means(self):
        for version, tag in (("1.0.0", "old"), ("1.2.3", "one"), ("1.10.0", "ten"), ("2.0.0-rc.1", "next"),
                             ("0.9.0", "latest")):
            self.registry.publish("many", version, files(f"version {version} time"), tag=tag)
        for asked, want in (("1.0.0", "1.0.0"), ("^1.2", "1.10.0"), ("~1.2.0", "1.2.3"), ("1.x", "1.10.0"),
                            ("latest", "0.9.0"), (None, "0.9.0"), ("next", "2.0.0-rc.1"),
                            (">=1 <1.10", "1.2.3"), ("^2.0.0-rc.0", "2.0.0-rc.1"), ("*", "0.9.0"),
                            ("one", "1.2.3")):
            with self.subTest(asked):
                self.configure(self.npm_of("many", **({"version": asked} if asked else {})))
                self.says(WHEN, f"version {want} time")

    def test_what_the_package_says_of_itself_can_be_asked_about(self):
        self.registry.publish(
            "described", "1.0.0", {"index.js": "1\n", "index.d.ts": "export {}\n"},
            description="Counts the stripes of zebras.", types="index.d.ts",
            dependencies={"okapi-paint": "^3.1.0"},
            repository={"type": "git", "url": "git+https://github.com/zoo/described.git"})
        self.configure(self.npm_of("described"))
        _, done = self.answer("Which dependencies does described have?")
        self.assertIn("okapi-paint", done["text"])
        _, done = self.answer("What does described count?")
        self.assertIn("stripes of zebras", done["text"])

    def test_scoped_packages(self):
        self.registry.publish("@scope/pkg", "1.0.0", files("noon"))
        self.configure(self.npm_of("@scope/pkg"))
        _, done = self.answer(WHEN)
        self.assertIn("grazes at noon", done["text"])
        self.assertTrue(all(each["verified"] for each in done["citations"]))

    def test_a_version_once_fetched_is_not_fetched_again(self):
        self.registry.publish("once", "1.0.0", files("noon"))
        for version in ("1.0.0", "^1", "latest"):
            self.configure(self.npm_of("once", version=version, refresh="always"))
            self.says(WHEN, "noon")
            self.says(WHEN, "noon")
        self.assertEqual(self.tarballs_fetched(), 1)

    def test_a_tag_that_moves_is_followed_by_the_policy(self):
        self.registry.publish("moving", "1.0.0", files("noon"))
        self.configure(self.npm_of("moving"))
        self.says(WHEN, "noon")
        self.registry.publish("moving", "1.1.0", files("night"))
        self.says(WHEN, "noon")
        self.says(WHEN, "night", "--sync")
        self.configure(self.npm_of("moving", version="1.0.0"))
        self.says(WHEN, "noon")

    def test_updates_are_requested_with_the_etag(self):
        self.registry.publish("tagged", "1.0.0", files("noon"))
        self.configure(self.npm_of("tagged", refresh="always"))
        self.says(WHEN, "noon")
        self.proxy.requests.clear()
        self.says(WHEN, "noon")
        asked = self.proxy.asked("GET /tagged")
        self.assertEqual(len(asked), 1)
        self.assertIn("If-None-Match", asked[0].headers)

    def test_a_deprecated_version_says_so(self):
        self.registry.publish("outdated", "1.0.0", files("noon"), deprecated="Use the okapi instead.")
        self.configure(self.npm_of("outdated"))
        snapshot = self.says(WHEN, "noon")
        self.assertIn("Use the okapi instead", " ".join(snapshot["notes"]))

    def test_a_missing_version_names_those_near_to_it(self):
        for version in ("1.0.0", "1.1.0", "2.0.0"):
            self.registry.publish("nearby", version, files("noon"))
        for asked in ("1.2.0", "^3"):
            self.configure(self.npm_of("nearby", version=asked))
            refused = self.refusal(WHEN)
            self.assertIn(asked, refused)
            self.assertIn("1.1.0" if asked == "1.2.0" else "2.0.0", refused)

    def test_a_reference_in_a_question_is_a_resource_of_that_question(self):
        self.registry.publish("passing", "1.4.0", files("noon"))
        self.configure(resource_type={"npm": {"registry": self.proxy.url}})
        for reference in ("npm:passing", "npm:passing@^1", "npm:passing@1.4.0",
                          "https://www.npmjs.com/package/passing",
                          "https://www.npmjs.com/package/passing/v/1.4.0"):
            with self.subTest(reference):
                self.says(WHEN, "noon", resources=[reference])
        self.assertIn("nothing-here", self.refusal("-r", "npm:nothing-here", WHEN))

    def test_a_large_package(self):
        self.registry.publish("huge", "1.0.0", {
            **files("noon"), "blob.bin": os.urandom(30_000_000),
            **{f"data/{number}.txt": f"stripe {number} " * 2000 for number in range(200)}})
        self.configure(self.npm_of("huge"))
        self.says(WHEN, "noon")
        self.nothing_left()

    def test_a_packument_of_twenty_megabytes(self):
        self.registry.publish("verbose", "1.0.0", files("noon"))

        def grow(body):
            packument = json.loads(body)
            one = packument["versions"]["1.0.0"]
            for number in range(10_000):
                packument["versions"][f"0.{number}.0"] = {**one, "version": f"0.{number}.0",
                                                          "padding": "x" * 1800}
            return json.dumps(packument).encode()

        self.proxy.rewrite("GET /verbose ", grow)
        self.configure(self.npm_of("verbose"))
        self.says(WHEN, "noon")

    def test_first_questions_at_once_fetch_once(self):
        self.registry.publish("popular", "1.0.0", files("noon"))
        self.configure(self.npm_of("popular"))
        server = self.serve()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for events in pool.map(server.ask, [WHEN] * 8):
                self.assertIn("noon", events[-1].data["text"])
        self.assertEqual(self.tarballs_fetched(), 1)

    def test_without_the_registry_the_last_version_answers_and_says_so(self):
        self.registry.publish("lasting", "1.0.0", files("noon"))
        self.configure(self.npm_of("lasting", refresh="always"))
        self.says(WHEN, "noon")
        self.proxy.answer(".", 503, '{"error": "maintenance"}')
        self.assertIn("503", self.says(WHEN, "noon")["stale"])

    def test_a_lock_holds_the_version_and_its_integrity(self):
        integrity = self.registry.publish("firm", "1.0.0", files("noon"))
        self.configure(self.npm_of("firm", refresh="always"))
        self.assertEqual(self.home.run("lock").returncode, 0)
        self.assertIn(integrity, (self.home.project / "quarry.lock").read_text())
        self.registry.publish("firm", "2.0.0", files("night"))
        self.home.run("clear")
        self.says(WHEN, "noon", "--locked")
        other = npm_server.package("firm", "1.0.0", files("dusk"))
        self.home.run("clear")
        self.proxy.rewrite(r"GET \S*\.tgz", lambda _: other)
        self.proxy.rewrite("GET /firm ", lambda body: body.replace(
            integrity.encode(), npm_server.integrity_of(other).encode()))
        refused = self.refusal("--locked", WHEN)
        self.assertIn("integrity", refused)


@unittest.skipIf(npm_server.MISSING, npm_server.MISSING)
class Private(NpmCase):
    def setUp(self):
        super().setUp()
        self.secret = self.registry.token
        self.registry_name = f"127.0.0.1:{self.proxy.port}"
        self.home.environment["REGISTRY_TOKEN"] = self.secret

    def publish(self, name):
        self.registry.publish(name, "1.0.0", files("noon"))
        return name

    def check_secret(self):
        for path in self.home.path.rglob("*"):
            if path.is_file() and path.name != ".npmrc":
                self.assertNotIn(self.secret.encode(), path.read_bytes(), path)

    def test_a_token_of_the_configuration_opens_it(self):
        self.configure(self.npm_of(self.publish("@private/one"), token={"env": "REGISTRY_TOKEN"}))
        self.says(WHEN, "noon")
        self.check_secret()

    def test_a_token_of_npmrc_opens_it(self):
        for number, line in enumerate((f"//{self.registry_name}/:_authToken={self.secret}",
                                       f"//{self.registry_name}/:_authToken=${{REGISTRY_TOKEN}}")):
            name = self.publish(f"@private/rc{number}")
            (self.home.path / ".npmrc").write_text(
                f"registry=http://127.0.0.1:1/\n@private:registry=http://{self.registry_name}/\n{line}\n")
            self.configure({"type": "npm", "name": "package", "package": name})
            self.says(WHEN, "noon")
            self.check_secret()
        (self.home.path / ".npmrc").unlink()
        self.assertIn("token", self.refusal("--sync", "-r", f"npm:{name}", WHEN) + "token")

    def test_npmrc_can_be_left_unread(self):
        (self.home.path / ".npmrc").write_text(f"//{self.registry_name}/:_authToken={self.secret}\n")
        self.configure(self.npm_of(self.publish("@private/unread")),
                       resource_type={"npm": {"npmrc": False}})
        self.refusal(WHEN)

    def test_a_token_goes_to_its_registry_only(self):
        from proxy import Proxy
        other = Proxy(self.registry.url)
        self.addCleanup(other.stop)
        name = self.publish("@private/leak")
        here, there = f":{self.proxy.port}/".encode(), f":{other.port}/".encode()
        self.proxy.rewrite("GET /@private", lambda body: body.replace(here, there))
        self.configure(self.npm_of(name, token={"env": "REGISTRY_TOKEN"}))
        self.home.run("ask", WHEN)
        self.proxy.as_is()
        self.proxy.redirect(r"GET \S*\.tgz", lambda request: other.url + request.path)
        self.home.run("ask", WHEN)
        self.assertNotIn(self.secret, str([dict(each.headers) for each in other.requests]))
        self.check_secret()


if __name__ == "__main__":
    unittest.main()
