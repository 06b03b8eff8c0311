"""Definitions and references by analysers: the program's own, and one of a third party."""

import json
import subprocess
import unittest

from harness import BUILD, SOURCE, TIMEOUT, TestCase
from peers import NODE

FIXTURE = f'plugin_path = ["{BUILD / "tests/symbols-fixtures"}"]\n[plugins]\ndrafts = true\n'

C = """#include <stdio.h>

/* Adds one. */
static int
add_one(int number)
{
  return number + 1;
}

struct counter {
  int total;
};

int main(void) { return add_one(41); } /* add_one in a comment */
"""
PYTHON = """class Counter:
    \"\"\"Counts; add_one is only named here.\"\"\"

    def add_one(self):
        return add_one(self)
"""


class SymbolsCase(TestCase):
    def setUp(self):
        super().setUp()
        self.code = self.home.path / "code"
        self.code.mkdir()

    def configure(self, more=""):
        self.home.write("quarry.toml", more + '[model]\nprovider = "extractive"\n'
                        f'[[resource]]\ntype = "local"\nname = "code"\npath = "{self.code}"\n')

    def put(self, name, text):
        (self.code / name).write_text(text)

    def symbols(self, *arguments):
        run = self.home.run("symbols", "--json", *arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def places(self, answer):
        return [(hit["path"], hit["startLine"]) for hit in answer["hits"]]


class OfThreeLanguages(SymbolsCase):
    """The program's own analysers."""

    def setUp(self):
        super().setUp()
        self.put("add.c", C)
        self.put("counter.py", PYTHON)
        self.put("README.md", "# Counter\n\n## Use of add_one\n\nText.\n")
        self.configure()

    def test_definitions_are_found_by_name(self):
        answer = self.symbols("add_one")
        self.assertEqual(self.places(answer), [("code/add.c", 3), ("code/counter.py", 4)], answer)
        self.assertIn("Adds one", answer["hits"][0]["text"])
        self.assertIn("Counter", answer["hits"][1]["heading"])
        self.assertEqual(self.places(self.symbols("Counter.add_one")), [("code/counter.py", 4)])
        self.assertEqual(self.places(self.symbols("add_one", "--path", "code/add.c")), [("code/add.c", 3)])

    def test_references_are_neither_comments_nor_texts(self):
        answer = self.symbols("add_one", "--references")
        self.assertEqual(self.places(answer), [("code/add.c", 14), ("code/counter.py", 5)], answer)

    def test_a_file_has_an_outline(self):
        answer = self.symbols("--path", "code/add.c")
        headings = [hit["heading"] for hit in answer["hits"]]
        for name in ("add_one", "counter", "total", "main"):
            self.assertTrue(any(name in heading for heading in headings), headings)
        headings = [hit["heading"] for hit in self.symbols("--path", "code/README.md")["hits"]]
        self.assertTrue(any("Use of add_one" in heading for heading in headings), headings)

    def test_a_server_finds_what_was_edited(self):
        server = self.serve()
        found, answer = server.json("POST", "/tools/symbols", {"name": "add_one"})
        self.assertEqual((found, self.places(answer)[0]), (200, ("code/add.c", 3)), answer)
        self.put("add.c", "int other(void) { return 1; }\n")
        self.assertEqual(self.places(server.json("POST", "/tools/symbols", {"name": "other"})[1]),
                         [("code/add.c", 1)])
        self.assertEqual(self.places(server.json("POST", "/tools/symbols", {"name": "add_one"})[1]),
                         [("code/counter.py", 4)])


class OfAThirdParty(SymbolsCase):
    """An analyser that the owner installed, isolated, which crashes at some files."""

    def setUp(self):
        super().setUp()
        self.put("one.cob", "PARAGRAPH pay\nPERFORM tax\n")
        self.put("two.cob", "PARAGRAPH tax\nPERFORM pay\n")
        self.put("three", "IDENTIFICATION DIVISION\nPARAGRAPH audit\n")
        self.configure(FIXTURE)

    def test_it_reads_the_files_that_its_schema_names(self):
        self.assertEqual(self.places(self.symbols("pay")), [("code/one.cob", 1)])
        self.assertEqual(self.places(self.symbols("audit")), [("code/three", 2)])
        self.assertEqual(self.places(self.symbols("pay", "--references")), [("code/two.cob", 2)])

    def test_without_the_permission_for_drafts_it_is_not_used(self):
        self.configure(FIXTURE.replace("drafts = true\n", ""))
        self.assertEqual(self.symbols("pay")["hits"], [])

    def test_a_file_that_crashes_it_costs_that_file_alone(self):
        self.put("bad.cob", "PARAGRAPH pay\nCRASH\n")
        answer = self.symbols("pay")
        self.assertEqual(self.places(answer), [("code/one.cob", 1)], answer)
        self.assertEqual(self.places(self.symbols("tax")), [("code/two.cob", 1)])

    def test_a_server_goes_on_beside_a_file_that_crashes_it(self):
        self.put("bad.cob", "PARAGRAPH pay\nCRASH\n")
        server = self.serve()
        self.assertEqual(self.places(server.json("POST", "/tools/symbols", {"name": "tax"})[1]),
                         [("code/two.cob", 1)])
        self.assertEqual(server.json("POST", "/tools/grep", {"pattern": "PERFORM"})[0], 200)


SCIP = SOURCE / "build/npm/scip/node_modules/@sourcegraph/scip-typescript/dist/src/main.js"
SHAPES = """/** A shape. */
export interface Shape {
  area(): number;
}

export class Circle implements Shape {
  constructor(private readonly radius: number) {}
  area(): number {
    return Math.PI * this.radius ** 2;
  }
}
"""
MAIN = """import { Circle } from "./shapes";

const unit = new Circle(1);
console.log(unit.area()); // area
"""


@unittest.skipUnless(SCIP.exists(), "the indexer is missing: scripts/install-npm-packages test")
class OfACompiler(SymbolsCase):
    """A project whose index.scip is made by its real indexer."""

    def setUp(self):
        super().setUp()
        self.put("package.json", '{"name": "shapes", "version": "1.0.0"}')
        self.put("tsconfig.json", '{"compilerOptions": {"target": "ES2020"}}')
        self.put("shapes.ts", SHAPES)
        self.put("main.ts", MAIN)

    def index(self):
        made = subprocess.run([NODE, SCIP, "index", "--no-progress-bar"], cwd=self.code, text=True,
                              capture_output=True, timeout=TIMEOUT)
        self.assertTrue((self.code / "index.scip").exists(), made.stdout + made.stderr)

    def test_it_is_enough_without_an_analyser(self):
        self.configure('plugins.disabled = ["io.quarry.symbols-typescript"]\n')
        self.assertEqual(self.places(self.symbols("area")), [])
        self.index()
        self.symbols("area")  # and then completes the index
        self.assertEqual(self.places(self.symbols("area")), [("code/shapes.ts", 3), ("code/shapes.ts", 8)])
        self.assertEqual(self.places(self.symbols("Circle.area")), [("code/shapes.ts", 8)])
        self.assertEqual(self.places(self.symbols("area", "--references")), [("code/main.ts", 4)])

    def test_a_file_that_has_changed_since_is_left_to_the_analyser(self):
        self.configure()
        self.index()
        self.put("shapes.ts", "// New.\n" + SHAPES)
        self.assertEqual(self.places(self.symbols("Circle")), [("code/shapes.ts", 7)])
        self.assertEqual(self.places(self.symbols("Circle", "--references")),
                         [("code/main.ts", 1), ("code/main.ts", 3)])

    def test_a_new_index_is_read(self):
        self.configure('plugins.disabled = ["io.quarry.symbols-typescript"]\n')
        self.index()
        self.assertEqual(self.places(self.symbols("Circle")), [("code/shapes.ts", 6)])
        self.put("shapes.ts", "// New.\n" + SHAPES)
        self.index()
        self.assertEqual(self.places(self.symbols("Circle")), [("code/shapes.ts", 7)])

    def test_one_that_is_none_is_told(self):
        self.configure()
        self.put("index.scip", "export const none = 1;")
        self.assertEqual(self.places(self.symbols("Circle")), [("code/shapes.ts", 6)])
        self.assertIn("code: index.scip is not used: it is not a message of SCIP",
                      self.symbols("Nothing")["note"])


if __name__ == "__main__":
    unittest.main()
