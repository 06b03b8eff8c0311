// The definitions in files of Lua, as luaparse tells them.
// Usage: node lua.mjs LUAPARSE FILES, where LUAPARSE is the module's file luaparse.js and FILES a file
// with a path on each line. Prints a line of JSON for each definition: path, name, line, and whether
// it is a variable of a function or a member of one.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [, , module, list] = process.argv;
const luaparse = createRequire(import.meta.url)(module);

const FUNCTION = "FunctionDeclaration";

/** The node that names what `target` is: "c" of "a.b.c", "a:c" and "a["c"]". */
function named(target) {
  if (target?.type === "Identifier") return { name: target.name, at: target };
  if (target?.type === "MemberExpression") return { name: target.identifier.name, at: target.identifier };
  if (target?.type === "IndexExpression" && target.index.type === "StringLiteral") {
    return { name: target.index.raw.slice(1, -1), at: target.index };
  }
  return undefined;
}

function* definitions(node, inFunction) {
  if (Array.isArray(node)) {
    for (const one of node) yield* definitions(one, inFunction);
    return;
  }
  if (node === null || typeof node !== "object" || node.type === undefined) return;
  if (node.type === FUNCTION && node.identifier) yield { ...named(node.identifier), local: false };
  if (node.type === "LocalStatement" || node.type === "AssignmentStatement") {
    for (const [i, target] of node.variables.entries()) {
      const found = named(target);
      const isFunction = node.init[i]?.type === FUNCTION;
      if (found) yield { ...found, local: inFunction && !isFunction };
    }
  }
  if (node.type === "TableKeyString" || node.type === "TableKey") {
    const key = node.key;
    const name = key.type === "Identifier" ? key.name : key.type === "StringLiteral" ? key.raw.slice(1, -1) : undefined;
    if (name) yield { name, at: key, local: inFunction && node.value.type !== FUNCTION };
  }
  const inside = inFunction || node.type === FUNCTION;
  for (const [key, child] of Object.entries(node)) {
    if (key !== "loc") yield* definitions(child, inside);
  }
}

for (const path of readFileSync(list, "utf8").split("\n").filter(Boolean)) {
  let tree;
  try {
    tree = luaparse.parse(readFileSync(path, "latin1"),
                          { locations: true, comments: false, luaVersion: "LuaJIT" });
  } catch {
    try {
      tree = luaparse.parse(readFileSync(path, "latin1"),
                            { locations: true, comments: false, luaVersion: "5.3" });
    } catch {
      continue;  // not judged
    }
  }
  for (const { name, at, local } of definitions(tree, false)) {
    console.log(JSON.stringify({ path, name, line: at.loc.start.line, local }));
  }
}
