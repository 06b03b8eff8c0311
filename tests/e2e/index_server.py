"""A folder of archives and its index behind a real web server over TLS: lighttpd, with a certificate of its own."""

import contextlib
import http.server
import socket
import ssl
import subprocess
import threading

from git_server import ENVIRONMENT, LIGHTTPD, MISSING, make_certificate
from harness import TIMEOUT

__all__ = ["MISSING", "IndexServer", "OddServer"]

CONFIGURATION = """
server.document-root = "{root}"
server.bind = "/dev/stdin"
server.errorlog = "{folder}/error.log"
server.modules = ("mod_openssl", "mod_accesslog")
mimetype.assign = (".json" => "application/json", "" => "application/octet-stream")
server.stat-cache-engine = "disable"
accesslog.filename = "{folder}/access.log"
accesslog.format = "%s %r"
ssl.engine = "enable"
ssl.pemfile = "{certificate}"
"""


class IndexServer:
    """Serves the files in `root`."""

    def __init__(self, folder):
        self.folder = folder
        self.root = folder / "served"
        self.root.mkdir(parents=True)
        self.certificate = make_certificate(folder)
        self.environment = {"SSL_CERT_FILE": str(folder / "cert.pem")}
        (folder / "lighttpd.conf").write_text(CONFIGURATION.format(
            root=self.root, folder=folder, certificate=self.certificate))
        with contextlib.closing(socket.create_server(("127.0.0.1", 0), backlog=128)) as listener:
            self.port = listener.getsockname()[1]
        self.url = f"https://127.0.0.1:{self.port}"
        self.process = None
        self.start()

    def start(self):
        """Starts on the same port, again after stop()."""
        with contextlib.closing(socket.create_server(("127.0.0.1", self.port), backlog=128)) as listener:
            self.process = subprocess.Popen(
                [LIGHTTPD, "-D", "-f", self.folder / "lighttpd.conf"], stdin=listener,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ENVIRONMENT)

    def stop(self):
        """The lines of the access log: status and request."""
        if self.process:
            self.process.terminate()
            self.process.communicate(timeout=TIMEOUT)
            self.process = None
        return (self.folder / "access.log").read_text().splitlines()


class OddServer:
    """Answers each request by a function of the test, over the same kind of TLS."""

    def __init__(self, certificate, answer):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                with contextlib.suppress(OSError):
                    answer(self)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"https://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
