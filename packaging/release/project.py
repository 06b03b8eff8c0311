"""The release build that everything is made of: its version, its date, and its installation."""

import datetime
import os
import pathlib
import re
import shutil
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Mistake(Exception):
    """Why nothing was made, for the person who asked."""


def run(*command, **more):
    """Standard output of a command that has to succeed."""
    try:
        result = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                                check=True, **more)
    except FileNotFoundError as error:
        raise Mistake(f"{command[0]} is missing: scripts/install-packages build test") from error
    except subprocess.CalledProcessError as error:
        said = f"{' '.join(error.cmd)} failed with {error.returncode}\n{error.stdout}"
        raise Mistake(said) from error
    return result.stdout


def check_build(build, version):
    """`build` is of the version."""
    program = build / "bin/quarry"
    if not program.exists() or run(program, "version") != f"quarry {version}\n":
        raise Mistake(f"{build} has no bin/quarry of version {version}: build it, or leave the directory out")


class Project:
    """A build directory, in which the release goes to `out`."""

    # Of an archive whose bytes depend on the files alone.
    TAR_OPTIONS = ("--format=gnu", "--sort=name", "--owner=0", "--group=0", "--numeric-owner")

    def __init__(self, build):
        self.build = build.resolve()
        self.out = self.build / "packages"
        self.version = re.search(r"^project\(Quarry VERSION ([\d.]+)",
                                 (SOURCE / "CMakeLists.txt").read_text(), re.M).group(1)
        # The date of every file, so that the same commit gives the same bytes.
        self.epoch = int(run("git", "log", "-1", "--format=%ct", cwd=SOURCE))
        self.date = datetime.datetime.fromtimestamp(self.epoch, datetime.timezone.utc)
        self.environment = {**os.environ, "SOURCE_DATE_EPOCH": str(self.epoch), "LC_ALL": "C.UTF-8",
                            "TZ": "UTC"}

    def make_build(self):
        """Builds what is installed, if it is missing or of another version."""
        try:
            return check_build(self.build, self.version)
        except Mistake:
            if self.build != SOURCE / "build/release":
                raise
        subprocess.run(["cmake", "--preset", "release"], cwd=SOURCE, check=True)
        subprocess.run(["cmake", "--build", "--preset", "release", "--target", "product"],
                       cwd=SOURCE, check=True)

    def work(self, name):
        """An empty directory to make `name` in."""
        directory = self.out / "work" / name
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        return directory

    def place(self, name, pattern):
        """The path of a file of the release, without older ones of its kind beside it."""
        for old in self.out.glob(pattern):
            old.unlink()
        return self.out / name

    def install(self, directory, prefix):
        """Installs the build into `directory` as if it were the root."""
        run("cmake", "--install", self.build, "--prefix", prefix,
            env={**self.environment, "DESTDIR": str(directory)})

    def settle(self, directory):
        """Gives all in `directory` the date of the release and modes that no umask changes."""
        for path in [directory, *directory.rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
            os.utime(path, (self.epoch, self.epoch), follow_symlinks=False)
