"""A real git server on a free port: lighttpd in front of `git http-backend`, and repositories for it."""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess

from harness import TIMEOUT

LIGHTTPD = shutil.which("lighttpd", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
MISSING = None if LIGHTTPD else "lighttpd is missing: scripts/install-packages test"
BACKEND = pathlib.Path(
    subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()
) / "git-http-backend"
WHO = "Quarry Test <test@quarry.invalid> 1700000000 +0000"
# MALLOC_*: git keeps the buffers that it allocates for each object, instead of mapping them again.
ENVIRONMENT = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
               "MALLOC_MMAP_THRESHOLD_": "1073741824", "MALLOC_TRIM_THRESHOLD_": "1073741824"}

CONFIGURATION = """
server.document-root = "{root}"
server.bind = "/dev/stdin"
server.errorlog = "{folder}/error.log"
server.modules = ("mod_auth", "mod_authn_file", "mod_setenv", "mod_alias", "mod_cgi", "mod_accesslog")
accesslog.filename = "{folder}/access.log"
accesslog.format = "%s %r"
server.stream-response-body = 1
setenv.set-environment = (
  "GIT_PROJECT_ROOT" => "{root}",
  "GIT_HTTP_EXPORT_ALL" => "1",
  "GIT_CONFIG_NOSYSTEM" => "1",
  "GIT_CONFIG_GLOBAL" => "{folder}/gitconfig",
  "PATH" => "{path}"
)
alias.url = ("" => "{backend}")
cgi.assign = ("" => "")
"""
AUTHENTICATION = """
auth.backend = "plain"
auth.backend.plain.userfile = "{folder}/users"
auth.require = ("/" => ("method" => "basic", "realm" => "git", "require" => "valid-user"))
"""
TLS = """
server.modules += ("mod_openssl")
ssl.engine = "enable"
ssl.pemfile = "{certificate}"
"""


def make_certificate(folder):
    """A self-signed certificate with its key, for 127.0.0.1 and localhost."""
    path = folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
         "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
        check=True, capture_output=True)
    path.write_bytes((folder / "cert.pem").read_bytes() + (folder / "key.pem").read_bytes())
    return path


class GitServer:
    """Serves the repositories made by repository(). `users` = {name: password}: nobody else has
    access."""

    def __init__(self, folder, users=None, certificate=None):
        self.folder = folder
        self.root = folder / "repositories"
        self.root.mkdir(parents=True)
        (folder / "gitconfig").write_text(
            "[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n"
            "[safe]\n\tdirectory = *\n[core]\n\tbigFileThreshold = 1m\n")
        text = CONFIGURATION
        if users:
            (folder / "users").write_text("".join(f"{name}:{word}\n" for name, word in users.items()))
            text += AUTHENTICATION
        if certificate:
            text += TLS
        (folder / "lighttpd.conf").write_text(text.format(
            root=self.root, folder=folder, backend=BACKEND, path=os.environ["PATH"],
            certificate=certificate))
        with contextlib.closing(socket.create_server(("127.0.0.1", 0), backlog=128)) as listener:
            self.port = listener.getsockname()[1]
            self.process = subprocess.Popen(
                [LIGHTTPD, "-D", "-f", folder / "lighttpd.conf"], stdin=listener,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ENVIRONMENT)
        self.url = f"http{'s' if certificate else ''}://127.0.0.1:{self.port}"

    def repository(self, name, **more):
        return Repository(self.root / f"{name}.git", f"{self.url}/{name}.git", **more)

    def stop(self):
        self.process.terminate()
        said, _ = self.process.communicate(timeout=TIMEOUT)
        return said.decode()


class Link(bytes):
    """The content of a symbolic link."""


class Submodule(str):
    """The commit of a submodule."""


def quoted(path):
    """`path` (text or any bytes) in fast-import's form."""
    path = path.encode() if isinstance(path, str) else path
    return b'"' + b"".join(bytes([byte]) if 32 < byte < 127 and byte not in b'"\\\\' else
                           b"\\%03o" % byte for byte in path) + b'"'


class Repository:
    """A bare repository. Its files are never checked out, so names and contents may be anything."""

    def __init__(self, path, url, branch="main"):
        self.path, self.url, self.branch = path, url, branch
        self.git("init", "-q", "--bare", f"--initial-branch={branch}", path, where=[])

    def git(self, *arguments, where=None, **more):
        """Runs git on the repository; returns its output without the last newline."""
        where = ["--git-dir", self.path] if where is None else where
        result = subprocess.run(["git", *where, *arguments], env=ENVIRONMENT, check=True,
                                stdout=subprocess.PIPE, timeout=TIMEOUT, **more)
        return result.stdout.decode().rstrip("\n")

    def commit(self, files, branch=None, parent=True, message="A commit"):
        """Commits `files` = {path: content, Link, Submodule, or None to remove it} to `branch`;
        returns the commit. parent=False: rewrites the branch without its previous content."""
        branch = branch or self.branch
        at = self.commit_of(branch) if parent else None
        stream = [b"feature done\n", b"reset refs/heads/%s\n" % branch.encode() if not at else b"",
                  b"commit refs/heads/%s\ncommitter %s\ndata %d\n%s\n" % (
                      branch.encode(), WHO.encode(), len(message), message.encode())]
        if at:
            stream.append(b"from %s\n" % at.encode())
        for path, content in files.items():
            stream.append(b"D %s\n" % quoted(path) if content is None else entry(path, content))
        stream.append(b"done\n")
        self.git("fast-import", "--quiet", "--force", input=b"".join(stream))
        return self.commit_of(branch)

    def commit_of(self, reference):
        """The commit that `reference` refers to; None when there is none."""
        result = subprocess.run(
            ["git", "--git-dir", self.path, "rev-parse", "-q", "--verify", f"{reference}^{{commit}}"],
            env=ENVIRONMENT, capture_output=True, text=True)
        return result.stdout.strip() or None

    def commit_tree(self, tree, branch=None):
        """Commits an existing tree object."""
        commit = self.git("-c", "user.name=Test", "-c", "user.email=test@quarry.invalid",
                          "commit-tree", tree, "-m", "A commit")
        self.git("update-ref", f"refs/heads/{branch or self.branch}", commit)
        return commit

    def tree(self, entries):
        """Writes a tree object of (mode, name, object), names unchecked; returns the tree."""
        raw = b"".join(b"%s %s\0%s" % (mode.encode(), name, bytes.fromhex(of))
                       for mode, name, of in entries)
        return self.git("hash-object", "-t", "tree", "-w", "--stdin", "--literally", input=raw)

    def blob(self, content):
        return self.git("hash-object", "-w", "--stdin", input=content)


def entry(path, content):
    if isinstance(content, Submodule):
        return b"M 160000 %s %s\n" % (content.encode(), quoted(path))
    mode = b"120000" if isinstance(content, Link) else b"100644"
    content = content.encode() if isinstance(content, str) else content
    return b"M %s inline %s\ndata %d\n%s\n" % (mode, quoted(path), len(content), content)
