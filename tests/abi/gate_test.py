"""Mutated copies of the SDK's headers: the gate must name each breach, and permit additions only
with a new minor version and a line in the change log."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import contract
import gate
import ledger

HERE = pathlib.Path(__file__).resolve().parent
SDK = HERE.parents[1] / "sdk" / "include"
STRUCT = re.compile(r"(\bstruct (\w+) \{)([^{}]*)(\})")
RELEASED = contract.read(SDK)
APPENDED = "uint64_t added_later"


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def changed_fields(text, change, only=None):
    """`text` with change(list of declarations) made in each struct, or in that of one name."""
    def replaced(struct):
        opening, name, body, closing = struct.groups()
        fields = [part.strip() for part in body.split(";") if part.strip()]
        if only in (None, name):
            fields = change(fields)
        return opening + "".join(f"\n  {field};" for field in fields) + "\n" + closing
    return STRUCT.sub(replaced, without_comments(text))


def swapped(fields):
    """The first two fields after struct_size exchanged."""
    at = 1 if "struct_size" in fields[0] else 0
    return fields[:at] + [fields[at + 1], fields[at]] + fields[at + 2:]


class Headers(unittest.TestCase):
    """A copy of the headers to change."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="quarry-gate-")
        self.addCleanup(folder.cleanup)
        self.include = pathlib.Path(folder.name) / "include"
        shutil.copytree(SDK, self.include)

    def header(self, name):
        return self.include / "quarry" / name

    def edit(self, name, old, new):
        text = self.header(name).read_text()
        self.assertIn(old, text)
        self.header(name).write_text(text.replace(old, new, 1))

    def swap(self, name, one, other):
        text = self.header(name).read_text()
        self.assertIn(one, text)
        self.assertIn(other, text)
        text = text.replace(one, "\0").replace(other, one).replace("\0", other)
        self.header(name).write_text(text)

    def change(self, change, only=None):
        for name in contract.header_names(self.include):
            path = self.header(name)
            path.write_text(changed_fields(path.read_text(), change, only))

    def restore(self):
        shutil.rmtree(self.include)
        shutil.copytree(SDK, self.include)

    def raise_minor(self):
        minor = RELEASED.version[1]
        self.edit("abi.h", f"#define QUARRY_ABI_MINOR {minor}u",
                  f"#define QUARRY_ABI_MINOR {minor + 1}u")

    def problems(self, changelog=""):
        return gate.problems(RELEASED, contract.read(self.include), changelog)

    def assert_problem(self, *words):
        """Exactly one problem, whose sentence has these words."""
        found = self.problems()
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])
        return found[0]


