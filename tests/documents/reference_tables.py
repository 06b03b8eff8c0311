#!/usr/bin/env python3
"""Compares the tables of keys in docs/configuration.md with `quarry config explain --json`.

    reference_tables.py <source tree> <program> [--write]

The program knows every key of the host and, from the schemas in their manifests, of its plugins. A
table keeps the order of its rows; new rows come last. With --write the page is changed, without it a
difference is a failure.
"""

import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PAGE = "docs/configuration.md"
COLUMNS = "| key | type | default | meaning |"
SEPARATOR = "|---|---|---|---|"
OPTIONS = re.compile(r'\[model\] with `provider = "(.+)"`')


def listed_keys(program):
    """Every key, as an object; from the program without any configuration."""
    with tempfile.TemporaryDirectory() as home:
        empty = pathlib.Path(home) / "quarry.toml"
        empty.touch()
        listed = subprocess.run([program, "config", "explain", "--json", "--config", empty],
                                env={"HOME": home, "PATH": os.environ["PATH"]}, check=True,
                                capture_output=True, text=True)
    return json.loads(listed.stdout)["keys"]


def row_of(key):
    name = key["key"].rpartition(".")[2]
    return f"| `{name}` | {key['type']} | {key['default']} | {key['description']} |"


def heading_of(table):
    """`[model]` in the marks of code."""
    return re.sub(r"^(\[.*?\]+)(?= |$)", r"`\1`", table)


def option_tables(providers, headings):
    """{heading: rows} of options: those of all providers that have any, then those of each group
    of providers with the same others; the page names a group after one of them."""
    shared = set.intersection(*(set(rows) for rows in providers.values()))
    out = {"Options of model providers": sorted(shared)}
    groups = {}
    for name, rows in providers.items():
        groups.setdefault(tuple(sorted(set(rows) - shared)), []).append(name)
    for rows, names in groups.items():
        named = [f"Options of `{name}`" for name in names if f"Options of `{name}`" in headings]
        if rows:
            out[named[0] if named else f"Options of `{names[0]}`"] = list(rows)
    return out


def tables_of(keys, headings):
    """{heading: rows} of all keys."""
    out, providers = {}, {}
    for key in keys:
        if not key["description"].endswith("."):
            raise SystemExit(f"{key['key']} has no sentence as its description")
        options = OPTIONS.fullmatch(key["table"])
        if options:
            providers.setdefault(options.group(1), []).append(row_of(key))
        else:
            out.setdefault(heading_of(key["table"]), []).append(row_of(key))
    return out | option_tables(providers, headings)


def key_in(row):
    return row.split("|")[1]


def in_order_of(before, rows):
    order = [key_in(row) for row in before]
    return sorted(rows, key=lambda row: order.index(key_in(row)) if key_in(row) in order
                  else len(order))


def written(text, keys):
    """The page with the present rows in its tables."""
    parts = re.split(r"(?m)^(?=### )", text)
    headings = [part.partition("\n")[0][4:] for part in parts if COLUMNS in part]
    tables = tables_of(keys, headings)
    missing = set(tables) - set(headings)
    if missing:
        raise SystemExit(f"{PAGE}: no table under a heading \"### …\" for {sorted(missing)}")
    for number, part in enumerate(parts):
        if COLUMNS not in part:
            continue
        before, _, rest = part.partition(COLUMNS)
        body, blank, after = rest.partition("\n\n")
        rows = tables.get(before.partition("\n")[0][4:])
        if rows is None:
            raise SystemExit(f"{PAGE}: no key stands in {before.partition(chr(10))[0][4:]}")
        rows = in_order_of(body.split("\n")[2:], rows)
        parts[number] = "\n".join([before + COLUMNS, SEPARATOR, *rows]) + blank + after
    return "".join(parts)


def main():
    source, program = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    page = source / PAGE
    before = page.read_text()
    after = written(before, listed_keys(program))
    if sys.argv[3:] == ["--write"]:
        page.write_text(after)
    elif after != before:
        sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), after.splitlines(True),
                                                   PAGE, "keys"))
        return f"{PAGE} is not up to date: python3 {' '.join(sys.argv)} --write"
    return 0


if __name__ == "__main__":
    sys.exit(main())
