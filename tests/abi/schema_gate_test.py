"""The gate of the schemas sees each kind of change that breaks a plugin or a client."""

import copy
import json
import pathlib
import tempfile
import unittest

import schema_gate

SCHEMAS = pathlib.Path(__file__).parents[2] / "sdk/schema"
VALUE = {
    "$id": "a/1", "type": "object", "required": ["id"],
    "properties": {
        "id": {"type": "string", "minLength": 1, "maxLength": 10, "pattern": "^a"},
        "kind": {"enum": ["one", "two"]},
        "rows": {"type": "array", "maxItems": 3, "items": {"type": "object", "properties": {
            "count": {"type": "integer", "minimum": 0, "maximum": 9}}}}}}


def at(schema, pointer):
    for part in pointer.split("/")[1:]:
        schema = schema[part]
    return schema


class Changes(unittest.TestCase):
    def problems(self, pointer, edit):
        new = copy.deepcopy(VALUE)
        edit(at(new, pointer) if pointer else new)
        return list(schema_gate.changes(VALUE, new))

    def test_permitted_ones(self):
        cases = {
            "a word": ("/properties/id", lambda node: node.update(description="x", title="y")),
            "an id": ("", lambda node: node.update({"$id": "a/1.1"})),
            "a property": ("/properties", lambda node: node.update(more={"type": "number"})),
            "a larger maximum": ("/properties/id", lambda node: node.update(maxLength=11)),
            "a smaller minimum": ("/properties/id", lambda node: node.update(minLength=0)),
            "no maximum": ("/properties/rows", lambda node: node.pop("maxItems")),
            "a property of a row": ("/properties/rows/items/properties",
                                    lambda node: node.update(more={"type": "number"}))}
        for name, case in cases.items():
            with self.subTest(name):
                self.assertEqual(self.problems(*case), [])

    def test_others(self):
        cases = {
            "a removed property": ("/properties", lambda node: node.pop("kind"), "was removed"),
            "another type": ("/properties/id", lambda node: node.update(type="integer"), "/type was"),
            "no type": ("/properties/id", lambda node: node.pop("type"), "was removed"),
            "a required one": ("", lambda node: node.update(required=["id", "kind"]), "/required"),
            "one that is not required": ("", lambda node: node.update(required=[]), "/required"),
            "a smaller maximum": ("/properties/id", lambda node: node.update(maxLength=9), "refuses"),
            "a larger minimum": ("/properties/id", lambda node: node.update(minLength=2), "refuses"),
            "a new maximum": ("/properties/kind", lambda node: node.update(maxLength=1), "refuses"),
            "another pattern": ("/properties/id", lambda node: node.update(pattern="^b"), "/pattern"),
            "another word of an enum": ("/properties/kind", lambda node: node.update(enum=["one"]),
                                        "/enum was"),
            "no other members": ("", lambda node: node.update(additionalProperties=False), "refuses"),
            "a deep one": ("/properties/rows/items/properties/count",
                           lambda node: node.update(maximum=8),
                           "/properties/rows/items/properties/count/maximum was 9 and is 8")}
        for name, (pointer, edit, words) in cases.items():
            with self.subTest(name):
                problems = self.problems(pointer, edit)
                self.assertEqual(len(problems), 1, problems)
                self.assertIn(words, problems[0])


