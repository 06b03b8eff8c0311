"""A collector of OpenTelemetry: receives spans as OTLP over HTTP, in JSON."""

import http.server
import json
import threading

from harness import TIMEOUT


class Collector:
    """Answers with the statuses of `statuses` in turn, then with 200; None is no answer until it is
    stopped. `requests` are pairs of headers and body."""

    def __init__(self, *statuses):
        self.statuses, self.requests = list(statuses), []
        self.changed = threading.Condition()
        self.stopped = threading.Event()
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                collector.take(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def take(self, request):
        body = request.rfile.read(int(request.headers["Content-Length"]))
        with self.changed:
            status = self.statuses.pop(0) if self.statuses else 200
            self.requests.append((request.path, request.headers, body))
            self.changed.notify_all()
        if status is None:
            self.stopped.wait(TIMEOUT)
            request.close_connection = True
            return
        request.send_response(status)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", "2")
        request.end_headers()
        request.wfile.write(b"{}")

    def wait_for(self, count):
        """Returns when there were so many requests."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.requests) >= count, TIMEOUT)

    def spans(self):
        """Those of all requests, by name; two of one name are a failure."""
        out = {}
        for _, _, body in self.requests:
            for part in json.loads(body)["resourceSpans"]:
                for scope in part["scopeSpans"]:
                    for span in scope["spans"]:
                        assert span["name"] not in out, span["name"]
                        out[span["name"]] = Span(span)
        return out

    def stop(self):
        self.stopped.set()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class Span:
    """A span, with its attributes as values."""

    def __init__(self, span):
        self.trace, self.id, self.parent = span["traceId"], span["spanId"], span.get("parentSpanId")
        self.kind, self.failed = span["kind"], "status" in span
        self.begin, self.end = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
        self.attributes = {one["key"]: value_of(one["value"]) for one in span["attributes"]}


def value_of(value):
    (kind, content), = value.items()
    if kind == "arrayValue":
        return [value_of(item) for item in content["values"]]
    return int(content) if kind == "intValue" else content
