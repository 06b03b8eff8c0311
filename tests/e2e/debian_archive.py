"""A real Debian archive on a free port: packages of every source format, made by dpkg-source, in an archive of
reprepro, signed by gpg and served by lighttpd; and what apt-get makes of it."""

import contextlib
import gzip
import hashlib
import io
import lzma
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tarfile

from git_server import LIGHTTPD
from harness import BUILD, TIMEOUT

PROGRAMS = ("apt-get", "dpkg-source", "gpg", "gpgv", "reprepro", "curl")
MISSING = next((f"{program} is missing: scripts/install-packages test"
                for program in PROGRAMS if not shutil.which(program)),
               None if LIGHTTPD else "lighttpd is missing: scripts/install-packages test")
FETCH = BUILD / "tests/debian_fetch"  # the plugin's entry alone; writes the files of a package
OWN_KEYRING = pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg")

CONTROL = """Source: {name}
Section: misc
Priority: optional
Maintainer: Test <test@example.org>
Standards-Version: 4.6.2

Package: {name}-tools
Architecture: all
Description: test
 Test.
"""
CHANGELOG = """{name} ({version}) unstable; urgency=low

  * Test.

 -- Test <test@example.org>  Thu, 01 Jan 2026 00:00:00 +0000
"""
DISTRIBUTION = """Origin: Debian
Suite: stable
Codename: test
Architectures: source amd64
Components: main contrib
SignWith: {key}
ValidFor: 30d
DscIndices: Sources Release .gz .xz
"""
SERVER = """
server.document-root = "{root}"
server.bind = "/dev/stdin"
server.errorlog = "{folder}/error.log"
server.stat-cache-engine = "disable"
mimetype.assign = ("" => "application/octet-stream")
"""
PATCH = """Description: change the zebra
--- a/zebra.c
+++ b/zebra.c
@@ -1,3 +1,4 @@
 int main() {
-  return 1;
+  return answer();  // the zebra grazes at noon
+  // patched
 }
--- /dev/null
+++ b/new/file.c
@@ -0,0 +1 @@
+int answer() { return 42; }
--- a/gone.c
+++ /dev/null
@@ -1 +0,0 @@
-gone
"""
UPSTREAM = {"zebra.c": "int main() {\n  return 1;\n}\n", "gone.c": "gone\n", "run.sh": "#!/bin/sh\n",
            "gr\u00fc\u00df.txt": "umlaut\n", "binary.bin": bytes(range(256)),
            "docs/guide.md": "# Guide\n\nThe okapi sleeps at night.\n"}
OVERRIDDEN = {"debian/old": "upstream's own debian\n", ".pc/x": "not of quilt\n"}


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=TIMEOUT, **more)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


class Key:
    """A key of gpg, and its keyring in the form that gpgv reads."""

    def __init__(self, folder):
        folder.mkdir(mode=0o700)
        self.environment = {**os.environ, "GNUPGHOME": str(folder)}
        self.gpg("--passphrase", "", "--quick-generate-key", "Test <test@example.org>", "ed25519", "sign", "0")
        self.ring, self.armoured = folder / "ring.gpg", folder / "ring.asc"
        self.gpg("--output", self.ring, "--export")
        self.gpg("--armor", "--output", self.armoured, "--export")
        listing = self.gpg("--list-keys", "--with-colons")
        self.id = next(line.split(":")[9] for line in listing.splitlines() if line.startswith("fpr"))

    def gpg(self, *arguments, **more):
        return run("gpg", "--batch", *arguments, env=self.environment, **more)

    def sign(self, text, *more):
        return self.gpg(*more, "--clearsign", "--output", "-", input=text)

    def stop(self):
        subprocess.run(["gpgconf", "--kill", "all"], env=self.environment, check=False)


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def entry(path, content=b"", kind=tarfile.REGTYPE, target="", mode=0o644):
    content = content if isinstance(content, bytes) else content.encode()
    info = tarfile.TarInfo(path)
    info.type, info.linkname, info.mode, info.size = kind, target, mode, len(content)
    return info, content