class Directories(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.new = pathlib.Path(folder.name)
        for path in SCHEMAS.rglob("*.json"):
            copied = self.new / path.relative_to(SCHEMAS)
            copied.parent.mkdir(exist_ok=True)
            copied.write_text(path.read_text())

    def edit(self, name, pointer, edit):
        value = json.loads((self.new / name).read_text())
        edit(at(value, pointer))
        (self.new / name).write_text(json.dumps(value))

    def raise_version(self, method):
        self.edit("engine/methods.json", f"/{method}", lambda node: node.update(version=node["version"] + 1))

    def test_a_changed_method_has_a_higher_version(self):
        self.edit("engine/methods.json", "/health", lambda method: method.update(description="Another word."))
        self.assertEqual(schema_gate.compare(SCHEMAS, self.new), [])
        self.edit("engine/methods.json", "/health/result/properties",
                  lambda node: node.update(more={"type": "string"}))
        self.assertEqual(schema_gate.compare(SCHEMAS, self.new), [
            "engine/methods.json/health takes or returns something else, but its version is still 1"])
        self.raise_version("health")
        self.assertEqual(schema_gate.compare(SCHEMAS, self.new), [])

    def test_a_version_does_not_fall(self):
        self.edit("engine/methods.json", "/health", lambda method: method.update(version=0))
        self.assertEqual(schema_gate.compare(SCHEMAS, self.new),
                         ["engine/methods.json/health/version was 1 and is 0"])

    def test_an_equal_one_passes(self):
        self.assertEqual(schema_gate.compare(SCHEMAS, self.new), [])

    def test_a_missing_file_is_found(self):
        (self.new / "resource.last.json").unlink()
        self.assertEqual(schema_gate.compare(SCHEMAS, self.new), ["resource.last.json was removed"])

    def test_a_method_may_be_added_and_not_removed(self):
        def edit(methods):
            methods["more"] = {"result": {}, "version": 1}
            del methods["health"]
        self.edit("engine/methods.json", "", edit)
        self.assertEqual(schema_gate.compare(SCHEMAS, self.new),
                         ["engine/methods.json/health was removed"])

    def test_params_of_a_method_may_not_become_required(self):
        self.edit("engine/methods.json", "/question.ask/params",
                  lambda params: params.update(required=["question", "thread"]))
        self.raise_version("question.ask")
        problems = schema_gate.compare(SCHEMAS, self.new)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn("/question.ask/params/required", problems[0])

    def test_a_parameter_may_accept_more_words_and_not_fewer(self):
        rights = "/tokens.create/params/properties/rights/items"
        self.edit("engine/methods.json", rights, lambda node: node["enum"].append("more"))
        self.raise_version("tokens.create")
        self.assertEqual(schema_gate.compare(SCHEMAS, self.new), [])
        self.edit("engine/methods.json", rights, lambda node: node["enum"].remove("add"))
        self.assertEqual(schema_gate.compare(SCHEMAS, self.new),
                         [f'engine/methods.json{rights}/enum no longer has ["add"]'])

    def test_a_principal_may_be_given_and_not_be_required(self):
        self.edit("engine/methods.json", "/health", lambda method: method.update(principal="optional"))
        for method in ("health", "question.ask", "resources.list"):
            self.raise_version(method)
        self.assertEqual(schema_gate.compare(SCHEMAS, self.new), [])
        for method in ("health", "question.ask"):
            self.edit("engine/methods.json", f"/{method}", lambda method: method.update(principal="required"))
        self.edit("engine/methods.json", "/resources.list", lambda method: method.pop("principal"))
        self.assertEqual(schema_gate.compare(SCHEMAS, self.new), [
            "engine/methods.json/health/principal was not there: it refuses what was accepted",
            'engine/methods.json/question.ask/principal was "optional" and is "required"',
            "engine/methods.json/resources.list/principal was removed"])

    def test_a_method_that_took_nothing_may_take_what_need_not_be_given(self):
        taken = {"type": "object", "properties": {"q": {"type": "string"}}}
        self.edit("engine/methods.json", "/health", lambda method: method.update(params=taken))
        self.raise_version("health")
        self.assertEqual(schema_gate.compare(SCHEMAS, self.new), [])
        self.edit("engine/methods.json", "/health/params", lambda params: params.update(required=["q"]))
        self.assertEqual(schema_gate.compare(SCHEMAS, self.new), [
            "engine/methods.json/health/params was not there: it refuses what was accepted"])


if __name__ == "__main__":
    unittest.main()
