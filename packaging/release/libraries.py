"""The shared libraries that the program and its plugins load, and their Debian packages."""

import functools
import pathlib
import re
import subprocess

from project import Mistake, run

LOADED = ["libcurl.so.4"]  # by name, in host/services/curl_library.h
LOADER = pathlib.Path("/lib64/ld-linux-x86-64.so.2")
C_LIBRARY = "libc6"  # of the machine that the program runs on


def is_elf(path):
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def binaries(directory):
    return sorted(path for path in directory.rglob("*")
                  if path.is_file() and not path.is_symlink() and is_elf(path))


def needed(file):
    """Paths of the libraries that the loader maps for a file, by the names they are wanted by."""
    found = {}
    for name, path in re.findall(r"^\s*(\S+) => (.*?)(?: \(0x\w+\))?$", run("ldd", file), re.M):
        if path == "not found":
            raise Mistake(f"{file} needs {name}, which is not installed: "
                          "scripts/install-packages build")
        found[name] = pathlib.Path(path)
    return found


@functools.cache
def package_of(library):
    """The installed Debian package of a library; "libc6" has those of the C library."""
    path = str(library.resolve()).removeprefix("/usr")
    for known in (f"/usr{path}", path):  # dpkg knows it by one of them
        result = subprocess.run(["dpkg-query", "--search", known], capture_output=True, text=True)
        if result.returncode == 0:
            return result.stdout.split(":")[0]
    raise Mistake(f"{library} belongs to no Debian package; only those are bundled")


def shared_libraries(files):
    """{name: path} of all that `files` and LOADED need, beyond the C library."""
    cache = run("/sbin/ldconfig", "-p")
    out = {}
    for name in LOADED:
        match = re.search(rf"^\s*{re.escape(name)} \(libc6,x86-64\) => (.*)$", cache, re.M)
        if not match:
            raise Mistake(f"{name} is not installed: scripts/install-packages build")
        out[name] = pathlib.Path(match.group(1))
    for file in [*files, *list(out.values())]:
        out.update(needed(file))
    return {name: path for name, path in sorted(out.items()) if package_of(path) != C_LIBRARY}


def least_c_library(files):
    """The version of the C library that `files` need, as in "2.36"."""
    symbols = "".join(run("objdump", "-T", file) for file in files)
    return max(re.findall(r"GLIBC_(2\.\d\d)", symbols))
