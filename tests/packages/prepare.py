"""The packages and the base of chroots that the tests beside it use; made once for all of them."""

import hashlib
import os
import pathlib
import subprocess
import sys

import chroot

sys.path.append(str(pathlib.Path(__file__).parents[1] / "e2e"))  # also for what imports this
from document_harness import samples_of  # noqa: E402

BUILD = pathlib.Path(os.environ["QUARRY_BUILD_DIR"]).resolve()
SOURCE = pathlib.Path(os.environ["QUARRY_SOURCE_DIR"]).resolve()
OUT = BUILD / "packages"
BASE = OUT / "chroot"
COMPILERS = ["cmake", "g++", "libgtest-dev", "make"]  # for a plugin


def package(*words):
    """The files that scripts/package makes."""
    result = subprocess.run([SOURCE / "scripts/package", *words, BUILD], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        raise AssertionError(f"scripts/package {' '.join(words)}\n{result.stdout[-8000:]}")
    return [pathlib.Path(line) for line in result.stdout.splitlines() if line.startswith(str(OUT))]


def documented(word):
    """The commands of the sample with `word` in the guide to installation."""
    guide = (SOURCE / "docs/guides/install.md").read_text()
    return next(sample.commands() for sample in samples_of(guide) if word in sample.text)


def digests(files):
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def debian_packages():
    return sorted(OUT.glob("*.deb"))


def archive():
    return next(OUT.glob("*.tar.zst"))


def main():
    package("archive")
    packages = package("deb")
    names = [f"/{path.name}" for path in packages if not path.name.startswith("quarry-doc")]
    needs = [subprocess.run(["dpkg-deb", "--field", path, "Depends"], capture_output=True,
                            text=True, check=True).stdout for path in packages]
    chroot.keep_base(BASE, packages, [*names, *COMPILERS], needs=needs)
    for path in packages:
        (BASE / path.name).unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
