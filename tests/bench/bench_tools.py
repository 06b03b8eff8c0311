#!/usr/bin/env python3
"""Tokens that the MCP tools cost a model: the definitions of all tools, and the share of file text in
answers of search, grep, read, symbols and an outline, over HTTP and over standard input and output.

A client gives its model the name, description and input schema of every tool, and of a result the
structured content where there is one, otherwise the text. A token is four bytes of UTF-8; with
--tokenizer, a folder with the npm package gpt-tokenizer, the tokens of o200k_base are counted too.
The text of an answer are the bytes of lines that stand in the file of the tree, at the number the
answer says.

Usage: tests/bench/bench_tools.py [--build build/release] [--tree .] [--under host/corpus]
       [--budget TOKENS] [--tokenizer FOLDER] [--json FILE] [--show]
Build: ninja -C build/release product
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
LEGACY = {"MCP-Protocol-Version": "2025-06-18", "Accept": "application/json, text/event-stream"}
LINE = re.compile(r"(?:(?P<path>[^\s:][^:]*):)?(?P<first>\d+)(?:-\d+)?: ?(?P<text>.*)")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
    parser.add_argument("--tree", default=HERE.parent.parent, type=pathlib.Path)
    parser.add_argument("--under", default="host/corpus", help="folder of the tree that is asked about")
    parser.add_argument("--file", default="host/corpus/query/symbol_search.cpp")
    parser.add_argument("--name", default="find_definitions")
    parser.add_argument("--pattern", default="Result<")
    parser.add_argument("--question", default="how are the files of a snapshot packed into segments")
    parser.add_argument("--budget", type=int, help="maxTokens of each call; left out, the tools' own")
    parser.add_argument("--tokenizer", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--show", action="store_true", help="print the answers")
    return parser.parse_args()


class Counter:
    """Counts tokens: estimated ones, and with a tokenizer real ones."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, text):
        counts = {"tokens": (len(text.encode()) + 3) // 4}
        if self.folder:
            script = ('import {encode} from "gpt-tokenizer/encoding/o200k_base"; import fs from "node:fs";'
                      "console.log(encode(fs.readFileSync(0, 'utf8')).length)")
            counts["o200k"] = int(subprocess.run(["node", "--input-type=module", "-e", script], input=text,
                                                 cwd=self.folder, capture_output=True, text=True,
                                                 check=True).stdout)
        return counts


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def seen_by_model(result):
    if "structuredContent" in result:
        return compact(result["structuredContent"])
    return "\n".join(part["text"] for part in result["content"])


def lines_of(result):
    """(path, number, text) of every line of a file in a result."""
    if "structuredContent" in result:
        for hit in result["structuredContent"].get("hits", []):
            for number, line in enumerate(hit["text"].split("\n"), hit["startLine"]):
                yield hit["path"], number, line
        return
    path = None
    for line in seen_by_model(result).split("\n"):
        if match := LINE.fullmatch(line):
            path = match["path"] or path
            yield path, int(match["first"]), match["text"]


def text_bytes(result, tree):
    files, total = {}, 0
    for path, number, text in lines_of(result):
        name = (path or "").partition("/")[2]
        if name not in files:
            file = tree / name
            files[name] = file.read_text(errors="replace").split("\n") if name and file.is_file() else []
        lines = files[name]
        if 0 < number <= len(lines) and text.strip() and text.strip() in lines[number - 1]:
            total += len(text.encode())
    return total


class Stdio:
    """`quarry mcp` in a conversation."""

    def __init__(self, program, home):
        self.process = subprocess.Popen([program, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=home.environment, cwd=home.project, text=True)
        self.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"}}})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == message["id"]:
                return answer["result"]

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Http:
    """`quarry serve`, asked by a client with a token."""

    def __init__(self, host, token):
        self.host, self.token = host, token

    def send(self, message):
        status, _, body = self.host.post(self.token, message, LEGACY)
        assert status == 200, body
        return body["result"]

    def stop(self):
        self.host.stop()


def measure(name, server, options, count):
    listed = server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})["tools"]
    given = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in listed]
    rows = {"all tools, as a model gets them": count(compact(given)),
            "tools/list": count(compact(listed))}
    for tool in given:
        rows[f"tool {tool['name']}"] = count(compact(tool))
    under = f"tree/{options.under}"
    calls = {"search": ("search", {"query": options.question, "path": under}),
             "grep": ("grep", {"pattern": options.pattern, "path": under}),
             "read": ("read", {"path": f"tree/{options.file}"}),
             "symbols": ("symbols", {"name": options.name}),
             "references": ("symbols", {"name": options.name, "references": True}),
             "outline": ("symbols", {"path": f"tree/{options.file}"}),
             "list": ("list", {"path": under}),
             "error": ("read", {"path": "tree/no/such/file.md"}),
             "listResources": ("listResources", {})}
    for number, (label, (tool, given)) in enumerate(calls.items(), 2):
        if options.budget and tool != "listResources":
            given = {**given, "maxTokens": options.budget}
        result = server.send({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                              "params": {"name": tool, "arguments": given}})
        seen = seen_by_model(result)
        row = rows[f"answer of {label}"] = count(seen)
        row["text"] = round(text_bytes(result, options.tree) / len(seen.encode()), 3)
        row["wire"] = len(compact(result).encode())
        if options.show:
            print(f"--- {label}\n{seen}\n", file=sys.stderr)
    for label, row in rows.items():
        print(f"{name:6} {label:34} " + "  ".join(f"{key} {value}" for key, value in row.items()))
    return rows


def main():
    options = arguments()
    options.tree = options.tree.resolve()
    os.environ["QUARRY_BUILD_DIR"] = str(options.build.resolve())
    os.environ["QUARRY_SOURCE_DIR"] = str(HERE.parent.parent.resolve())
    sys.path.insert(0, str(HERE.parent / "e2e"))
    from cloud_harness import Host
    from harness import QUARRY, Home

    count = Counter(options.tokenizer)
    found = {}
    home = Home()
    try:
        host = Host(home, root=options.tree)
        host.project("bench")
        token = host.token("bench", rights="ask,list,add,read")["token"]
        host.start()
        added = host.call(token, "addResource", {"type": "local", "name": "tree", "path": str(options.tree)})
        assert not added["isError"], added
        found["http"] = serve(measure, "http", Http(host, token), options, count)
        home.write("quarry.toml", '[model]\nprovider = "extractive"\n'
                   f'[[resource]]\ntype = "local"\nname = "tree"\npath = "{options.tree}"\n')
        found["stdio"] = serve(measure, "stdio", Stdio(QUARRY, home), options, count)
    finally:
        home.remove()
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


def serve(measured, name, server, options, count):
    try:
        return measured(name, server, options, count)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
