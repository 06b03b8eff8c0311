"""The parts of others in a release, with their licences."""

import dataclasses
import json
import re

from project import SOURCE, Mistake, run

NPM = SOURCE / "build/npm"
LICENCES = "packaging/licences.txt"
TOOLS = {"@esbuild/linux-x64"}  # it makes the page, and is not in it


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    version: str
    licence: str  # an SPDX expression
    source: str  # "npm" or "debian"
    how: str  # "compiled", "loaded" or "image", as in LICENCES
    holders: tuple = ()  # of the copyright, with years


def holders_of(text):
    lines = re.findall(r"^\s*Copyright\s+(?:\(c\)\s+)?(\d{4}.*|.*\d{4}.*)$", text, re.M | re.I)
    return tuple(dict.fromkeys(line.strip() for line in lines))


def table(file):
    """The words of each line that is no comment."""
    lines = (SOURCE / file).read_text().splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def npm_packages():
    """(name, version, file of the licence) of the npm packages that are compiled into the program,
    its plugins or the page."""
    for name, version, _, purpose, *_ in table("scripts/npm-packages.txt"):
        if purpose != "build" or name in TOOLS:
            continue
        licence = next(iter(sorted((NPM / name).glob("LICENSE*"))), None)
        if licence is None:
            raise Mistake(f"{NPM / name} has no LICENSE: scripts/install-npm-packages build")
        yield name, version, licence


def npm_parts():
    for name, version, licence in npm_packages():
        expression = json.loads((NPM / name / "package.json").read_text())["license"]
        yield Part(name, version, expression, "npm", "compiled", holders_of(licence.read_text()))


def debian_parts(found):
    """The Debian packages that are compiled in, and those of `found`: {how: names}."""
    listed = [(name, how, " ".join(licence)) for name, how, *licence in table(LICENCES)]
    for how, names in found.items():
        known = {name for name, its, _ in listed if its == how}
        if known != set(names):
            raise Mistake(f"{LICENCES}: \"{how}\" lacks {sorted(set(names) - known)}, and has "
                          f"{sorted(known - set(names))}, which are not used")
    for name, how, licence in listed:
        version = run("dpkg-query", "--show", "--showformat", "${Version}", name)
        yield Part(name, version, licence, "debian", how)
