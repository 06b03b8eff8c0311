"""What goes with the files of a release: changes, list of parts, sums and their signature."""

import hashlib
import json
import os
import pathlib
import re

import image
import sbom
from libraries import binaries, package_of, shared_libraries
from project import SOURCE, Mistake, run

KEY = "QUARRY_RELEASE_KEY"
SUMS = "SHA256SUMS"
RELEASED = ("*.deb", "*.tar.zst", "*.tgz", "*.oci.tar", "*.spdx.json", "CHANGES-*.md")


def changes(version):
    """The section of a version, without its heading."""
    text = (SOURCE / "CHANGELOG.md").read_text()
    section = re.search(rf"^## \[{re.escape(version)}\].*?\n(.*?)(?=^## \[|\Z)", text, re.M | re.S)
    if not section:
        raise Mistake(f'CHANGELOG.md has no section "[{version}]": '
                      'give its section "[Unreleased]" this name')
    return section.group(1).strip() + "\n"


def loaded_packages(build):
    libraries = shared_libraries([build / "bin/quarry", *binaries(build / "lib/quarry/plugins")])
    return sorted({package_of(path) for path in libraries.values()})


def key():
    """The path of the secret key."""
    path = os.environ.get(KEY, "")
    if not pathlib.Path(path).is_file():
        raise Mistake(f"{KEY} has to name the secret key that signs the sums; "
                      '"minisign -G" makes one')
    return path


def make(project):
    secret = key()
    loaded = loaded_packages(project.build)
    document = sbom.document(project, {"loaded": loaded,
                                       "image": set(image.packages()) - set(loaded)})
    parts = project.place(f"quarry-{project.version}.spdx.json", "*.spdx.json")
    parts.write_text(json.dumps(document, indent=1) + "\n")
    section = project.place(f"CHANGES-{project.version}.md", "CHANGES-*.md")
    section.write_text(changes(project.version))

    files = sorted(file for pattern in RELEASED for file in project.out.glob(pattern))
    sums = project.out / SUMS
    sums.write_text("".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
                            for file in files))
    run("minisign", "-S", "-s", secret, "-m", sums, "-t", f"quarry {project.version}")
    return [parts, section, sums, project.out / f"{SUMS}.minisig"]
