#!/usr/bin/env python3
"""Decides whether the headers NEW are a permitted successor of the released headers OLD.

Usage: gate.py [--changelog FILE] OLD NEW      (directories that contain quarry/)"""

import argparse
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import contract

APPEND = "new fields go after the last one"


def fields_of(struct):
    return {field.name: field for field in struct.fields}


def without_name(field):
    return re.sub(rf"\b{field.name}\b", "", field.declaration, count=1)


def replacement(field, old, new):
    """The new field at the place of a removed one, if it differs in its name only."""
    for other in new.fields:
        if (other.name not in fields_of(old) and other.offset == field.offset
                and without_name(other) == without_name(field)):
            return other
    return None


def order_problems(old, new):
    """Fields of both whose order differs, and new ones before the last old one."""
    known = [field.name for field in new.fields if field.name in fields_of(old)]
    wanted = [field.name for field in old.fields if field.name in fields_of(new)]
    for was, now in zip(wanted, known):
        if was != now:
            yield (f"{old.name}.{was}: the order of the fields has changed, {old.name}.{now} is in "
                   f"its place. Restore the released order; {APPEND}")
            return
    renamed = [replacement(field, old, new) for field in old.fields if field.name not in known]
    for field in new.fields[:-1]:
        if (field.name not in known and field not in renamed
                and field.offset < fields_of(new)[wanted[-1]].offset):
            yield (f"{new.name}.{field.name} was inserted between released fields. Move it to the "
                   f"end; {APPEND}")


def field_problem(field, old, new):
    """A sentence about one released field, or None."""
    name = f"{old.name}.{field.name}"
    now = fields_of(new).get(field.name)
    if now is None and (other := replacement(field, old, new)):
        return f"{name} was renamed to {other.name}. Restore the name {field.name}"
    if now is None:
        return (f"{name} was removed. Restore it; a field that is no longer used stays, and its "
                "comment says that it is ignored")
    if now.size != field.size:
        return (f"{name}: its width changed from {field.size} to {now.size} bytes. Restore "
                f"\"{field.declaration}\", and append a field for the wider value")
    if now.declaration != field.declaration:
        aspect = "signature" if "(*" in field.declaration else "type"
        return (f"{name}: its {aspect} changed from \"{field.declaration}\" to "
                f"\"{now.declaration}\". Restore it, and append a field for the new form")
    if now.offset != field.offset:
        return (f"{name} moved from offset {field.offset} to {now.offset}. Restore the fields "
                f"before it; {APPEND}")
    return None


def struct_problems(old, new, holders):
    found = list(order_problems(old, new))
    moved = bool(found)
    for field in old.fields:
        problem = field_problem(field, old, new)
        if problem and not (moved and " moved from offset " in problem):
            found.append(problem)
    return found or list(growth_problems(old, new, holders))


def appended(old, new):
    return new.fields[len(old.fields):]


def growth_problems(old, new, holders):
    """The fields of `old` are those that `new` begins with."""
    for field in appended(old, new):
        if not old.grows:
            yield (f"{new.name}.{field.name} was appended, but {new.name} does not begin with "
                   "struct_size, so no peer could see it. Make a new struct")
        elif holders:
            yield (f"{new.name}.{field.name} was appended, but {holders[0]} contains {new.name} by "
                   "value, so its size is fixed. Make a new struct")
        elif field.offset < old.size:
            yield (f"{new.name}.{field.name} lies in the padding of the released {new.name}, whose "
                   f"size stays {old.size}, so struct_size would not show it. Put a reserved field "
                   "before it")


def missing(kind, old, new):
    for name in sorted(set(old) - set(new)):
        yield f"{name}: the {kind} was removed or renamed. Restore it"


def changed_texts(kind, old, new):
    for name in sorted(set(old) & set(new) - {"QUARRY_ABI_MAJOR", "QUARRY_ABI_MINOR"}):
        if old[name] != new[name]:
            yield (f"{name}: the {kind} changed from \"{old[name]}\" to \"{new[name]}\". Restore "
                   "it, and add a new one for the new meaning")


def breaches(old, new):
    """A sentence for each change that breaks the contract, apart from versions."""
    found = [*missing("header", old.headers, new.headers),
             *missing("struct", old.structs, new.structs),
             *missing("typedef", old.typedefs, new.typedefs),
             *missing("constant", old.constants, new.constants),
             *missing("macro", old.macros, new.macros),
             *changed_texts("typedef", old.typedefs, new.typedefs),
             *changed_texts("value of the constant", old.constants, new.constants)]
    for name in sorted(set(old.structs) & set(new.structs)):
        found += struct_problems(old.structs[name], new.structs[name], old.holders(name))
    return found


