"""An npm package, made from the archive: the same files, and a launcher."""

import json
import shutil

from archive import LEAST_C_LIBRARY, make_tree
from project import SOURCE, run

NAME = "@quarry/cli"


def manifest(version):
    return {"name": NAME, "version": version, "license": "MIT", "bin": {"quarry": "quarry.js"},
            "description": "Answers questions about code and documents, with citations",
            "keywords": ["mcp", "search", "citations"],
            "os": ["linux"], "cpu": ["x64"], "libc": ["glibc"], "engines": {"node": ">=18"}}


def make(project):
    work = project.work("npm")
    root = make_tree(project, work).rename(work / "package")
    (root / "package.json").write_text(json.dumps(manifest(project.version), indent=2) + "\n")
    shutil.copy(SOURCE / "packaging/npm/quarry.js", root)
    readme = (SOURCE / "packaging/npm/README.md").read_text()
    (root / "README.md").write_text(readme.replace("@GLIBC@", LEAST_C_LIBRARY))
    project.settle(root)
    package = project.place(f"quarry-cli-{project.version}.tgz", "*.tgz")
    run("tar", "--create", "--file", package, "--use-compress-program=gzip --no-name",
        "--directory", work, *project.TAR_OPTIONS, root.name)
    shutil.rmtree(work)
    return [package]
