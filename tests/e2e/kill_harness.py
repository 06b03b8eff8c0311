"""kill -9 at every moment of a command.

strace delivers SIGKILL in place of the n-th call of one kind that changes the file system, for
every kind and every n, so that every moment between two steps is covered. It counts by kind and by
thread.
"""

import subprocess

from harness import QUARRY, TIMEOUT

CHANGES = ("write,pwrite64,ftruncate,fallocate,fsync,fdatasync,rename,renameat,renameat2,link,linkat,"
           "unlink,unlinkat,mkdir,mkdirat,rmdir,fchmod")


def traced(home, options, arguments):
    """Runs the program under strace; returns its exit status."""
    environment = {**home.environment, "ASAN_OPTIONS": "detect_leaks=0"}
    return subprocess.run(
        ["strace", "-f", "-qqq", *options, QUARRY, *map(str, arguments)], cwd=home.project,
        env=environment, capture_output=True, text=True, timeout=TIMEOUT).returncode


def counting(counts, kinds):
    """Options with which the kinds of calls that were made are in the file `counts` at the end."""
    return ["-c", "-U", "name", "-o", counts, "-e", f"trace={kinds}"]


def counted(counts, kinds):
    """Those of `kinds` in the file, which is removed."""
    lines = [line.strip() for line in counts.read_text().splitlines()]
    counts.unlink()
    return [kind for kind in lines if kind in kinds.split(",")]


def killing(kind, number):
    """Options with which the program is killed at the `number`-th call of a kind."""
    return ["-o", "/dev/null", "-e", f"trace={kind}", "-e", f"inject={kind}:signal=SIGKILL:when={number}"]


def changes_of(home, *arguments):
    """The kinds of changes that a complete run makes."""
    counts = home.path / "counts"
    traced(home, counting(counts, CHANGES), arguments)
    return counted(counts, CHANGES)


def killed_at(home, kind, number, *arguments):
    """True when the program was killed at the `number`-th change of a kind; False when it had fewer."""
    return traced(home, killing(kind, number), arguments) in (137, -9)


def kill_everywhere(home, check, *arguments):
    """Kills one run after another, each one change later, and checks after each; returns their
    number."""
    kills = 0
    kinds = changes_of(home, *arguments)
    check()
    for kind in kinds:
        number = 1
        while killed_at(home, kind, number, *arguments):
            check()
            number += 1
        check()
        kills += number - 1
    return kills
