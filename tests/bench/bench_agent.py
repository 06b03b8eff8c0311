#!/usr/bin/env python3
"""The retrieval tools in the hands of a coding agent: the share of the judged questions of search_eval
whose answering file it has seen within two calls and 1,500 tokens.

The agent is a script without a model: it sends the question's text, unchanged, to `search`, and if no
hit is of an answering file, asks for the next page with the returned cursor and the tokens that are
left. It follows no other advice and never looks at what it read, so a model can only do better. It
gets the answers as models do, as text. A token is four bytes of it, as in the answer's own budget; the
tokens of both answers are counted.

Usage: tests/bench/bench_agent.py [--build build/release] [--trees build/search_trees]
       [--first TOKENS] [--verbose] [--json FILE]
Build: ninja -C build/release product; tests/bench/search_eval/fetch_trees
A tree that is not there is reported and turns the exit code to 2.
"""

import argparse
import collections
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
EVALUATION = HERE / "search_eval"
BUDGET = 1500  # tokens of both answers together
LEAST = 200  # the smallest budget that the tool accepts


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
    parser.add_argument("--trees", default="build/search_trees", type=pathlib.Path)
    parser.add_argument("--first", default=1000, type=int, help="budget of the first call")
    parser.add_argument("--verbose", action="store_true", help="print the questions that miss")
    parser.add_argument("--json", type=pathlib.Path, help="write the outcome of each question")
    return parser.parse_args()


def search(server, question, budget, cursor=None):
    asked = {"query": question["question"], "resources": [question["tree"]], "maxTokens": budget,
             "form": "text"}
    if cursor:
        asked["cursor"] = cursor
    # The first question about a tree waits until it is packed.
    status, _, text = server.request("POST", "/tools/search", asked, timeout=600)
    if status != 200:
        raise RuntimeError(f"{question['tree']}: {question['question']!r}: {text}")
    return json.loads(text)


def shows(answer, question):
    wanted = tuple(f"{question['tree']}/{file}:" for file in question["files"])
    return any(line.startswith(wanted) for line in answer["text"].split("\n"))


def play(server, question, first):
    """(number of the call that showed an answering file or None, tokens of all answers)"""
    answer = search(server, question, first)
    spent = answer["tokens"]
    if shows(answer, question):
        return 1, spent
    left = BUDGET - spent
    if not answer["more"] or left < LEAST:
        return None, spent
    answer = search(server, question, left, answer["cursor"])
    spent += answer["tokens"]
    return (2 if shows(answer, question) else None), spent


def report(name, outcomes):
    calls = [call for call, _ in outcomes]
    tokens = sum(spent for _, spent in outcomes) / len(outcomes)
    print(f"{name:32} {len(calls):4}  first call {calls.count(1) / len(calls):.3f}  "
          f"two calls {1 - calls.count(None) / len(calls):.3f}  tokens {tokens:.0f}")


def main():
    options = arguments()
    os.environ["QUARRY_BUILD_DIR"] = str(options.build.resolve())
    os.environ["QUARRY_SOURCE_DIR"] = str(HERE.parent.parent.resolve())
    sys.path.insert(0, str(HERE.parent / "e2e"))
    from harness import Home, Server

    trees = {name: (options.trees / tree["path"]).resolve()
             for name, tree in json.loads((EVALUATION / "trees.json").read_text()).items()}
    missing = {name for name, path in trees.items() if not path.is_dir()}
    questions = [json.loads(line) for line in (EVALUATION / "questions.jsonl").read_text().splitlines()]
    questions = [each for each in questions if each["tree"] not in missing]

    home = Home()
    try:
        home.write("quarry.toml", '[model]\nprovider = "extractive"\n' + "".join(
            f'[[resource]]\ntype = "local"\nname = "{name}"\npath = "{path}"\n'
            for name, path in trees.items() if name not in missing))
        server = Server(home)
        try:
            rows = [(each, *play(server, each, options.first)) for each in questions]
        finally:
            server.stop()
    finally:
        home.remove()

    groups = collections.defaultdict(list)
    for question, call, spent in rows:
        for group in ("all", f"split {question['split']}", f"kind {question['kind']}",
                      f"style {question['style']}", f"tree {question['tree']}"):
            groups[group].append((call, spent))
        if options.verbose and call is None:
            print(f"misses: {question['tree']}: {question['question']!r} ({', '.join(question['files'])})")
    for name in sorted(groups):
        report(name, groups[name])
    if options.json:
        options.json.write_text(json.dumps(
            [{"question": question["question"], "tree": question["tree"], "call": call, "tokens": spent}
             for question, call, spent in rows], indent=1))
    for name in sorted(missing):
        print(f"missing: {name} ({trees[name]})", file=sys.stderr)
    return 2 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
