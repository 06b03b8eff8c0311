"""The definitions in files of Python, as its own parser tells them.

Usage: python.py FILES, a file with a path on each line. Prints a line of JSON for each definition:
path, name, line, and whether it is a variable of a function."""

import ast
import json
import pathlib
import sys


def names_in(target):
    """The names that an assignment to `target` defines."""
    match target:
        case ast.Name():
            yield target.id, target.lineno
        case ast.Attribute():
            yield target.attr, target.lineno
        case ast.Tuple() | ast.List():
            for one in target.elts:
                yield from names_in(one)
        case ast.Starred():
            yield from names_in(target.value)


def name_line(node, text):
    """The line of the name, which may follow decorators."""
    for line in range(node.lineno, node.body[0].lineno + 1):
        if node.name in text[line - 1]:
            return line
    return node.lineno


def definitions(node, text, in_function=False):
    """(name, line, whether it is local)"""
    for child in ast.iter_child_nodes(node):
        is_function = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        match child:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield child.name, name_line(child, text), False
            case ast.Assign():
                for target in child.targets:
                    for name, line in names_in(target):
                        yield name, line, in_function
            case ast.AnnAssign() | ast.AugAssign() | ast.NamedExpr() | ast.For():
                for name, line in names_in(child.target):
                    yield name, line, in_function
            case ast.With():
                for item in child.items:
                    if item.optional_vars:
                        for name, line in names_in(item.optional_vars):
                            yield name, line, in_function
        yield from definitions(child, text, in_function or is_function)


for path in pathlib.Path(sys.argv[1]).read_text().splitlines():
    source = pathlib.Path(path).read_bytes()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        continue
    lines = source.decode(errors="replace").split("\n")
    for name, line, local in definitions(tree, lines):
        print(json.dumps({"path": path, "name": name, "line": line, "local": local}))