def tar(entries, compression="xz", form=tarfile.GNU_FORMAT):
    """The bytes of a tar archive."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=f"w:{compression}", format=form) as archive:
        for info, content in entries:
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def upstream_tar(files, compression, top="up-1.0/"):
    link = [entry(f"{top}link.c", kind=tarfile.SYMTYPE, target="zebra.c")] if top else []
    return tar([entry(top + name, content, mode=0o755 if name.endswith(".sh") else 0o644)
                for name, content in files.items()] + link, compression)


def source_files(name, version, form):
    files = {"debian/control": CONTROL.format(name=name), "debian/rules": "#!/usr/bin/make -f\n%:\n\tdh $@\n",
             "debian/changelog": CHANGELOG.format(name=name, version=version)}
    return {**files, "debian/source/format": form + "\n"} if form else files


def build(folder, name, version):
    """Builds a source package by its name: "quilted", "native", "classic" (1.0 with a diff) or "single" (1.0
    without). Returns its .dsc."""
    work = folder / f"{name}-{version.replace(':', '.')}"
    tree = work / name
    tree.mkdir(parents=True)
    upstream = version.split(":")[-1].rsplit("-", 1)[0]
    if name in ("quilted", "classic"):
        write(tree, UPSTREAM)
        (tree / "run.sh").chmod(0o755)
        (tree / "link.c").symlink_to("zebra.c")
    if name == "quilted":
        (work / f"quilted_{upstream}.orig.tar.xz").write_bytes(upstream_tar({**UPSTREAM, **OVERRIDDEN}, "xz"))
        (work / f"quilted_{upstream}.orig-extra.tar.gz").write_bytes(
            upstream_tar({"extra.txt": "extra\n"}, "gz", top=""))
        write(tree, {"extra/extra.txt": "extra\n", "debian/patches/series": "# comment\nzebra.patch -p1\n",
                     "debian/patches/zebra.patch": PATCH, **source_files(name, version, "3.0 (quilt)")})
    elif name == "classic":
        (work / f"classic_{upstream}.orig.tar.gz").write_bytes(upstream_tar(UPSTREAM, "gz"))
        write(tree, {"zebra.c": "int main() {\n  return 2;  // changed by the diff\n}\n",
                     **source_files(name, version, None)})
    else:
        form = "3.0 (native)" if name == "native" else "1.0"
        write(tree, {"README": f"The zebra of {version} is {name}.\n", **source_files(name, version, form)})
    run("dpkg-source", "-b", name, cwd=work)
    return next(work.glob("*.dsc"))


class DebianArchive:
    """The suite "stable", codename "test", of one archive."""

    def __init__(self, folder):
        folder.mkdir(parents=True)
        self.folder, self.root = folder, folder / "root"
        self.key, self.other = Key(folder / "key"), Key(folder / "other")
        write(self.root, {"conf/distributions": DISTRIBUTION.format(key=self.key.id)})
        self.dists = self.root / "dists/test"
        (folder / "lighttpd.conf").write_text(SERVER.format(root=self.root, folder=folder))
        with contextlib.closing(socket.create_server(("127.0.0.1", 0), backlog=128)) as listener:
            self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            self.process = subprocess.Popen([LIGHTTPD, "-D", "-f", folder / "lighttpd.conf"], stdin=listener,
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self):
        self.process.terminate()
        self.process.wait(TIMEOUT)
        self.key.stop()
        self.other.stop()

    def add(self, name, version, component="main"):
        dsc = build(self.folder / "build", name, version)
        run("reprepro", "-b", self.root, "-C", component, "includedsc", "test", dsc, env=self.key.environment)
        if not (self.root / "dists/stable").exists():
            (self.root / "dists/stable").symlink_to("test")

    def pool(self, name):
        return next((self.root / "pool").rglob(name))

    # Changes of the index, all signed.

    def release(self):
        """The text that was signed."""
        text = (self.dists / "InRelease").read_text().split("\n\n", 1)[1]
        return text.split("-----BEGIN PGP SIGNATURE-----")[0]

    def sign(self, text, key=None, *more):
        (self.dists / "InRelease").write_text((key or self.key).sign(text, *more))

    def change_sources(self, change):
        """Changes the text of main's Sources, and signs an index that agrees."""
        folder = self.dists / "main/source"
        text = change(gzip.decompress((folder / "Sources.gz").read_bytes()).decode()).encode()
        forms = {"Sources": text, "Sources.gz": gzip.compress(text), "Sources.xz": lzma.compress(text)}
        for name, content in forms.items():
            (folder / name).write_bytes(content)

        def line(found):
            content = forms[found[3]]
            kind = {32: "md5", 40: "sha1", 64: "sha256"}[len(found[1])]
            return f" {hashlib.new(kind, content).hexdigest()} {len(content)} main/source/{found[3]}"
        self.sign(re.sub(r"(?m)^ ([0-9a-f]+) +(\d+) main/source/(Sources\S*)$", line, self.release()))

    @contextlib.contextmanager
    def restored(self):
        """Restores every file of the archive at the end of the block."""
        kept = {path: path.read_bytes() for part in ("dists/test", "pool")
                for path in (self.root / part).rglob("*") if path.is_file()}
        try:
            yield
        finally:
            for path, content in kept.items():
                path.write_bytes(content)

    def change_description(self, name, change, **files):
        """Changes the .dsc `name`, replaces files of its folder, and signs an index that agrees with the .dsc."""
        dsc = self.pool(name)
        dsc.write_text(change(dsc.read_text()))
        for file, content in files.items():
            (dsc.parent / file).write_bytes(content)
        content = dsc.read_bytes()
        said = f" {hashlib.sha256(content).hexdigest()} {len(content)} {name}"
        base = name.split("_")[0]

        def in_index(text):
            text = re.sub(rf"(?m)^ [0-9a-f]{{64}} \d+ {re.escape(name)}$", said, text)
            return re.sub(rf"(?m)^ [0-9a-f]{{64}} \d+ {base}_\S*\.tar\.\S*\n", "", text)
        self.change_sources(in_index)

    def replace_part(self, dsc, part, content):
        said = f" {hashlib.sha256(content).hexdigest()} {len(content)} {part}"
        self.change_description(
            dsc, lambda text: re.sub(rf"(?m)^ [0-9a-f]{{64}} \d+ {re.escape(part)}$", said, text), **{part: content})


