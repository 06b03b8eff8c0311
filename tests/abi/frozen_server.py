"""The HTTP server of the frozen plugins: their pages, and the steps of their model."""

import collections
import http.client
import http.server
import json
import threading

http.client._MAXHEADERS = 300  # http.server counts those of a request with it


def step(request):
    """(status, headers, body) of one step of the model, by its chat request."""
    question = next(m["text"] for m in request["messages"] if m["role"] == "user")
    results = [m for m in request["messages"] if m["role"] == "tool"]
    if "refused?" in question:
        return 403, {}, "not for you"
    if "cut?" in question:
        return 200, {"Content-Length": "1000"}, "T\tThis is\n"
    if "silent?" in question:
        return 200, {}, "T\tThis is\n"
    if not results and "report?" in question:
        lines = ["C\t0\tcall-1\tread\t{\"path\": \"frozen/report.md\"}", "F\t2"]
    elif not results:
        lines = ["R\tThe README may tell.", "C\t0\tcall-1\tread\t{\"path\": ",
                 "C\t0\t\t\t\"frozen/README.md\"}", "K\t{\"signature\": \"frozen\"}",
                 "U\t5\t1\t-1\t-1\t-1", "U\t1000\t100\t20\t200\t100", "F\t2"]
    else:
        assistant = next(m for m in request["messages"] if m["role"] == "assistant")
        complete = ("striped by default" in results[0]["text"]
                    and assistant.get("kept") == [{"signature": "frozen"}]
                    and assistant.get("reasoning") == "The README may tell.")
        lines = [f"T\t{'The zebra is ' if complete else 'Something is missing: '}", "T\tstriped.",
                 "U\t2000\t50\t-1\t-1\t-1", "F\t0"]
    return 200, {}, "".join(line + "\n" for line in lines)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.seen.append((self.path, dict(self.headers)))
        self.server.answers.wait(60)
        etag = f'"{self.server.version}"'
        if self.path == "/version" and self.headers.get("If-None-Match") == etag:
            self.answer(304, {"ETag": etag}, "")
        elif self.path == "/version":
            self.answer(200, {"ETag": etag}, self.server.version)
        elif self.path == "/redirect":
            self.answer(302, {"Location": f"{self.server.url}/moved"}, "")
        elif self.path == "/moved":
            self.answer(200, {}, "moved")
        elif self.path.startswith("/headers/"):
            count = int(self.path.removeprefix("/headers/")) - 3  # Server, Date, Content-Length
            self.answer(200, {f"X-{number}": "x" for number in range(count)}, "")
        else:
            self.answer(404, {}, "not found")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.seen.append((self.path, dict(self.headers)))
        if self.path == "/echo":
            self.answer(200, {}, body)
            return
        request = json.loads(body)
        self.server.requests.append((request, len(self.headers)))
        if "limited?" in body and self.server.once("limited"):
            self.answer(429, {"Retry-After": "0"}, "slow down")
        else:
            self.answer(*step(request))

    def answer(self, status, headers, body):
        self.send_response(status)
        self.send_header("Content-Length", headers.pop("Content-Length", str(len(body))))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


class FrozenServer(http.server.ThreadingHTTPServer):
    """`version` is that of the pages; they are sent while `answers` is set. `seen`: (path, headers) of each request; `requests`:
    (chat request, number of headers)."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.version = "edition-1"
        self.answers = threading.Event()
        self.answers.set()
        self.seen, self.requests, self.counts = [], [], collections.Counter()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def once(self, name):
        self.counts[name] += 1
        return self.counts[name] == 1

    def stop(self):
        self.shutdown()
        self.server_close()
