"""Reads the contract from a directory of headers: structs, declarations, constants.

Names, offsets and sizes come from the debug information of a compiled file (through libabigail's
abidw), declarations and constants from the preprocessor."""

import dataclasses
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree

# Compiled into the plugin, not part of the contract.
HELPERS = {"json.h", "plugin.h"}
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
COMPILER = ["gcc", "-std=c11"]


class Unreadable(Exception):
    """The headers do not compile, or have something that this reader does not cover."""


@dataclasses.dataclass
class Field:
    name: str
    offset: int  # bytes
    size: int  # bytes
    declaration: str


@dataclasses.dataclass
class Struct:
    name: str
    size: int
    fields: list

    @property
    def grows(self):
        """A field appended to it can be seen by its peer."""
        return bool(self.fields) and self.fields[0].declaration == "uint32_t struct_size"

    @property
    def padding(self):
        """Bytes after the last field."""
        last = self.fields[-1]
        return self.size - last.offset - last.size


@dataclasses.dataclass
class Contract:
    include: pathlib.Path
    headers: list  # names
    structs: dict  # by name
    typedefs: dict  # name: declaration; those of structs that are defined are left out
    constants: dict  # name: replacement text
    macros: set  # names of those with parameters, and of attributes

    @property
    def version(self):
        """(major, minor)"""
        return tuple(int(self.constants[f"QUARRY_ABI_{part}"].rstrip("uU"))
                     for part in ("MAJOR", "MINOR"))

    def holders(self, struct):
        """Names of the declarations that contain that struct by value."""
        value = re.compile(rf"\b{struct}\b(?!\*)")
        everything = [(f"{outer.name}.{field.name}", field.declaration)
                      for outer in self.structs.values() for field in outer.fields]
        return [name for name, declaration in [*everything, *self.typedefs.items()]
                if value.search(declaration)]


def run(command, success=(0,), **more):
    """(output, exit code) of a command."""
    try:
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                                check=False, **more)
    except FileNotFoundError:
        raise Unreadable(f"there is no {command[0]}: run scripts/install-packages full") from None
    if result.returncode not in success:
        raise Unreadable(f"{command[0]} failed:\n{result.stderr or result.stdout}")
    return result.stdout, result.returncode


def header_names(include):
    """The headers of the contract; those in subdirectories (draft/) are not."""
    names = sorted(path.name for path in (include / "quarry").glob("*.h"))
    if not names:
        raise Unreadable(f"{include}/quarry has no headers")
    return [name for name in names if name not in HELPERS]


def includes(headers):
    return "".join(f"#include <quarry/{name}>\n" for name in headers)


def debug_information(include, source, *options):
    """The description that abidw gives of the C text `source`, compiled with `include`."""
    with tempfile.TemporaryDirectory(prefix="quarry-abi-") as folder:
        file, library = pathlib.Path(folder) / "anchor.c", pathlib.Path(folder) / "anchor.so"
        file.write_text(source)
        run([*COMPILER, "-g", "-shared", "-fPIC", "-nostdlib", "-fno-eliminate-unused-debug-types",
             "-I", include, file, "-o", library])
        text, _ = run(["abidw", "--no-corpus-path", *options, library])
        return ElementTree.fromstring(text)


class Types:
    """The types of one description."""

    def __init__(self, description, include):
        self.include = f"{include.resolve()}/quarry/"
        self.by_id = {node.get("id"): node for node in description.iter() if node.get("id")}
        self.own = [node for node in self.by_id.values()
                    if node.get("filepath", "").startswith(self.include)]

    def size(self, identifier):
        """Bytes of a value of that type."""
        node = self.by_id[identifier]
        if node.tag in ("typedef-decl", "qualified-type-def"):
            return self.size(node.get("type-id"))
        return int(node.get("size-in-bits")) // 8

    def named(self, tag):
        return [node for node in self.own if node.tag == tag and node.get("name")]

    def structs(self):
        """The defined ones: {name: [(field, offset, size)]} and {name: size}."""
        fields, sizes = {}, {}
        for node in self.named("class-decl"):
            if node.get("is-declaration-only") == "yes":
                continue
            name = node.get("name")
            sizes[name] = int(node.get("size-in-bits")) // 8
            fields[name] = [self.field(name, member) for member in node.iter("data-member")]
        return fields, sizes

    def field(self, struct, member):
        variable = member.find("var-decl")
        name, bits = variable.get("name"), int(member.get("layout-offset-in-bits"))
        if not name or bits % 8:
            raise Unreadable(f"{struct} has an unnamed member or a bit-field, which the gate does "
                             "not cover: name every member, in whole bytes")
        return name, bits // 8, self.size(variable.get("type-id"))

    def refuse_others(self):
        for node in self.own:
            if node.tag in ("enum-decl", "union-decl") or node.get("is-anonymous") == "yes":
                raise Unreadable(f"{node.get('filepath')}:{node.get('line')}: enums, unions and "
                                 "unnamed structs are not for the contract: use a fixed-width type "
                                 "and named constants")


