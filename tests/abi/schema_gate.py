#!/usr/bin/env python3
"""Compares the JSON Schemas of the contract's values with those of a release.

Usage: schema_gate.py OLD NEW   (directories of schemas; subdirectories are compared too)

A successor may describe itself differently, add properties that are not required, add schemas and
methods, and accept more: a larger maximum, a smaller minimum, more values of a method's
parameters, which only callers write, an optional principal of a method that took none, and parameters
of a method that took none, which its callers need not give. The version of a method rises with each of these
and never falls. Prints a sentence for each other change."""

import json
import pathlib
import sys

NOTES = {"$comment", "$id", "aliases", "default", "description", "examples", "patternErrorMessage", "title"}
MAPS = {"$defs", "properties"}
METHODS = "engine/methods.json"  # a map of methods, each with a version
UPPER = {"maxItems", "maxLength", "maximum"}
LOWER = {"minItems", "minLength", "minimum"}


def changes(old, new, place=""):
    """A sentence for each change of `old` that is not permitted."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        if old != new:
            yield f"{place} was {json.dumps(old)} and is {json.dumps(new)}"
        return
    for key in sorted(old.keys() | new.keys()):
        at = f"{place}/{key}"
        if key in NOTES:
            continue
        if key in MAPS:
            yield from map_changes(old.get(key, {}), new.get(key, {}), at)
        elif key == "principal" and key not in old and new[key] == "optional":
            continue
        elif key == "params" and key not in old and not new[key].get("required"):
            continue
        elif key not in old:
            yield f"{at} was not there: it refuses what was accepted"
        elif key not in new:
            if key not in UPPER | LOWER:
                yield f"{at} was removed"
        elif key in UPPER | LOWER:
            if (old[key] > new[key]) if key in UPPER else (old[key] < new[key]):
                yield f"{at} was {old[key]} and is {new[key]}: it refuses what was accepted"
        elif key == "enum" and "/params/" in at:
            if removed := [value for value in old[key] if value not in new[key]]:
                yield f"{at} no longer has {json.dumps(removed)}"
        elif key == "required":
            if sorted(old[key]) != sorted(new[key]):
                yield f"{at} was {sorted(old[key])} and is {sorted(new[key])}"
        else:
            yield from changes(old[key], new[key], at)


def map_changes(old, new, place):
    """The same for named schemas, of which there may be more."""
    for name in sorted(old):
        if name not in new:
            yield f"{place}/{name} was removed"
        else:
            yield from changes(old[name], new[name], f"{place}/{name}")


def noteless(schema):
    """The schema without what only describes it."""
    if isinstance(schema, list):
        return [noteless(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: {name: noteless(each) for name, each in value.items()} if key in MAPS else noteless(value)
            for key, value in schema.items() if key not in NOTES}


def method_changes(old, new):
    """The same for methods, whose versions tell that they have changed."""
    versions = {name: [methods.get(name, {}).get("version", 0) for methods in (old, new)] for name in old}
    bare = [{name: {key: value for key, value in method.items() if key != "version"}
             for name, method in methods.items()} for methods in (old, new)]
    yield from map_changes(*bare, "")
    for name in sorted(old.keys() & new.keys()):
        was, now = versions[name]
        if now < was:
            yield f"/{name}/version was {was} and is {now}"
        elif now == was and noteless(bare[0][name]) != noteless(bare[1][name]):
            yield f"/{name} takes or returns something else, but its version is still {was}"


def compare(old, new):
    problems = []
    for path in sorted(old.rglob("*.json")):
        name = path.relative_to(old)
        if not (new / name).exists():
            problems.append(f"{name} was removed")
            continue
        then, now = (json.loads((folder / name).read_text()) for folder in (old, new))
        found = method_changes(then, now) if str(name) == METHODS else changes(then, now)
        problems += [f"{name}{change}" for change in found]
    return problems


def main():
    old, new = map(pathlib.Path, sys.argv[1:3])
    problems = compare(old, new)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
