"""Closes a version: its number in CMakeLists.txt, its section of the changelog, a commit and a tag."""

import datetime
import re

from project import SOURCE, Mistake, run

NUMBER = r"\d+\.\d+\.\d+"
PROJECT = re.compile(rf"^(project\(Quarry VERSION )({NUMBER})", re.M)
OPEN = "## [Unreleased]\n"


def numbered(cmake, version):
    """The text of CMakeLists.txt with the version in place of its own, which must not be higher."""
    old = PROJECT.search(cmake).group(2)
    if [*map(int, version.split("."))] < [*map(int, old.split("."))]:
        raise Mistake(f"{version} is lower than {old}, the version in CMakeLists.txt")
    return PROJECT.sub(rf"\g<1>{version}", cmake, count=1)


def closed(changelog, version, day):
    """The changelog with the section "Unreleased" under the name of the version, and an empty one before it;
    as it is if there is a section of the version and nothing in "Unreleased"."""
    _, heading, rest = changelog.partition(OPEN)
    pending = rest.partition("\n## [")[0].strip()
    has = f"\n## [{version}]" in changelog
    if not heading or bool(pending) == has:
        raise Mistake(f'CHANGELOG.md must have either a section "[{version}]" or something in "[Unreleased]"')
    return changelog if has else changelog.replace(OPEN, f"{OPEN}\n## [{version}] - {day}\n", 1)


def close(version):
    if not re.fullmatch(NUMBER, version):
        raise Mistake(f'"{version}" is not a version such as 1.2.0')
    if run("git", "status", "--porcelain", cwd=SOURCE):
        raise Mistake("there are changes that are not committed: a release is made of a commit")
    tag = f"v{version}"
    if run("git", "tag", "--list", tag, cwd=SOURCE):
        if run("git", "rev-parse", f"{tag}^{{commit}}", cwd=SOURCE) != run("git", "rev-parse", "HEAD", cwd=SOURCE):
            raise Mistake(f"{tag} is another commit: check that out, or release a later version")
        return
    cmake, changelog = SOURCE / "CMakeLists.txt", SOURCE / "CHANGELOG.md"
    texts = {cmake: numbered(cmake.read_text(), version),
             changelog: closed(changelog.read_text(), version, datetime.date.today().isoformat())}
    for file, text in texts.items():
        file.write_text(text)
    if run("git", "status", "--porcelain", cwd=SOURCE):
        run("git", "commit", "--all", "--message", f"release: close version {version}", cwd=SOURCE)
    run("git", "tag", "--annotate", "--message", f"Quarry {version}", tag, cwd=SOURCE)