def preprocessed(include, headers):
    """The text of the contract's own headers after preprocessing."""
    text, _ = run([*COMPILER, "-E", "-I", include, "-x", "c", "-"], input=includes(headers))
    own, kept = f"{include.resolve()}/quarry/", []
    inside = False
    for line in text.splitlines():
        if marker := re.match(r'# \d+ "([^"]*)"', line):
            inside = marker.group(1).startswith(own)
        elif inside:
            kept.append(line)
    return "\n".join(kept)


def spaced(text):
    """`text` with the spacing of a clang-formatted declaration, on one line."""
    text = " ".join(re.findall(r"\w+|[^\w\s]", text))
    text = re.sub(r" (?=[*,)\[\]])|(?<=[(\[]) ", "", text)
    return text.replace("(* ", "(*").replace(") (", ")(")


def declared_name(declaration):
    """The name that a declaration of a field or typedef introduces."""
    pointer = re.search(r"\(\*\s*(\w+)", declaration)
    return pointer.group(1) if pointer else IDENTIFIER.findall(declaration.split("[")[0])[-1]


def declarations(text):
    """({struct: {field: declaration}}, {typedef: declaration}) of preprocessed text."""
    fields, typedefs = {}, {}
    for name, body in re.findall(r"\bstruct\s+(\w+)\s*\{([^{}]*)\}", text):
        found = [spaced(part) for part in body.split(";") if part.strip()]
        fields[name] = {declared_name(declaration): declaration for declaration in found}
    for declaration in re.findall(r"\btypedef\s+([^;{}]+);", text):
        typedefs[declared_name(declaration)] = spaced(declaration)
    return fields, {name: declaration for name, declaration in typedefs.items()
                    if name not in fields}


def macros(include, headers):
    """({name: text} of the constants, {name} of the other macros)."""
    constants, functions = {}, set()
    lines, _ = run([*COMPILER, "-dM", "-E", "-I", include, "-x", "c", "-"], input=includes(headers))
    for line in lines.splitlines():
        name, parameters, text = re.fullmatch(r"#define (\w+)(\([^)]*\))?(.*)", line).groups()
        if not name.startswith("QUARRY_"):
            continue
        if parameters or text.lstrip().startswith("__attribute__"):
            functions.add(name)
        elif text.strip():  # else an include guard
            constants[name] = " ".join(text.split())
    return constants, functions


def read(include):
    include = pathlib.Path(include).resolve()
    headers = header_names(include)
    source = includes(headers) + "int anchor;\n"  # abidw wants a symbol
    types = Types(debug_information(include, source, "--load-all-types"), include)
    types.refuse_others()
    laid_out, sizes = types.structs()
    declared, typedefs = declarations(preprocessed(include, headers))
    structs = {}
    for name, members in laid_out.items():
        if [member for member, _, _ in members] != list(declared.get(name, {})):
            raise Unreadable(f"the declarations of {name} were not understood: write each as "
                             "\"type name;\", one member a declaration")
        structs[name] = Struct(name, sizes[name], [
            Field(member, offset, size, declared[name][member])
            for member, offset, size in members])
    described = {node.get("name") for node in types.named("typedef-decl")} - set(structs)
    if unclear := (set(structs) ^ set(declared)) | (described ^ set(typedefs)):
        raise Unreadable("debug information and declarations differ in "
                         + ", ".join(sorted(unclear)))
    return Contract(include, headers, structs, typedefs, *macros(include, headers))
