#!/usr/bin/env python3
"""Checks the expressions of docs/dashboard.json, and that they and the alerts name metrics and labels
of docs/operations.md, which e2e.document_operations compares with those of a server.

Usage: check_names.py SOURCE"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

# Of Prometheus itself, and of every target.
OTHER_NAMES = {"up"}
OTHER_LABELS = {"instance", "job", "le", "alertname"}


def documented(source):
    """{name: labels} of the table of metrics; of a histogram, each of its series."""
    text = (source / "docs/operations.md").read_text()
    rows = text.partition("| series | type | labels |\n")[2].partition("\n\n")[0].splitlines()[1:]
    found = {}
    for row in rows:
        series, kind, labels = (cell.strip() for cell in row.strip("|").split(" | "))
        for name in re.findall(r"`(\w+)`", series):
            for suffix in ("_bucket", "_sum", "_count") if kind == "histogram" else ("",):
                found[name + suffix] = set(re.findall(r"`(\w+)`", labels))
    return found


def expressions(source):
    """(place, expression) of the dashboard and of the alerts."""
    dashboard = json.loads((source / "docs/dashboard.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]
    rules = (source / "packaging/prometheus/quarry.rules.yml").read_text()
    for alert, expression in re.findall(r"- alert: (\w+)\n +expr: (.*?)\n +(?:for|labels):", rules, re.S):
        yield alert, expression.removeprefix("|")


def problems(source):
    known = documented(source)
    for place, expression in expressions(source):
        names = set(re.findall(r"\b(?:quarry|process)_\w+", expression)) - OTHER_NAMES
        if not names and "up{" not in expression:
            yield f"{place}: no metric"
        yield from (f"{place}: {name} is not in docs/operations.md" for name in names - set(known))
        labels = {label for name in names for label in known.get(name, ())} | OTHER_LABELS
        used = {label.strip() for group in re.findall(r"by \((.*?)\)", expression) for label in group.split(",")}
        used |= set(re.findall(r"[{,]\s*(\w+)=~?\"", expression))
        yield from (f"{place}: {label} is no label of {', '.join(sorted(names))}" for label in used - labels)


def judged_by_promtool(source):
    """What promtool says of the dashboard's expressions, as rules."""
    rules = [{"record": f"panel:{number}", "expr": expression.replace("$__rate_interval", "5m")}
             for number, (_, expression) in enumerate(expressions(source))]
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, file)  # YAML includes JSON
        file.flush()
        checked = subprocess.run(["promtool", "check", "rules", file.name], capture_output=True, text=True)
    return [] if checked.returncode == 0 else [checked.stdout + checked.stderr]


def main():
    source = pathlib.Path(sys.argv[1])
    found = [*problems(source), *judged_by_promtool(source)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