class Breaches(Headers):
    """The gate's words. libabigail must see those that concern layout and types as well."""

    def assert_breach(self, *words):
        self.assert_problem(*words)
        self.assertTrue(gate.abidiff(RELEASED, contract.read(self.include)),
                        "libabigail does not report it")

    def test_two_fields_of_one_type_swapped(self):
        self.swap("model.h", "(*text)", "(*reasoning)")
        self.assert_breach("quarry_model_sink.text", "quarry_model_sink.reasoning is in its place",
                           "Restore the released order")

    def test_a_field_moved_to_the_end(self):
        self.edit("resource.h", "  uint64_t file_limit;\n", "")
        self.edit("resource.h", "(*keep_file)(const quarry_tree* self, quarry_bytes path);",
                  "(*keep_file)(const quarry_tree* self, quarry_bytes path);\n  uint64_t file_limit;")
        self.assert_breach("quarry_tree.file_limit", "quarry_tree.add_large is in its place")

    def test_a_narrower_field(self):
        self.edit("model.h", "int64_t input_tokens;", "int32_t input_tokens;")
        self.assert_breach("quarry_usage.input_tokens", "width changed from 8 to 4 bytes", "append")

    def test_a_wider_field(self):
        self.edit("process.h", "uint32_t environment_count;", "uint64_t environment_count;")
        self.assert_breach("quarry_process_spec.environment_count", "from 4 to 8 bytes")

    def test_another_type_of_the_same_width(self):
        self.edit("model.h", "int32_t http_status;", "uint32_t http_status;")
        self.assert_breach("quarry_model_error.http_status", "its type changed", "uint32_t")

    def test_the_type_of_a_parameter(self):
        self.edit("clock.h", "int64_t milliseconds);", "int32_t milliseconds);")
        self.assert_breach("quarry_clock_v1.sleep", "its signature changed", "int32_t milliseconds",
                           "append a field for the new form")

    def test_a_parameter_more(self):
        self.edit("transport.h", "int64_t grace_ms);", "int64_t grace_ms, int64_t more);")
        self.assert_breach("quarry_transport_v1.stop", "its signature changed")

    def test_the_type_of_a_result(self):
        self.edit("log.h", "int32_t (*enabled)", "int64_t (*enabled)")
        self.assert_breach("quarry_log_v1.enabled", "its signature changed")

    def test_two_parameters_of_one_type_swapped(self):
        self.swap("pricing.h", "quarry_text provider", "quarry_text model")
        self.assert_problem("quarry_pricing_v1.rates", "its signature changed")

    def test_the_width_of_a_typedef(self):
        self.edit("abi.h", "typedef int32_t quarry_status;", "typedef int64_t quarry_status;")
        found = "\n".join(self.problems())
        self.assertIn("quarry_status: the typedef changed", found)
        self.assertIn("quarry_failure.status: its width changed from 4 to 8 bytes", found)

    def test_a_renamed_field(self):
        self.edit("resource.h", "(*scratch)", "(*working_directory)")
        self.assert_breach("quarry_tree.scratch was renamed to working_directory",
                           "Restore the name scratch")

    def test_a_removed_field_at_the_end(self):
        self.edit("log.h", "int32_t (*enabled)(const quarry_log_v1* self, int32_t level);", "")
        self.assert_breach("quarry_log_v1.enabled was removed", "Restore it")

    def test_a_removed_field_in_the_middle(self):
        self.edit("http_types.h", "  quarry_bytes value;\n", "")
        found = self.problems()
        self.assertIn("quarry_header.value was removed", found[0])
        self.assertIn("quarry_header.secret moved from offset 40 to 24", found[1])

    def test_an_inserted_field(self):
        self.edit("model.h", "  int64_t reasoning_tokens;",
                  "  int64_t image_tokens;\n  int64_t reasoning_tokens;")
        found = self.problems()
        self.assertIn("quarry_usage.image_tokens was inserted", found[0])

    def test_a_field_inserted_into_padding(self):
        self.edit("abi.h", "  uint32_t abi_minor;\n  void* context;",
                  "  uint32_t abi_minor;\n  uint32_t flags;\n  void* context;")
        self.assert_breach("quarry_host.flags was inserted between released fields",
                           "Move it to the end")

    def test_a_field_swapped_and_another_appended(self):
        self.raise_minor()
        self.swap("model.h", "(*text)", "(*reasoning)")
        self.change(lambda fields: [*fields, APPENDED], only="quarry_model_sink")
        self.assert_breach("quarry_model_sink.text", "the order of the fields has changed")

    def test_a_constness(self):
        self.edit("abi.h", "const char* id; ", "char* id; ")
        self.assert_breach("quarry_entry.id", "its type changed from \"const char* id\"")

    def test_a_renamed_struct(self):
        for path in self.include.rglob("*.h"):
            path.write_text(re.sub(r"\bquarry_usage\b", "quarry_token_counts", path.read_text()))
        found = "\n".join(self.problems())
        self.assertIn("quarry_usage: the struct was removed or renamed. Restore it", found)

    def test_a_renumbered_constant(self):
        self.edit("abi.h", "QUARRY_CANCELLED ((quarry_status)7)",
                  "QUARRY_CANCELLED ((quarry_status)11)")
        self.assert_problem("QUARRY_CANCELLED", "changed from \"((quarry_status)7)\"", "Restore it")

    def test_two_constants_swapped(self):
        self.swap("model.h", "QUARRY_FINISH_STOP", "QUARRY_FINISH_LENGTH")
        found = "\n".join(self.problems())
        self.assertIn("QUARRY_FINISH_STOP: the value of the constant changed", found)
        self.assertIn("QUARRY_FINISH_LENGTH: the value of the constant changed", found)

    def test_a_removed_constant(self):
        self.edit("log.h", "#define QUARRY_LOG_DEBUG 1\n", "")
        self.assert_problem("QUARRY_LOG_DEBUG: the constant was removed")

    def test_another_id(self):
        self.edit("resource.h", "\"quarry.resource/1\"\n\n", "\"quarry.resource/2\"\n\n")
        self.assert_problem("QUARRY_RESOURCE", "quarry.resource/2")

    def test_a_removed_header(self):
        self.header("pricing.h").unlink()
        found = "\n".join(self.problems())
        self.assertIn("pricing.h: the header was removed", found)
        self.assertIn("quarry_pricing_v1: the struct was removed", found)

    def test_another_major(self):
        self.edit("abi.h", "QUARRY_ABI_MAJOR 1u", "QUARRY_ABI_MAJOR 2u")
        self.assert_problem("QUARRY_ABI_MAJOR changed from 1 to 2")

    def test_a_smaller_minor(self):
        self.raise_minor()
        found = gate.problems(contract.read(self.include), RELEASED, "")
        self.assertEqual(len(found), 1, found)
        self.assertIn("QUARRY_ABI_MINOR fell from", found[0])


