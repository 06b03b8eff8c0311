"""A minimal Debian in a directory, without this source tree and without a network."""

import pathlib
import shutil
import subprocess
import tempfile

SUITE = "bookworm"
USER, HOME = 1000, "/home/tester"  # of commands that need no root
TIMEOUT = 300
# Processes of a command end with it, and what is mounted for it is gone.
ENTER = """set -e
root=$1 user=$2
shift 2
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
ip link set lo up
while [ "$1" != -- ]; do
  mount --bind "$1" "$root$2"
  shift 2
done
shift
exec chroot --userspec="$user" "$root" "$@"
"""


def mirrors(suite=SUITE):
    """The lines of sources.list that this machine has for Debian itself, for `suite` in place of its own."""
    form = "$(ORIGIN) $(CODENAME) deb $(REPO_URI) $(RELEASE) $(COMPONENT)"
    targets = subprocess.run(["apt-get", "indextargets", "--format", form, "Created-By: Packages"],
                             capture_output=True, text=True, check=True).stdout.splitlines()
    lines = [target.split(" ", 2) for target in targets]
    return sorted({line.replace(SUITE, suite) for origin, codename, line in lines
                   if origin == "Debian" and codename.startswith(SUITE)})


def make_base(directory, packages, install, suite=SUITE):
    """A minimal system in `directory`, with `packages` (files) in its root, and all that
    `apt-get install` with the arguments `install` needs as downloaded files."""
    shutil.rmtree(directory, ignore_errors=True)
    download = 'chroot "$1" apt-get install --quiet --yes --no-install-recommends --download-only'
    hooks = [f"--customize-hook={download} {' '.join(install)}"] if install else []
    result = subprocess.run(
        ["mmdebstrap", "--quiet", "--variant=minbase", "--dpkgopt=force-unsafe-io",
         "--dpkgopt=path-exclude=/usr/share/locale/*", "--skip=cleanup/apt",
         *(f"--customize-hook=copy-in {package} /" for package in packages),
         *hooks, suite, directory, *mirrors(suite)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        raise AssertionError("mmdebstrap cannot make a chroot here, which these tests need:\n"
                             f"{result.stdout}")
    # A command has those of the machine; whatever reads the build directory must find no device.
    shutil.rmtree(directory / "dev")
    (directory / "dev").mkdir()


def keep_base(directory, packages=(), install=(), suite=SUITE, needs=()):
    """make_base, unless it has made the directory already from the same mirrors, packages and `needs`."""
    stamp = directory.with_name(f"{directory.name}.made-for")
    made_for = "\n".join([*mirrors(suite), *needs, *install])
    if stamp.exists() and stamp.read_text() == made_for:
        return
    stamp.unlink(missing_ok=True)
    make_base(directory, packages, install, suite)
    stamp.write_text(made_for)


class Chroot:
    """A copy of a base, for one test. `shared` are folders of the machine with their places inside."""

    def __init__(self, base, shared=()):
        self.shared = shared
        self.parent = pathlib.Path(tempfile.mkdtemp(prefix="quarry-chroot-"))
        self.path = self.parent / "root"
        subprocess.run(["cp", "-a", "--reflink=auto", base, self.path], check=True)
        home = self.path / HOME.lstrip("/")
        home.mkdir()
        shutil.chown(home, USER, USER)

    def remove(self):
        shutil.rmtree(self.parent)

    def command(self, *command, user=0):
        """The words that run `command` inside; it sees no network."""
        environment = ["env", "-i", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                       "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive",
                       f"HOME={HOME if user else '/root'}"]
        return ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child",
                "sh", "-c", ENTER, "sh", str(self.path), f"{user}:{user}",
                *(str(path) for pair in self.shared for path in pair), "--", *environment, *map(str, command)]

    def run(self, *command, user=0, timeout=TIMEOUT):
        return subprocess.run(self.command(*command, user=user), capture_output=True, text=True,
                              timeout=timeout)

    def must(self, *command, user=0):
        """Standard output of a command that has to succeed."""
        result = self.run(*command, user=user)
        if result.returncode:
            raise AssertionError(f"{' '.join(map(str, command))}: {result.returncode}\n"
                                 f"{result.stdout[-4000:]}{result.stderr[-4000:]}")
        return result.stdout
