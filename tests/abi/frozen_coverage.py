"""Every struct, field, constant and id of the ledger is used by the frozen plugins or host.

A field is used where it is named, as in `tree->add_link`: the sources are compiled with headers in
which every field has another name, and the compiler lists those that it misses. A field that is
only set by its place in an initialiser is not counted."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import contract
import frozen_build

LEDGER = (pathlib.Path(__file__).parent / "layout.h").read_text()
UNUSED = {
    # The owner of a table sets its context by place; these tables of the frozen host need none.
    f"{table}.context" for table in (
        "quarry_host", "quarry_clock_v1", "quarry_http_v1", "quarry_log_v1", "quarry_metrics_v1",
        "quarry_model_sink", "quarry_paths_v1", "quarry_process_v1", "quarry_secrets_v1",
        "quarry_work_v1")
}


def renamed(include, folder):
    """A copy of the headers in which each field has `_missed` at its end."""
    shutil.copytree(include, folder)
    fields = {name: [field.name for field in struct.fields]
              for name, struct in contract.read(include).structs.items()}

    def rename(match):
        names = "|".join(fields[match[1]])
        return re.sub(rf"\b({names})(?=;|\)\()", r"\1_missed", match[0])
    for header in (folder / "quarry").glob("*.h"):
        if header.name not in contract.HELPERS:
            text = re.sub(r"^(?:typedef )?struct (\w+) \{\n.*?^\}", rename, header.read_text(),
                          flags=re.M | re.S)
            header.write_text(text)
    return folder


def misses(compiler, source, include):
    """{(struct, field)} that do not exist in a file's headers."""
    options = ["-fsyntax-only", "-fmax-errors=0", "-w", "-I", str(include)]
    kept = [word for word in compiler if not word.startswith("-W")]
    text = subprocess.run([*kept, *options, str(source)], capture_output=True, text=True,
                          env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}, check=False).stderr
    return set(re.findall(r"error: '(?:const )?(?:struct )?(quarry_\w+)'(?: \{aka [^}]*\})? "
                          r"has no member named '(\w+)'", text))


class Coverage(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="quarry-frozen-"))
        cls.addClassCleanup(shutil.rmtree, folder)
        include = renamed(frozen_build.INCLUDE, folder / "include")
        sources = [(["gcc", "-std=c99"], path) for path in frozen_build.PLUGINS.glob("*.c")]
        sources += [(["g++", "-std=c++17"], path) for path in frozen_build.HOST.glob("*.cpp")]
        cls.fields = set().union(*(misses(compiler, path, include) for compiler, path in sources))
        cls.text = "".join(path.read_text() for folder in (frozen_build.PLUGINS, frozen_build.HOST)
                           for path in folder.glob("*.[ch]*"))

    def test_every_field_is_used(self):
        released = re.findall(r"^OFFSET\((\w+), (\w+), \d+\);$", LEDGER, re.M)
        self.assertGreater(len(released), 150)
        unused = {f"{struct}.{field}" for struct, field in released} - {
            f"{struct}.{field}" for struct, field in self.fields}
        self.assertEqual(sorted(unused), sorted(UNUSED))

    def test_every_struct_constant_and_id_is_used(self):
        names = re.findall(r"^(?:SIZE|CONSTANT)\((\w+), .+\);$", LEDGER, re.M)
        names += re.findall(r"^#define (\w+) \"", LEDGER, re.M)
        unused = [name for name in names if not re.search(rf"\b{name}\b", self.text)]
        self.assertEqual(unused, [])


if __name__ == "__main__":
    unittest.main()
