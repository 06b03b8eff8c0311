"""nginx with archives, archives that say anything, and a model that reads every file of a resource."""

import http.server
import io
import json
import pathlib
import shutil
import socket
import subprocess
import tarfile
import threading

from harness import TIMEOUT, wait_until

PROGRAMS = ("nginx", "tar", "unzip", "zip", "xz", "zstd", "bzip2")
MISSING = next((f"{name} is missing: scripts/install-packages test" for name in PROGRAMS
                if not (shutil.which(name) or pathlib.Path("/usr/sbin", name).exists())), None)

CONFIGURATION = """\
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    listen 127.0.0.1:{tls_port} ssl;
    ssl_certificate {certificate};
    ssl_certificate_key {certificate};
    root {folder}/root;
    location /bare/ {{ alias {folder}/root/; etag off; if_modified_since off; max_ranges 0;
                       add_header Last-Modified ""; }}
    location /dated/ {{ alias {folder}/root/; etag off; }}
    location /chunked/ {{ alias {folder}/root/; ssi on; ssi_types *; }}
    location /slow/ {{ alias {folder}/root/; limit_rate 200k; }}
    location /private/ {{ alias {folder}/root/; if ($http_authorization != "Bearer {token}") {{ return 401; }} }}
  }}
}}
"""


def free_ports():
    """Two of them."""
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        return one.getsockname()[1], other.getsockname()[1]


class Nginx:
    """Serves the files of `root` in several manners: /bare/ without ETag, dates and ranges, /dated/
    without ETag, /chunked/ without a length, /slow/ at 200 kB/s, /private/ with a bearer token."""

    def __init__(self, folder, certificate, token):
        self.folder = folder
        self.root = folder / "root"
        self.root.mkdir(parents=True)
        wait_until(lambda: self.start(certificate, token), "nginx listens on ports nobody else took")

    def start(self, certificate, token):
        """Returns False when a port is taken again."""
        port, tls_port = free_ports()
        (self.folder / "nginx.conf").write_text(CONFIGURATION.format(
            folder=self.folder, port=port, tls_port=tls_port, certificate=certificate, token=token))
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        self.process = subprocess.Popen([program, "-c", self.folder / "nginx.conf", "-e", self.folder / "error.log"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url, self.tls_url = f"http://127.0.0.1:{port}", f"https://localhost:{tls_port}"
        # Written once nginx listens.
        wait_until(lambda: self.process.poll() is not None or (self.folder / "pid").exists(), "nginx listens")
        if self.process.poll() is None:
            return True
        errors = (self.folder / "error.log").read_text()
        assert "Address already in use" in errors, errors
        return False

    def put(self, name, content):
        """Replaces a file at once, so that its ETag is a new one."""
        path = self.root / name
        path.write_bytes(content)
        return path

    def stop(self):
        self.process.terminate()
        self.process.wait(TIMEOUT)


def member(name, content=b"", **more):
    """(TarInfo, content) of a tar member; `more` are members of TarInfo."""
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for key, value in more.items():
        setattr(info, key, value)
    return info, content


def tar_of(*members, mode="w:gz"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as tar:
        for info, content in members:
            tar.addfile(info, io.BytesIO(content))
    return out.getvalue()


def million_empty_files():
    """A gzipped tar archive, made header by header because tarfile takes a minute for it."""
    packer = subprocess.Popen(["gzip", "-1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    out = []
    reader = threading.Thread(target=lambda: out.append(packer.stdout.read()))
    reader.start()
    rest = (b"0000644\0" + b"0000000\0" * 2 + b"00000000000\0" * 2, b"0" + bytes(100) + b"ustar\x0000" + bytes(247))
    constant = sum(rest[0]) + 8 * ord(" ") + sum(rest[1])
    for number in range(1_000_000):
        name = b"d%d/f%d" % (number % 1000, number)
        packer.stdin.write(b"%s%s%06o\0 %s" % (name.ljust(100, b"\0"), rest[0], constant + sum(name), rest[1]))
    packer.stdin.write(bytes(1024))
    packer.stdin.close()
    reader.join()
    packer.stdout.close()
    packer.wait()
    return out[0]


class ReadingModel:
    """A server of OpenAI's chat protocol that calls the tools of `calls` once, [(name, arguments)],
    and keeps their results in `results`."""

    def __init__(self, calls):
        self.calls, self.results = calls, []
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                chunks = model.chunks(body["messages"])
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                for delta, finish in chunks:
                    choice = {"index": 0, "delta": delta, "finish_reason": finish}
                    self.wfile.write(b"data: " + json.dumps({"id": "1", "object": "chat.completion.chunk",
                                                             "choices": [choice]}).encode() + b"\n\n")
                self.wfile.write(b"data: [DONE]\n\n")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def chunks(self, messages):
        results = [message["content"] for message in messages if message["role"] == "tool"]
        if results:
            self.results = results
            return [({"role": "assistant", "content": "Read."}, None), ({}, "stop")]
        calls = [{"index": at, "id": f"call-{at}", "type": "function",
                  "function": {"name": name, "arguments": json.dumps(arguments)}}
                 for at, (name, arguments) in enumerate(self.calls)]
        return [({"role": "assistant", "tool_calls": calls}, None), ({}, "tool_calls")]

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
