#!/usr/bin/env python3
"""server.py <port>: a stand-in for a model with the protocol of @identifier@.cpp. It searches for the
longest word of the question and answers with the result."""

import http.server
import json
import re
import sys


def said(lines, word):
    """The values of the lines that begin with this word, in order."""
    return [json.loads(line.split(" ", 1)[1]) for line in lines if line.startswith(word + ' "')]


def answer(lines):
    question = said(lines, "user")[-1]
    found = said(lines, "tool")
    if not found:
        word = max(re.findall(r"\w+", question), key=len)
        return [f"think {json.dumps(f'I look for {word}.')}",
                f"call grep {json.dumps({'pattern': '(?i)' + word})}", "tokens 120 9", "end calls"]
    return ["text \"I found this:\\n\\n\"", f"text {json.dumps(found[-1])}", "tokens 140 20", "end"]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        text = "".join(line + "\n" for line in answer(body.splitlines())).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
