"""Debian packages, made by debhelper from an installed release build."""

import email.utils
import re
import shutil

from parts import npm_parts
from project import SOURCE, run

# Debian has a board game of this name, whose versions must not count as newer; our packages
# are none of Debian's, whose first revision would be 1.
EPOCH, REVISION = 1, "0quarry1"
FORMAT = "https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"


def changelog(version, maintainer, date):
    return (f"quarry ({EPOCH}:{version}-{REVISION}) unstable; urgency=medium\n\n"
            f"  * Release {version}: see changelog.gz.\n\n"
            f" -- {maintainer}  {email.utils.format_datetime(date)}\n")


def paragraph(files, holders, licence):
    lines = "\n           ".join(holders)
    return f"Files: {files}\nCopyright: {lines}\nLicense: {licence}\n"


def copyright_file():
    """In the machine-readable form: of this tree, and of the npm packages that are compiled in."""
    _, holder, *terms = (SOURCE / "LICENSE").read_text().split("\n\n")
    paragraphs = [f"Format: {FORMAT}\nUpstream-Name: Quarry\n",
                  paragraph("*", [re.sub(r"^Copyright \(c\) ", "", holder)], "Expat")]
    paragraphs += [paragraph(f"build/npm/{part.name}/*", part.holders, "Expat")
                   for part in npm_parts()]
    text = "\n\n".join(terms).rstrip().replace("\n\n", "\n.\n").replace("\n", "\n ")
    paragraphs.append(f"License: Expat\n {text}\n")
    return "\n".join(paragraphs)


def make(project):
    """The packages, in the directory of the release."""
    work = project.work("debian") / "quarry"
    shutil.copytree(SOURCE / "packaging/debian", work / "debian")
    shutil.copytree(SOURCE / "docs", work / "docs")
    for name in ("README.md", "CHANGELOG.md"):
        shutil.copy(SOURCE / name, work)
    control = (work / "debian/control").read_text()
    maintainer = re.search(r"^Maintainer: (.*)", control, re.M).group(1)
    (work / "debian/changelog").write_text(changelog(project.version, maintainer, project.date))
    (work / "debian/copyright").write_text(copyright_file())
    project.install(work / "installed", "/usr")
    project.settle(work)
    # Nothing is compiled, so no compiler needs to be there.
    run("dpkg-buildpackage", "--build=binary", "--no-sign", "--no-check-builddeps", cwd=work,
        env=project.environment)
    made = [package.replace(project.place(package.name, f"{package.name.split('_')[0]}_*.deb"))
            for package in sorted(work.parent.glob("*.deb"))]
    shutil.rmtree(work.parent)
    return made
