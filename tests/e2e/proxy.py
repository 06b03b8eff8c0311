"""An HTTP server between a program and a real server, where a test can inject faults.

Rules decide by a regular expression over "METHOD /path?query body" (of the body, only the first
line); the newest matching rule applies, and requests without one are passed on. Every request is
kept, so that a test can count them.
"""

import contextlib
import http.client
import http.server
import re
import select
import ssl
import threading
import time
import urllib.parse

from harness import TIMEOUT

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade"}


class Request:
    def __init__(self, method, path, headers, body):
        self.method, self.path, self.headers, self.body = method, path, headers, body

    def __repr__(self):
        return f"{self.method} {self.path} {self.body[:60].decode(errors='replace').splitlines()[:1]}"


class Hold:
    """Passes on `after` bytes of the body, then nothing until release(); `count` is the number of
    held requests, and `gone` is set when one's client closed its connection meanwhile."""

    def __init__(self, after=0):
        self.after = after
        self.reached = threading.Event()
        self.go_on = threading.Event()
        self.count = 0
        self.gone = threading.Event()

    def release(self):
        self.go_on.set()


class Proxy:
    """Passes on to `target` ("http://127.0.0.1:port", or None when every request has a rule)."""

    def __init__(self, target=None, certificate=None):
        self.target = target
        self.requests = []
        self.rules = []
        self.lock = threading.Lock()
        proxy = self

        class Handler(_Handler):
            owner = proxy

        self.server = _Server(("127.0.0.1", 0), Handler)
        scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
            scheme = "https"
        self.port = self.server.server_port
        self.url = f"{scheme}://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self):
        for hold in [rule for _, rule in self.rules if isinstance(rule, Hold)]:
            hold.release()
        self.server.shutdown()
        self.server.server_close()

    # Outcomes of a request.

    def answer(self, pattern, status, body=b"", **headers):
        """`headers`: Retry_After="7" is sent as Retry-After: 7."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self._add(pattern, lambda exchange: exchange.send(status, named, body))

    def redirect(self, pattern, location, status=302):
        """`location` may be a function of the request."""
        def answer(exchange):
            to = location(exchange.request) if callable(location) else location
            exchange.send(status, {"Location": to}, b"")
        self._add(pattern, answer)

    def cut(self, pattern, after):
        """Closes the connection after `after` bytes of the real response's body."""
        self._add(pattern, lambda exchange: exchange.pass_on(cut_after=after))

    def rewrite(self, pattern, change):
        """`change` turns the real response's body into the one that is sent."""
        self._add(pattern, lambda exchange: exchange.pass_on(change=change))

    def hold(self, pattern, after=0):
        hold = Hold(after)
        self._add(pattern, hold)
        return hold

    def _add(self, pattern, rule):
        with self.lock:
            self.rules.insert(0, (re.compile(pattern), rule))

    def as_is(self):
        """Removes all rules; held requests continue."""
        with self.lock:
            rules, self.rules = self.rules, []
        for _, rule in rules:
            if isinstance(rule, Hold):
                rule.release()

    def asked(self, pattern):
        """The matching requests so far."""
        with self.lock:
            return [each for each in self.requests if re.search(pattern, repr(each))]


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        """Ignores clients that disconnect midway, which many tests do."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner = None

    def handle_any(self):
        self.request_read = Request(self.command, self.path, self.headers, self._body())
        with self.owner.lock:
            self.owner.requests.append(self.request_read)
            rule = next((rule for pattern, rule in self.owner.rules
                         if pattern.search(repr(self.request_read))), None)
        self.close_connection = True
        exchange = _Exchange(self)
        if rule is None:
            exchange.pass_on()
        elif isinstance(rule, Hold):
            exchange.pass_on(hold=rule)
        else:
            rule(exchange)

    do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = handle_any

    def _body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def log_message(self, *_):
        pass


class _Exchange:
    def __init__(self, handler):
        self.handler = handler
        self.request = handler.request_read

    def send(self, status, headers, body):
        body = body.encode() if isinstance(body, str) else body
        self._head(status, {**headers, "Content-Length": str(len(body))})
        self.handler.wfile.write(body)

    def pass_on(self, cut_after=None, change=None, hold=None):
        with contextlib.closing(self._connection()) as connection:
            headers = {name: value for name, value in self.request.headers.items()
                       if name.lower() not in HOP_BY_HOP | {"content-length"}}
            if change:
                headers["Accept-Encoding"] = "identity"
            if hold and not hold.after:
                self._wait(hold)
            connection.request(self.request.method, self.request.path, self.request.body or None,
                               headers)
            answer = connection.getresponse()
            headers = {name: value for name, value in answer.getheaders()
                       if name.lower() not in HOP_BY_HOP}
            if change:
                body = change(answer.read())
                headers = {name: value for name, value in headers.items()
                           if name.lower() != "content-length"}
                self.send(answer.status, headers, body)
                return
            self._head(answer.status, headers)
            self._copy(answer, cut_after, hold)

    def _copy(self, answer, cut_after, hold):
        sent = 0
        limit = cut_after if cut_after is not None else hold.after if hold and hold.after else None
        while block := answer.read1(64 * 1024):
            if limit is not None and sent + len(block) > limit:
                self._write(block[:limit - sent])
                if cut_after is not None:
                    return
                self._wait(hold)
                block, limit, sent = block[limit - sent:], None, limit
            self._write(block)
            sent += len(block)

    def _write(self, block):
        self.handler.wfile.write(block)
        self.handler.wfile.flush()

    def _wait(self, hold):
        hold.count += 1
        hold.reached.set()
        until = time.monotonic() + 2 * TIMEOUT  # a test that waits for the end of its client fails before
        while not hold.go_on.wait(0.005):
            if time.monotonic() > until:
                raise TimeoutError("held, and never released")
            if select.select([self.handler.connection], [], [], 0)[0]:
                hold.gone.set()

    def _head(self, status, headers):
        self.handler.send_response_only(status)
        for name, value in headers.items():
            self.handler.send_header(name, value)
        self.handler.send_header("Connection", "close")
        self.handler.end_headers()
        self.handler.wfile.flush()

    def _connection(self):
        target = urllib.parse.urlsplit(self.handler.owner.target)
        return http.client.HTTPConnection(target.hostname, target.port, timeout=TIMEOUT)