class EveryStruct(Headers):
    """No struct is outside of the comparison."""

    names = [match.group(2) for path in sorted((SDK / "quarry").glob("*.h"))
             if path.name not in contract.HELPERS
             for match in STRUCT.finditer(without_comments(path.read_text()))]

    def assert_all_named(self, pattern):
        found = self.problems()
        for name in self.names:
            self.assertTrue(any(re.match(pattern.format(name), line) for line in found),
                            f"{name} is not in {found}")

    def test_the_copy_without_comments_is_identical(self):
        self.change(lambda fields: fields)
        self.assertEqual(self.problems(), [])

    def test_swapped_fields(self):
        self.change(swapped)
        self.assert_all_named(r"{}\.\w+: the order of the fields has changed")

    def test_a_removed_last_field(self):
        self.change(lambda fields: fields[:-1])
        self.assert_all_named(r"{}\.\w+ was removed")

    def test_libabigail_sees_each_alone(self):
        for name in self.names:
            with self.subTest(name):
                self.restore()
                self.change(swapped, only=name)
                self.assertIn(name, gate.abidiff(RELEASED, contract.read(self.include)))


class Additions(Headers):

    structs = sorted(name for name, struct in RELEASED.structs.items() if struct.grows)

    def assert_addition(self, name, *, entry=None):
        """The change made is permitted with a new minor and its line, and with nothing less."""
        line = f"# Changelog\n\n## [Unreleased]\n\n- The contract has `{entry or name}`.\n"
        without_minor = self.problems(line)
        self.assertEqual(len(without_minor), 1, without_minor)
        self.assertIn(f"{name}: added, but QUARRY_ABI_MINOR is still", without_minor[0])
        self.raise_minor()
        without_line = self.problems("## [Unreleased]\n\n## [0.9.0]\n\n" + line.split("\n")[-2])
        self.assertEqual(len(without_line), 1, without_line)
        self.assertIn(f"{name}: added, but no line of the change log names it", without_line[0])
        self.assertEqual(self.problems(line), [])

    def test_a_field(self):
        self.edit("log.h", "int32_t level);\n};", "int32_t level);\n  uint64_t lines;\n};")
        self.assert_addition("quarry_log_v1.lines")

    def test_a_constant(self):
        self.edit("log.h", "#define QUARRY_LOG_ERROR 4",
                  "#define QUARRY_LOG_ERROR 4\n#define QUARRY_LOG_FATAL 5")
        self.assert_addition("QUARRY_LOG_FATAL")

    def test_a_struct(self):
        self.edit("log.h", "typedef struct quarry_log_v1 quarry_log_v1;",
                  "typedef struct quarry_line {\n  uint32_t struct_size;\n  int32_t level;\n"
                  "} quarry_line;\n\ntypedef struct quarry_log_v1 quarry_log_v1;")
        self.assert_addition("quarry_line")

    def test_a_header(self):
        guard = "#ifndef QUARRY_RETRY_H\n#define QUARRY_RETRY_H\n#endif\n"
        self.header("retry.h").write_text(guard)
        self.assert_addition("retry.h")

    def test_a_macro(self):
        self.edit("abi.h", "#define QUARRY_SERIAL 1u",
                  "#define QUARRY_SERIAL 1u\n#define QUARRY_TWICE(number) ((number) * 2)")
        self.assert_addition("QUARRY_TWICE")

    def test_the_section_of_the_new_version_counts(self):
        self.edit("log.h", "#define QUARRY_LOG_ERROR 4",
                  "#define QUARRY_LOG_ERROR 4\n#define QUARRY_LOG_FATAL 5")
        self.raise_minor()
        major, minor = RELEASED.version
        line = "\n\n- A level,\n  `QUARRY_LOG_FATAL`.\n"
        self.assertEqual(self.problems(f"## [{major}.{minor + 1}.0] - 2030-01-01{line}"), [])
        self.assertNotEqual(self.problems(f"## [{major}.{minor}.0] - 2029-01-01{line}"), [])

    def test_a_longer_name_in_the_change_log_does_not_count(self):
        self.edit("log.h", "int32_t level);\n};", "int32_t level);\n  uint64_t lines;\n};")
        self.raise_minor()
        self.assertNotEqual(self.problems("## [Unreleased]\n\n- `quarry_log_v1.lines_kept`\n"), [])

    def test_a_field_in_every_struct(self):
        self.change(lambda fields: [*fields, APPENDED] if "struct_size" in fields[0] else fields)
        self.raise_minor()
        lines = [f"- `{name}.added_later`" for name in self.structs]
        self.assertEqual(self.problems("## [Unreleased]\n" + "\n".join(lines)), [])
        self.assertEqual(len(self.problems("## [Unreleased]\n" + "\n".join(lines[1:]))), 1)

    def test_every_struct_but_quarry_text_may_grow(self):
        self.assertEqual(set(RELEASED.structs) - set(self.structs), {"quarry_text"})
        self.change(lambda fields: [*fields, APPENDED], only="quarry_text")
        self.assertIn("quarry_text.added_later was appended, but quarry_text does not begin with "
                      "struct_size", "\n".join(self.problems()))

    def test_a_minor_alone(self):
        self.raise_minor()
        self.assertEqual(self.problems(), [])

    def test_a_draft(self):
        draft = self.header("draft")
        draft.mkdir(exist_ok=True)
        (draft / "embedding.h").write_text("#define QUARRY_EMBEDDING \"quarry.embedding/1\"\n")
        self.assertEqual(self.problems(), [])


