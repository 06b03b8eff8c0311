#!/usr/bin/env python3
"""Answers without a model: how many of the judged questions of answer_eval the extractive answer
answers, by the lines that it quotes. answer_eval/README.md defines right, partly and useless.

Each question is asked with `quarry ask` over its tree alone. With --questions, questions in the form
of `quarry search --evaluate` ("question", "files", "tree") are asked instead, of which only the files
that answer are known.

Usage: tests/bench/bench_answers.py [--build build/release] [--trees build/answer_trees]
       [--home build/answer_home] [--questions FILE] [--tree NAME=FOLDER]... [--verbose] [--json FILE]
Build: ninja -C build/release product; tests/bench/answer_eval/fetch_trees
The indexes of the trees stay in the folder of --home. A tree that is not there is reported and turns
the exit code to 2.
"""

import argparse
import collections
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
EVALUATION = HERE / "answer_eval"
CITATION = re.compile(r"\[[^\]:]+:([^\]]+)#L(\d+)(?:-L(\d+))?\]")
FENCE = re.compile(r"`{3,}$")
SHARE = 0.5  # of the lines of an answer that a right passage quotes
LINES = 5  # of an answer, which are enough of a long one
DENSITY = 0.25  # share of the quoted lines that answer, in a right passage


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
    parser.add_argument("--trees", default="build/answer_trees", type=pathlib.Path)
    parser.add_argument("--home", default="build/answer_home", type=pathlib.Path)
    parser.add_argument("--questions", default=EVALUATION / "questions.jsonl", type=pathlib.Path)
    parser.add_argument("--kind", help="only questions of this kind")
    parser.add_argument("--tree", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--verbose", action="store_true", help="print each question with its outcome")
    parser.add_argument("--json", type=pathlib.Path, help="write the outcome of each question")
    return parser.parse_args()


def questions_of(options):
    reader = gzip.open if options.questions.suffix == ".gz" else open
    with reader(options.questions, "rt", encoding="utf-8") as lines:
        questions = [json.loads(line) for line in lines if line.strip()]
    return [each for each in questions if not options.kind or each.get("kind") == options.kind]


def ask(program, home, tree, question):
    """The text of the answer."""
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(home)}
    run = subprocess.run([program, "ask", "--json", "--set", "model.provider=extractive",
                          "-r", tree, "--", question],
                         cwd=home, env=environment, capture_output=True, text=True)
    for line in run.stdout.splitlines():
        event = json.loads(line)
        if event["type"] == "done":
            return event["text"]
    raise RuntimeError(f"{tree}: {question!r}: {run.stdout[-400:]} {run.stderr[-400:]}")


def citations_of(text):
    """(file, first line, last line, quoted) of each citation outside of quotations."""
    found, fence, place = [], None, None
    for line in text.splitlines():
        if fence:
            fence = None if line == fence else fence
        elif FENCE.match(line):
            fence = line
            if place is not None and found:
                found[place] = (*found[place][:3], True)
            place = None
        else:
            for match in CITATION.finditer(line):
                first = int(match.group(2))
                place = len(found)
                found.append((match.group(1).replace("%5B", "[").replace("%5D", "]"), first,
                              int(match.group(3) or first), False))
    return found


def common(citation, answer):
    """The number of lines of `answer` in `citation`."""
    if citation[0] != answer["file"]:
        return 0
    return max(0, min(citation[2], answer["last"]) - max(citation[1], answer["first"]) + 1)


def answers_well(citation, answers):
    lines = set()
    for answer in answers:
        if common(citation, answer):
            lines |= set(range(max(citation[1], answer["first"]), min(citation[2], answer["last"]) + 1))
    enough = any(common(citation, each) >= min(LINES, SHARE * (each["last"] - each["first"] + 1))
                 for each in answers)
    return enough and len(lines) >= DENSITY * (citation[2] - citation[1] + 1)


def judged(question, citations):
    """right, partly or useless; None when only the files that answer are known."""
    answers = question.get("answers")
    if answers is None:
        return None
    if not answers:
        return "useless" if citations else "right"
    quoted = [each for each in citations if each[3]]
    if quoted and answers_well(quoted[0], answers):
        return "right"
    return "partly" if any(common(one, each) for one in quoted for each in answers) else "useless"


def files_of(question):
    return set(question.get("files") or {each["file"] for each in question["answers"]})


def report(name, rows):
    verdicts = collections.Counter(row["verdict"] for row in rows)
    text = f"{name:22} {len(rows):4}"
    if None not in verdicts:
        text += "".join(f"  {each} {verdicts[each]:3}" for each in ("right", "partly", "useless"))
    answered = [row for row in rows if row["wanted"]]
    if answered:
        first = sum(row["first"] for row in answered) / len(answered)
        some = sum(row["some"] for row in answered) / len(answered)
        silent = sum(not row["citations"] for row in answered)
        text += f"  first file {first:.3f}  any file {some:.3f}  nothing fits {silent}"
    print(text)


def main():
    options = arguments()
    program = (options.build / "bin" / "quarry").resolve()
    options.home.mkdir(parents=True, exist_ok=True)
    folders = dict(each.split("=", 1) for each in options.tree)
    rows, missing = [], set()
    for question in questions_of(options):
        tree = pathlib.Path(folders.get(question["tree"], options.trees / question["tree"])).resolve()
        if not tree.is_dir():
            missing.add(str(tree))
            continue
        text = ask(program, options.home.resolve(), tree, question["question"])
        citations, wanted = citations_of(text), files_of(question)
        row = {"question": question["question"], "tree": question["tree"],
               "split": question.get("split"), "wanted": sorted(wanted), "citations": citations,
               "verdict": judged(question, citations),
               "first": bool(citations) and citations[0][0] in wanted,
               "some": any(each[0] in wanted for each in citations)}
        rows.append(row)
        if options.verbose:
            places = ", ".join(f"{'' if quoted else '~'}{file}:{first}-{last}"
                               for file, first, last, quoted in citations)
            print(f"{row['verdict'] or ('first' if row['first'] else 'some' if row['some'] else 'miss'):8} "
                  f"{row['tree']}: {row['question'][:110]} | {places}", flush=True)
    groups = collections.defaultdict(list)
    for row in rows:
        names = ["all", f"tree {row['tree']}"]
        if row["split"]:
            names += [f"split {row['split']}", "answered" if row["wanted"] else "nothing answers"]
        for name in names:
            groups[name].append(row)
    for name in sorted(groups):
        report(name, groups[name])
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    for tree in sorted(missing):
        print(f"missing: {tree}", file=sys.stderr)
    return 2 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