def apt_source(folder, url, suite, keyring, package, components="main contrib"):
    """The tree that `apt-get source` makes, by apt with directories of its own."""
    for part in ("state/lists/partial", "cache/archives/partial", "etc/apt.conf.d", "etc/preferences.d", "log", "out"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "state/status").touch()
    (folder / "etc/sources.list").write_text(f"deb-src [signed-by={keyring}] {url} {suite} {components}\n")
    options = [part for name, value in {
        "Dir::State": "state", "Dir::State::status": "state/status", "Dir::Cache": "cache", "Dir::Etc": "etc",
        "Dir::Log": "log"}.items() for part in ("-o", f"{name}={folder / value}")]
    options += ["-o", "APT::Sandbox::User=root"]
    run("apt-get", *options, "update")
    out = folder / "out" / package
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    run("apt-get", *options, "source", package, cwd=out)
    return next(path for path in out.iterdir() if path.is_dir())


def files_of(root):
    """Bytes by path, "link" for links. Left out are quilt's own data (.pc), and pipes."""
    out = {}
    for path in root.rglob("*"):
        name = str(path.relative_to(root))
        if name == ".pc" or name.startswith(".pc/"):
            continue
        if path.is_symlink():
            out[name] = b"link"
        elif path.is_file():
            out[name] = path.read_bytes()
    return out
