"""An OCI image of the program alone, without a shell or a package manager, and without a daemon
to make it."""

import pathlib
import shutil

from archive import make_tree
from libraries import LOADER, binaries, needed, package_of
from project import run

USER = 65532  # no user of the machine
STATE = "/var/lib/quarry"
CACHE = "/var/cache/quarry"
# Programs that plugins start, and what these start or read.
FILES = ["/usr/bin/git", "/usr/bin/gpgv", "/usr/lib/git-core/git-remote-http",
         "/usr/share/keyrings/debian-archive-keyring.gpg", "/etc/ssl/certs/ca-certificates.crt"]
LINKS = {"bin": "usr/bin", "lib": "usr/lib", "usr/lib/git-core/git": "../../bin/git",
         "usr/lib/git-core/git-remote-https": "git-remote-http"}
ONLY_FOR_AUTHORS = ["bin/quarry-author", "bin/quarry-validate", "include", "lib/cmake", "share/man",
                    "share/quarry"]
ENVIRONMENT = {"LANG": "C.UTF-8", "HOME": STATE, "PATH": "/usr/bin", "QUARRY_CACHE_DIR": CACHE,
               "QUARRY_STATE_DIR": f"{STATE}/state", "QUARRY_DATA_DIR": f"{STATE}/data"}


def copy(path, root):
    target = root / str(path).lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)
    target.chmod(pathlib.Path(path).stat().st_mode & 0o777)


def system_libraries(files):
    """{name: path} of the libraries of `files`, with the C library, which an archive leaves out."""
    out = {}
    for file in files:
        out.update(needed(file))
    return out


def packages():
    """The Debian packages of what an image has more than an archive."""
    files = [pathlib.Path(path) for path in FILES if path != "/etc/ssl/certs/ca-certificates.crt"]
    libraries = system_libraries(file for file in files if file.suffix != ".gpg")
    owned = [*files, *libraries.values(), LOADER]
    return sorted({"ca-certificates", *(package_of(path) for path in owned)})


def add_system(root):
    for path in FILES:
        copy(path, root)
    copy(LOADER, root)
    present = {path.name for path in (root / "usr/lib").iterdir()}
    for name, path in system_libraries(binaries(root)).items():
        if name not in present:
            shutil.copyfile(path, root / "usr/lib" / name)
    for name, target in LINKS.items():
        (root / name).symlink_to(target)
    licences = root / "usr/share/doc/quarry/licences"
    for package in packages():
        shutil.copyfile(f"/usr/share/doc/{package}/copyright", licences / package)
    (root / "etc/passwd").write_text("root:x:0:0::/:/none\n"
                                     f"quarry:x:{USER}:{USER}::{STATE}:/none\n")
    (root / "etc/group").write_text(f"root:x:0:\nquarry:x:{USER}:\n")
    for directory in ("etc/quarry", "usr/share/git-core/templates"):
        (root / directory).mkdir(parents=True)


def make_root(project, work):
    root = work / "root"
    root.mkdir()
    make_tree(project, work).rename(root / "usr")
    for name in ONLY_FOR_AUTHORS:
        path = root / "usr" / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    add_system(root)
    project.settle(root)
    return root


def commit(project, work):
    """The image as a directory in the layout of OCI."""
    def buildah(*words):
        return run("buildah", "--root", work / "storage", "--runroot", work / "run",
                   "--storage-driver", "vfs", *words, env=project.environment).strip()
    (work / "own/var/lib/quarry").mkdir(parents=True)
    (work / "own/var/cache/quarry").mkdir(parents=True)
    (work / "tmp/tmp").mkdir(parents=True)
    (work / "tmp/tmp").chmod(0o1777)
    container = buildah("from", "scratch")
    buildah("copy", "--quiet", container, make_root(project, work), "/")
    buildah("copy", "--quiet", container, work / "tmp", "/")
    buildah("copy", "--quiet", "--chown", f"{USER}:{USER}", container, work / "own/var", "/var")
    buildah("config", "--user", f"{USER}:{USER}", "--workingdir", STATE,
            "--entrypoint", '["/usr/bin/quarry"]', "--cmd", "serve",
            "--volume", STATE, "--volume", CACHE,
            *(f"--env={name}={value}" for name, value in ENVIRONMENT.items()),
            "--label", f"org.opencontainers.image.version={project.version}",
            "--label", "org.opencontainers.image.licenses=MIT", container)
    image = buildah("commit", "--quiet", "--timestamp", project.epoch, "--identity-label=false",
                    container)
    layout = work / "layout"
    buildah("push", "--quiet", image, f"oci:{layout}:quarry:{project.version}")
    # Without root, files of other users in it can be removed by buildah alone.
    buildah("rm", container)
    buildah("rmi", image)
    return layout


def make(project):
    work = project.work("image")
    layout = commit(project, work)
    project.settle(layout)
    image = project.place(f"quarry-{project.version}.oci.tar", "*.oci.tar")
    run("tar", "--create", "--file", image, "--directory", layout, *project.TAR_OPTIONS,
        "blobs", "index.json", "oci-layout")
    shutil.rmtree(work)
    return [image]