def additions(old, new):
    """What `new` has in addition: names as in "quarry_tree.add_large"."""
    found = []
    for kind in ("headers", "structs", "typedefs", "constants", "macros"):
        found += sorted(set(getattr(new, kind)) - set(getattr(old, kind)))
    for name in sorted(set(old.structs) & set(new.structs)):
        more = appended(old.structs[name], new.structs[name])
        found += [f"{name}.{field.name}" for field in more]
    return found


def items(changelog, version):
    """The list items under "Unreleased" and under the heading of that version, each on one line."""
    sections = re.split(r"^## +", changelog, flags=re.M)
    heading = re.compile(rf"\[?(Unreleased|{version[0]}\.{version[1]}(\.\d+)?)\b")
    text = "\n".join(section for section in sections if heading.match(section))
    return [" ".join(item.split()) for item in re.split(r"^(?:[-*] |#)", text, flags=re.M)]


def mentions(item, name):
    return all(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", item)
               for part in ([name] if name.endswith(".h") else name.split(".")))


def version_problems(old, new, changelog):
    """Rules for additions: the minor rises, and the change log names each of them."""
    added = additions(old, new)
    if new.version[0] != old.version[0]:
        return [f"QUARRY_ABI_MAJOR changed from {old.version[0]} to {new.version[0]}: another "
                "major has its own entry symbol and ids, and is not a successor. Restore it"]
    if new.version[1] < old.version[1]:
        return [f"QUARRY_ABI_MINOR fell from {old.version[1]} to {new.version[1]}. Restore it"]
    found = []
    if added and new.version[1] == old.version[1]:
        found.append(f"{', '.join(added)}: added, but QUARRY_ABI_MINOR is still {old.version[1]}. "
                     f"Set it to {old.version[1] + 1} in quarry/abi.h")
    listed = items(changelog, new.version)
    for name in added:
        if not any(mentions(item, name) for item in listed):
            found.append(f"{name}: added, but no line of the change log names it. Describe it "
                         "under \"Unreleased\"")
    return found


def anchor(released):
    """A C file in which every type of `released` is reachable from an exported function."""
    types = [*released.structs, *released.typedefs]
    return contract.includes(released.headers) + "".join(
        f"void anchor_{name}(const {name}* value);\n"
        f"void anchor_{name}(const {name}* value) {{ (void)value; }}\n" for name in types)


def without_growth(description, released):
    """Removes the fields that `released` does not have at the end of a struct."""
    for node in description.iter("class-decl"):
        struct = released.structs.get(node.get("name"))
        if struct is None or node.get("is-declaration-only") == "yes":
            continue
        for member in node.findall("data-member")[len(struct.fields):]:
            node.remove(member)
        node.set("size-in-bits", str(struct.size * 8))
    return description


def abidiff(old, new):
    """The report of libabigail about the change from `old` to `new`, whose appended fields are left
    out; empty for none."""
    with tempfile.TemporaryDirectory(prefix="quarry-abi-") as folder:
        files = []
        for name, released in (("old", old), ("new", new)):
            description = contract.debug_information(released.include, anchor(old))
            files.append(pathlib.Path(folder) / f"{name}.abi")
            ElementTree.ElementTree(without_growth(description, old)).write(files[-1])
        # Bit 2 of the exit code: the ABI differs; bit 3: incompatibly.
        command = ["abidiff", "--no-default-suppression", "--redundant"]
        reports = [contract.run([*command, *only, *files], success=(0, 4, 12))
                   for only in ([], ["--harmless"])]
        return "\n".join(report for report, code in reports if code)


def problems(old, new, changelog):
    """A sentence for each reason that `new` is not a permitted successor of `old`."""
    found = breaches(old, new)
    if not found and (report := abidiff(old, new)):
        found = [f"libabigail reports a change of the released part. Restore it:\n{report}"]
    return found or version_problems(old, new, changelog)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=pathlib.Path, help="the released headers")
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--changelog", type=pathlib.Path, help="sdk/CHANGELOG.md, if NEW has additions")
    arguments = parser.parse_args()
    changelog = arguments.changelog.read_text() if arguments.changelog else ""
    try:
        found = problems(contract.read(arguments.old), contract.read(arguments.new), changelog)
    except contract.Unreadable as error:
        found = [str(error)]
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
