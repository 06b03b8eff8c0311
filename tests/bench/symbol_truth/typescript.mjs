// The definitions in files of JavaScript and TypeScript, as TypeScript's own parser tells them.
// Usage: node typescript.mjs TYPESCRIPT FILES, where TYPESCRIPT is the module's file typescript.js and
// FILES a file with a path on each line. Prints a line of JSON for each definition: path, name,
// line, and whether it is a variable of a function or a member of one.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [, , module, list] = process.argv;
const ts = createRequire(import.meta.url)(module);

function nameOf(node) {
  if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node) || ts.isStringLiteralLike(node) ||
      ts.isNumericLiteral(node)) {
    return node.text;
  }
  return ts.isComputedPropertyName(node) ? node.getText() : undefined;
}

/** What an assignment defines: "a.b = …", "a["b"] = …" or "a = …". */
function assigned(left) {
  if (ts.isPropertyAccessExpression(left)) return left.name;
  if (ts.isElementAccessExpression(left) && ts.isStringLiteralLike(left.argumentExpression)) {
    return left.argumentExpression;
  }
  return ts.isIdentifier(left) ? left : undefined;
}

function* definitions(node, inFunction) {
  const isNamed = ts.isFunctionLike(node) || ts.isClassLike(node) || ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node) || ts.isEnumMember(node) ||
    ts.isModuleDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertySignature(node) ||
    ts.isImportEqualsDeclaration(node) || ts.isNamespaceExport(node);
  if (isNamed && node.name) yield { name: node.name, local: false };
  if (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) {
    const isFunction = node.initializer !== undefined && ts.isFunctionLike(node.initializer);
    yield { name: node.name, local: inFunction && !isFunction };
  }
  if (ts.isConstructorDeclaration(node)) {
    yield { name: node.getChildren().find((one) => one.kind === ts.SyntaxKind.ConstructorKeyword),
            text: "constructor", local: false };
  }
  if (ts.isConstructSignatureDeclaration(node)) yield { name: node, text: "new", local: false };
  if ((ts.isVariableDeclaration(node) || ts.isBindingElement(node)) && ts.isIdentifier(node.name)) {
    yield { name: node.name, local: inFunction };
  }
  if (ts.isParameter(node) && ts.isParameterPropertyDeclaration(node, node.parent)) {
    yield { name: node.name, local: false };
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
    const name = assigned(node.left);
    const ofThis = node.left.expression?.kind === ts.SyntaxKind.ThisKeyword;
    if (name) yield { name, local: inFunction && !ofThis };
  }
  const inside = inFunction || (ts.isFunctionLike(node) && node.body !== undefined);
  for (const child of node.getChildren()) yield* definitions(child, inside);
}

for (const path of readFileSync(list, "utf8").split("\n").filter(Boolean)) {
  const text = readFileSync(path, "utf8");
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX
    : /\.[cm]?ts$/.test(path) ? ts.ScriptKind.TS : ts.ScriptKind.JSX;
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
  for (const { name, text: told, local } of definitions(source, false)) {
    const shown = told ?? nameOf(name);
    if (shown === undefined) continue;
    const line = source.getLineAndCharacterOfPosition(name.getStart()).line + 1;
    console.log(JSON.stringify({ path, name: shown, line, local }));
  }
}
