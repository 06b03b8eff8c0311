#!/usr/bin/env python3
"""Checks that all who list the events of a question list those of the SDK's table: the HTTP page with
their members, the contract of transports, and the page, which handles each.

    check_events.py <source tree>"""

import pathlib
import re
import sys

HEADER = "sdk/include/quarry/events.hpp"
CONTRACT = "sdk/include/quarry/transport.h"
DOCUMENT = "docs/http-api.md"
PAGE = "plugins/transport-rest/page/src/question.ts"


def events(header):
    """{name: (members, is extended)} of the table kEvents."""
    table = header.partition("kEvents = ")[2].partition("\n});")[0]
    rows = re.findall(r'\{"([\w.]+)",\s*((?:"[^"]*"\s*)+),\s*(?:"[^"]*"\s*)+(, true)?\}', table)
    return {name: (re.findall(r"\w+\??", members), bool(extended)) for name, members, extended in rows}


def documented(document):
    rows = re.findall(r"^\| `([\w.]+)` \| (.*) \|$", document.partition("| members besides `type` |")[2]
                      .partition("\n\n")[0], re.M)
    return {name: re.findall(r"`(\w+\??)`", members) for name, members in rows}


def named(contract):
    """(names, extended names) of the sentence in the contract."""
    text = re.sub(r"\s*\n \* ", " ", contract)
    usual, extended = re.search(r"Types: (.*?), and the extended ones (.*?)\. Others", text).groups()
    return [re.split(", | and ", part) for part in (usual, extended)]


def problems(header, contract, document, page):
    table = events(header)
    if {name: members for name, (members, _) in table.items()} != documented(document):
        yield f"{DOCUMENT}: the table of events is not that of {HEADER}"
    for names, wanted in zip(named(contract), (False, True)):
        if sorted(names) != sorted(name for name, (_, extended) in table.items() if extended == wanted):
            yield f"{CONTRACT} names other events than {HEADER}: {', '.join(names)}"
    handled = re.findall(r'^    case "([\w.]+)":', page, re.M)
    if sorted(handled) != sorted(table):
        yield f"{PAGE} handles other events than {HEADER} has: {', '.join(handled)}"


def self_test():
    header = 'kEvents = x({\n    {"a", "b, c?", "an a"},\n    {"d.e",\n     "f, "\n     "g", "a d", true},\n});\n'
    contract = "Types: a, and the extended ones\n * d.e. Others may follow"
    document = "| event | members besides `type` |\n|---|---|\n| `a` | `b`, `c?` |\n| `d.e` | `f`, `g` |\n\n"
    page = '    case "a":\n    case "d.e":\n'
    assert not list(problems(header, contract, document, page)), list(problems(header, contract, document, page))
    assert len(list(problems(header.replace("c?", "c"), contract, document, page))) == 1
    assert len(list(problems(header.replace("d.e", "h"), contract, document, page))) == 3


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    texts = [(root / name).read_text() for name in (HEADER, CONTRACT, DOCUMENT, PAGE)]
    found = list(problems(*texts))
    print("\n".join(found) or f"{len(events(texts[0]))} events")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
