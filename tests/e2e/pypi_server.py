"""A static index of Python packages on a free port, and packages for it, valid and invalid."""

import hashlib
import html
import http.server
import io
import json
import pathlib
import re
import shutil
import subprocess
import tarfile
import threading
import zipfile

PYTHON = "/usr/bin/python3"  # with Debian's pip and setuptools


def missing():
    if not pathlib.Path(PYTHON).exists():
        return f"{PYTHON} is missing: scripts/install-packages build"
    found = subprocess.run([PYTHON, "-c", "import setuptools, pip"], capture_output=True)
    return "pip or setuptools is missing: scripts/install-packages test" if found.returncode else None


MISSING = missing()


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def metadata(name, version, python=None, needs=()):
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", f"Summary: Facts about {name}"]
    lines += [f"Requires-Python: {python}"] if python else []
    lines += [f"Requires-Dist: {need}" for need in needs]
    return "\n".join(lines) + f"\n\n# {name}\n\nThe readme of {name}.\n"


def tar(entries, mode="w:gz"):
    """`entries` are (name, bytes) or (name, target, type of tarfile)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, content, *kind in entries:
            info = tarfile.TarInfo(name)
            if kind:
                info.type, info.linkname = kind[0], content
                archive.addfile(info)
            else:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return out.getvalue()


def sdist(name, version, files=None, python=None, kind="tar.gz"):
    """(name of the file, bytes)"""
    root, module = f"{name}-{version}", re.sub(r"[-.]", "_", name)
    texts = {"PKG-INFO": metadata(name, version, python),
             "setup.py": f"import setuptools\nsetuptools.setup(name={name!r}, version={version!r}, packages=[{module!r}])\n",
             f"{module}/__init__.py": f'"""The zebra grazes at {version}."""\n', **(files or {})}
    contents = {f"{root}/{path}": text if isinstance(text, bytes) else text.encode()
                for path, text in texts.items()}
    if kind == "zip":
        return f"{root}.zip", zipped(contents)
    return f"{root}.{kind}", tar(contents.items(), {"tar.gz": "w:gz", "tar.bz2": "w:bz2"}[kind])


def wheel(name, version, python=None, needs=(), tag="py3-none-any"):
    """(name of the file, bytes, its metadata)"""
    module = re.sub(r"[-.]", "_", name)
    info = f"{module}-{version}.dist-info"
    files = {f"{module}/__init__.py": f'"""The zebra grazes at {version}."""\n',
             f"{info}/METADATA": metadata(name, version, python, needs),
             f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n"}
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    return f"{module}-{version}-{tag}.whl", zipped(files), files[f"{info}/METADATA"]


class PypiServer:
    """The index stands at /simple/ as HTML, at /json/ as JSON, and at /bare/ without hashes."""

    def __init__(self, folder):
        self.folder, self.projects = folder, {}
        (folder / "files").mkdir(parents=True)

        class Handler(http.server.SimpleHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def __init__(self, *arguments):
                super().__init__(*arguments, directory=str(folder))

            def guess_type(self, path):
                if "/json/" in str(path):
                    return "application/vnd.pypi.simple.v1+json"
                return super().guess_type(path)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def publish(self, project, filename, data, core=None, **attributes):
        """`attributes` are those of JSON, as in requires_python and yanked."""
        (self.folder / "files" / filename).write_bytes(data)
        row = {"filename": filename, "url": f"../../files/{filename}", "size": len(data),
               "hashes": {"sha256": hashlib.sha256(data).hexdigest()},
               **{key.replace("_", "-"): value for key, value in attributes.items()}}
        if core:
            (self.folder / "files" / f"{filename}.metadata").write_text(core)
            row["core-metadata"] = {"sha256": hashlib.sha256(core.encode()).hexdigest()}
        self.projects.setdefault(normal(project), []).append(row)
        self.write(normal(project))

    def sdist(self, name, version, yanked=None, **options):
        more = {"yanked": yanked} if yanked else {}
        if options.get("python"):
            more["requires_python"] = options["python"]
        self.publish(name, *sdist(name, version, **options), **more)

    def wheel(self, name, version, **options):
        more = {"requires_python": options["python"]} if options.get("python") else {}
        filename, data, core = wheel(name, version, **options)
        self.publish(name, filename, data, core, **more)

    def built(self, name, version, folder):
        """A source distribution that setuptools makes."""
        package = folder / name
        (package / "src" / name).mkdir(parents=True)
        (package / "src" / name / "__init__.py").write_text("ANSWER = 42\n")
        (package / "README.md").write_text(f"# {name}\n\nThe zebra was built by setuptools.\n")
        (package / "pyproject.toml").write_text(
            '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
            f'[project]\nname = "{name}"\nversion = "{version}"\nreadme = "README.md"\n')
        subprocess.run([PYTHON, "-c", "from setuptools import build_meta; build_meta.build_sdist('dist')"],
                       cwd=package, check=True, capture_output=True)
        made, = (package / "dist").iterdir()
        self.publish(name, made.name, made.read_bytes())
        shutil.rmtree(package)

    def write(self, project):
        rows = self.projects[project]
        text = json.dumps({"meta": {"api-version": "1.1"}, "name": project, "files": rows})
        self.page("json", project, text)
        self.page("simple", project, html_page(rows))
        self.page("bare", project, re.sub(r"#sha256=\w+", "", html_page(rows)))

    def page(self, index, project, text):
        path = self.folder / index / project / "index.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def html_page(rows):
    links = []
    for row in rows:
        more = ""
        for key in ("requires-python", "yanked"):
            if key in row:
                more += f' data-{key}="{html.escape(row[key])}"'
        if "core-metadata" in row:
            more += f' data-core-metadata="sha256={row["core-metadata"]["sha256"]}"'
        links.append(f'<a href="{row["url"]}#sha256={row["hashes"]["sha256"]}"{more}>{row["filename"]}</a><br/>')
    return "<!DOCTYPE html><html><body>\n" + "\n".join(links) + "\n</body></html>\n"
