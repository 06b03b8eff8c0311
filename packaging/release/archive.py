"""An archive that runs wherever it is unpacked: the program, and all that it loads beside it."""

import shutil

from libraries import binaries, least_c_library, package_of, shared_libraries
from parts import npm_packages
from project import SOURCE, Mistake, run

LEAST_C_LIBRARY = "2.35"  # of Ubuntu 22.04; documents name it
# Wherever there is such a C library these are as new as Debian 12's, whose own needs a newer one.
OF_THE_SYSTEM = ("libstdc++6", "libgcc-s1")


def bundle(root):
    """Puts the libraries into lib/ and lets the programs find them there. Plugins are not changed,
    since their manifests have their digests; unlike a RUNPATH, the RPATH of a program holds for all
    that it loads."""
    programs = binaries(root / "bin")
    loaded = shared_libraries([*programs, *binaries(root / "lib")])
    libraries = {name: path for name, path in loaded.items() if package_of(path) not in OF_THE_SYSTEM}
    for name, path in libraries.items():
        shutil.copyfile(path, root / "lib" / name)
    for program in programs:
        run("strip", program)
        run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN/../lib", program)
    needed = least_c_library([*programs, *binaries(root / "lib")])
    if needed > LEAST_C_LIBRARY:
        raise Mistake(f"the program or a library needs glibc {needed}; "
                      f"the documents say {LEAST_C_LIBRARY}")
    return libraries


def add_licences(root, libraries):
    folder = root / "share/doc/quarry/licences"
    folder.mkdir()
    for package in sorted({package_of(path) for path in libraries.values()}):
        shutil.copyfile(f"/usr/share/doc/{package}/copyright", folder / package)
    for name, _, licence in npm_packages():
        shutil.copyfile(licence, folder / name.replace("/", "+"))
    for name in ("LICENSE", "CHANGELOG.md"):
        shutil.copyfile(SOURCE / name, folder.parent / name)


def make_tree(project, directory):
    """The unpacked archive, in an empty directory."""
    root = directory / f"quarry-{project.version}-linux-x64"
    project.install(directory, f"/{root.name}")
    shutil.rmtree(root / "lib/systemd")  # a unit names a program by its full path
    add_licences(root, bundle(root))
    project.settle(root)
    return root


def make(project):
    work = project.work("archive")
    root = make_tree(project, work)
    tar = work / "archive.tar"
    run("tar", "--create", "--file", tar, "--directory", work, *project.TAR_OPTIONS, root.name)
    packed = project.place(f"{root.name}.tar.zst", "quarry-*.tar.zst")
    run("zstd", "--quiet", "-15", tar, "-o", packed)
    shutil.rmtree(work)
    return [packed]