class Growth(Headers):
    """A struct quarry_small that could not grow as it is."""

    def setUp(self):
        super().setUp()
        released = tempfile.TemporaryDirectory(prefix="quarry-gate-")
        self.addCleanup(released.cleanup)
        self.released = pathlib.Path(released.name) / "include"

    def release(self, fields):
        """Releases the headers with a struct of these fields, which a function takes by value."""
        small = f"struct quarry_small {{\n  uint32_t struct_size;{fields}\n}} quarry_small;\n\n"
        self.edit("log.h", "typedef struct", f"typedef {small}typedef struct")
        shutil.copytree(self.include, self.released)
        self.raise_minor()

    def assert_refused(self, *words):
        found = gate.problems(contract.read(self.released), contract.read(self.include), "")
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_a_field_in_trailing_padding(self):
        self.release("\n  uint64_t count;\n  uint32_t flags;")
        self.change(lambda fields: [*fields, "uint32_t hidden"], only="quarry_small")
        self.assert_refused("quarry_small.hidden lies in the padding", "whose size stays 24",
                            "Put a reserved field before it")

    def test_a_struct_passed_by_value(self):
        self.edit("log.h", "int32_t level);\n};",
                  "int32_t level);\n  void (*take)(struct quarry_small small);\n};")
        self.release("\n  uint32_t flags;")
        self.change(lambda fields: [*fields, APPENDED], only="quarry_small")
        self.assert_refused("quarry_small.added_later was appended", "quarry_log_v1.take contains",
                            "by value")


