#!/usr/bin/env python3
"""Plugins of this minor version in a host of the next one, and the reverse.

grown.py build SOURCE BUILD WORK     builds program and plugins with the headers of grow_headers.py
grown.py host SOURCE BUILD WORK      runs end-to-end tests with that program and BUILD's plugins
grown.py plugins SOURCE BUILD WORK   the same with BUILD's program and those plugins

WORK is a scratch directory on the file system of BUILD."""

import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
# The C++ wrapper, in real plugins: transports, stores, and a resource type and a model over HTTP.
# frozen_host.py runs those of the next minor too, but for stores and the second transport.
TESTS = {"host": ("test_serve", "test_cloud", "test_npm", "test_models.OpenAiChat"),
         "plugins": ("test_serve", "test_cloud")}
FLAGS = "-O0 -Wno-missing-field-initializers"


def timed(step, command, **more):
    begun = time.monotonic()
    result = subprocess.run([str(word) for word in command], check=False, **more)
    print(f"grown: {step}: {time.monotonic() - begun:.0f} s", flush=True)
    if result.returncode:
        sys.exit(result.returncode)


def build(source, work):
    timed("headers", [sys.executable, HERE / "grow_headers.py", source / "sdk/include",
                      work / "include"])
    timed("configure", [
        "cmake", "-S", source, "-B", work / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=",
        f"-DCMAKE_C_FLAGS={FLAGS}", f"-DCMAKE_CXX_FLAGS={FLAGS}", "-DCMAKE_UNITY_BUILD=ON",
        "-DCMAKE_UNITY_BUILD_BATCH_SIZE=16", "-DBUILD_TESTING=OFF",
        f"-DQUARRY_SDK_INCLUDE={work / 'include'}"], stdout=subprocess.DEVNULL)
    timed("build", ["cmake", "--build", work / "build", "--target", "product", "--", "--quiet"])


def mixed(folder, program, plugins, fixtures):
    """Lays out `folder` like a build directory, with hard links."""
    shutil.rmtree(folder, ignore_errors=True)
    for source, part in ((program, "bin"), (plugins, "lib/quarry/plugins"),
                         (fixtures, "tests/fixtures")):
        shutil.copytree(source / part, folder / part, copy_function=os.link)
    return folder


def run(source, folder):
    """Runs the tests with the program and plugins of `folder`."""
    environment = {**os.environ, "QUARRY_SOURCE_DIR": str(source), "QUARRY_BUILD_DIR": str(folder),
                   "PYTHONDONTWRITEBYTECODE": "1"}
    timed(folder.name, [sys.executable, "-m", "unittest", *TESTS[folder.name]], cwd=source / "tests/e2e",
          env=environment)


def main():
    step, *paths = sys.argv[1:]
    source, today, work = (pathlib.Path(path).resolve() for path in paths)
    grown = work / "build"
    if step == "build":
        build(source, work)
    elif step == "host":
        run(source, mixed(work / "host", program=grown, plugins=today, fixtures=today))
    elif step == "plugins":
        run(source, mixed(work / "plugins", program=today, plugins=grown, fixtures=today))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
