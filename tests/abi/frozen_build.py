"""Compiles the plugins and the host of a release, with nothing but its folder and a compiler."""

import atexit
import functools
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

RELEASE = pathlib.Path(__file__).parent / "v1.0"
PLUGINS, HOST, INCLUDE = RELEASE / "plugins", RELEASE / "host", RELEASE / "include"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
C = [os.environ.get("CC", "cc"), "-std=c99", "-fPIC", "-fvisibility=hidden", *WARNINGS]
CXX = [os.environ.get("CXX", "c++"), "-std=c++17", *WARNINGS]
SOURCES = {"frozen": [path for path in sorted(PLUGINS.glob("*.c")) if path.stem != "transport"],
           "transport": [PLUGINS / "transport.c"]}


def run(command):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                            check=False)
    if result.returncode:
        raise AssertionError(f"{command[0]} failed:\n{result.stderr}")


def compile_all(compiler, sources, objects, *options):
    """The object files, compiled at once."""
    objects.mkdir(parents=True, exist_ok=True)
    outputs = [objects / f"{source.stem}.o" for source in sources]
    running = [subprocess.Popen([*compiler, *map(str, options), "-c", source, "-o", output],
                                stderr=subprocess.PIPE, text=True)
               for source, output in zip(sources, outputs)]
    errors = [process.communicate()[1] for process in running]
    if any(process.returncode for process in running):
        raise AssertionError("".join(errors))
    return outputs


def write_manifest(name, folder, change=lambda text: text):
    """The manifest of the template, with the digest of the library in `folder`."""
    digest = hashlib.sha256((folder / f"{name}.so").read_bytes()).hexdigest()
    text = (PLUGINS / f"{name}.toml").read_text().replace("@SHA256@", digest)
    (folder / "plugin.toml").write_text(change(text))


def build_plugin(name, folder, include=INCLUDE, options=(), change=lambda text: text):
    """Makes the plugin `name` in `folder`/`name`; returns that folder."""
    target = folder / name
    objects = compile_all(C, SOURCES[name], folder / f"{name}.objects", "-I", include, *options)
    target.mkdir(parents=True)
    run([C[0], "-shared", "-Wl,-z,defs,-z,now", *objects, "-o", target / f"{name}.so"])
    shutil.rmtree(folder / f"{name}.objects")
    for schema in PLUGINS.glob("*.json"):
        shutil.copy(schema, target)
    write_manifest(name, target, change)
    return target


def build_later(folder):
    """The frozen plugin with a component, its first, of a kind that hosts of 1.0 do not know."""
    return build_plugin("frozen", folder, options=["-DFROZEN_LATER_KIND"], change=lambda text: text.replace(
        "[[component]]", '[[component]]\nkind = "quarry.later/1"\nname = "frozen-later"\n\n[[component]]', 1))


def build_host(folder):
    """Makes the program of the frozen host."""
    objects = compile_all(CXX, sorted(HOST.glob("*.cpp")), folder / "host.objects", "-I", INCLUDE)
    run([CXX[0], *objects, "-o", folder / "frozen-host", "-ldl", "-lpthread"])
    shutil.rmtree(folder / "host.objects")
    return folder / "frozen-host"


@functools.cache
def built():
    """A folder with both plugins and `frozen-host`, until the process ends."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="quarry-frozen-"))
    atexit.register(shutil.rmtree, folder)
    for name in SOURCES:
        build_plugin(name, folder)
    build_host(folder)
    return folder


def include_with(folder, **constants):
    """A copy of the frozen headers with other values, as in QUARRY_ABI_MAJOR="2u"."""
    shutil.copytree(INCLUDE, folder)
    header = folder / "quarry/abi.h"
    text = header.read_text()
    for name, value in constants.items():
        text, count = re.subn(rf"(?<=^#define {name} ).+", value, text, flags=re.M)
        assert count == 1, name
    header.write_text(text)
    return folder