class Unreadable(Headers):

    def assert_unreadable(self, *words):
        with self.assertRaises(contract.Unreadable) as caught:
            contract.read(self.include)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_an_enum(self):
        self.edit("log.h", "typedef struct", "enum quarry_level { QUARRY_A };\ntypedef struct")
        self.assert_unreadable("log.h", "enums", "named constants")

    def test_a_bit_field(self):
        self.edit("log.h", "void* context;", "void* context;\n  uint32_t a : 3;\n  uint32_t b : 5;")
        self.assert_unreadable("quarry_log_v1")

    def test_an_unnamed_union(self):
        self.edit("log.h", "void* context;", "void* context;\n  union { int a; float b; };")
        self.assert_unreadable("unions")

    def test_two_fields_in_one_declaration(self):
        self.edit("log.h", "void* context;", "void *context, *more;")
        self.assert_unreadable("quarry_log_v1")

    def test_text_that_does_not_compile(self):
        self.edit("log.h", "void* context;", "no_type context;")
        self.assert_unreadable("gcc failed", "no_type")


class Ledger(Headers):

    LEDGER = (HERE / "layout.h").read_text()

    def assert_ledger(self, text, expected):
        self.assertEqual(ledger.problems(contract.read(self.include), text), expected)

    def test_is_complete(self):
        self.assert_ledger(self.LEDGER, [])

    def test_each_line_is_needed(self):
        line = r"^((?:SIZE|CONSTANT)\(\w+|OFFSET\(\w+, \w+|#define QUARRY_\w+ )[,\"]"
        subjects = set(re.findall(line, self.LEDGER, re.M))
        self.assertGreater(len(subjects), 200)
        for subject in subjects:
            without = "\n".join(line for line in self.LEDGER.splitlines()
                                if not line.startswith((subject + ",", subject + "\"")))
            found = ledger.problems(RELEASED, without)
            self.assertEqual(len(found), 1, subject)
            self.assertIn(subject.strip(), found[0])

    def test_a_grown_struct_needs_two_lines(self):
        self.edit("log.h", "int32_t level);\n};", "int32_t level);\n  uint64_t lines;\n};")
        self.assert_ledger(self.LEDGER, ["add the line SIZE(quarry_log_v1, 40);",
                                         "add the line OFFSET(quarry_log_v1, lines, 32);"])

    def test_trailing_padding(self):
        self.edit("log.h", "int32_t level);\n};", "int32_t level);\n  uint32_t flags;\n};")
        found = ledger.problems(contract.read(self.include), self.LEDGER)
        self.assertIn("quarry_log_v1 has 4 bytes after flags", found[-1])


class Command(Headers):

    def run_gate(self, *arguments):
        return subprocess.run([sys.executable, "-B", HERE / "gate.py", *arguments, SDK,
                               self.include], capture_output=True, text=True, check=False)

    def test_passes_identical_headers(self):
        result = self.run_gate()
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_prints_each_problem(self):
        self.edit("log.h", "#define QUARRY_LOG_DEBUG 1\n", "")
        result = self.run_gate("--changelog", HERE.parents[1] / "sdk/CHANGELOG.md")
        self.assertEqual((result.returncode, result.stderr),
                         (1, "QUARRY_LOG_DEBUG: the constant was removed or renamed. Restore it\n"))


if __name__ == "__main__":
    unittest.main()
