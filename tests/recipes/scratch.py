#!/usr/bin/env python3
"""Runs a command in a copy of the source tree and of the build directory, at their own paths.

The copies are mounted over the originals in a mount namespace of the command's own, so the absolute
paths in the build's files stay valid. Everything else sees the originals, and the copies are removed
afterwards. Files keep their times: a build makes only what has changed.

Usage: scratch.py <source tree> <build directory> <command> [<argument> …]
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

# Root may mount in a namespace; other users only in one where they are root.
NAMESPACE = ["unshare", "--mount", *(["--user", "--map-root-user"] if os.geteuid() else [])]
MARK = ".scratch"  # in the copy of the tree, so that a command can tell it from the original
LEFT_OUT = shutil.ignore_patterns(".git", "__pycache__", "compile_commands.json")
# $1: the folder of the copies, $2: the source tree, $3: the build directory, then the command. The
# packages that the build reads are not copied.
MOUNT = """
if [ -d "$2/build/npm" ]; then mount --rbind "$2/build/npm" "$1/source/build/npm"; fi
mount --rbind "$1/source" "$2"
mount --rbind "$1/build" "$3"
cd "$2"
shift 3
exec "$@"
"""


def why_no_namespace():
    """The reason why this user can have no namespace here; empty if there can be one."""
    if shutil.which(NAMESPACE[0]) is None:
        return f"there is no {NAMESPACE[0]} (Debian: util-linux)"
    place = tempfile.gettempdir()
    tried = subprocess.run([*NAMESPACE, "mount", "--rbind", place, place], capture_output=True,
                           text=True)
    return tried.stderr.strip() if tried.returncode else ""


def copy(source, build, folder):
    shutil.copytree(source, folder / "source", symlinks=True,
                    ignore=lambda at, names: LEFT_OUT(at, names) | (
                        {"build"} if pathlib.Path(at) == source else set()))
    (folder / "source/build/npm").mkdir(parents=True)
    if build.is_relative_to(source):
        (folder / "source" / build.relative_to(source)).mkdir(parents=True, exist_ok=True)
    (folder / "source" / MARK).touch()
    shutil.copytree(build, folder / "build", symlinks=True,
                    ignore=lambda at, names: {"Testing", "bench", "packages"} & set(names)
                    if pathlib.Path(at) == build else set())


def main():
    source, build = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    if reason := why_no_namespace():
        return (f"scratch: a mount namespace is needed, and cannot be had: {reason}\n"
                "Containers and kernel.unprivileged_userns_clone may forbid it.")
    with tempfile.TemporaryDirectory(prefix="quarry-scratch-") as folder:
        copy(source, build, pathlib.Path(folder))
        return subprocess.run([*NAMESPACE, "sh", "-ec", MOUNT, "sh", folder, source, build,
                               *sys.argv[3:]], cwd="/", env=os.environ).returncode


if __name__ == "__main__":
    sys.exit(main())
