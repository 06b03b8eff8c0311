// Code as coloured pieces. Prism's tokens become elements, never HTML.

import Prism from "prismjs/components/prism-core";
import "prismjs/components/prism-clike";
import "prismjs/components/prism-markup";
import "prismjs/components/prism-markup-templating";
import "prismjs/components/prism-c";
import "prismjs/components/prism-cpp";
import "prismjs/components/prism-csharp";
import "prismjs/components/prism-css";
import "prismjs/components/prism-bash";
import "prismjs/components/prism-cmake";
import "prismjs/components/prism-diff";
import "prismjs/components/prism-go";
import "prismjs/components/prism-java";
import "prismjs/components/prism-javascript";
import "prismjs/components/prism-json";
import "prismjs/components/prism-jsx";
import "prismjs/components/prism-kotlin";
import "prismjs/components/prism-lua";
import "prismjs/components/prism-markdown";
import "prismjs/components/prism-php";
import "prismjs/components/prism-python";
import "prismjs/components/prism-ruby";
import "prismjs/components/prism-rust";
import "prismjs/components/prism-scala";
import "prismjs/components/prism-sql";
import "prismjs/components/prism-swift";
import "prismjs/components/prism-toml";
import "prismjs/components/prism-typescript";
import "prismjs/components/prism-tsx";
import "prismjs/components/prism-yaml";
import { createElement, VNode } from "preact";

const MOST_BYTES = 200_000; // of a text that is coloured

const NAMES: Record<string, string> = {
  "c++": "cpp", cc: "cpp", cxx: "cpp", h: "cpp", hh: "cpp", hpp: "cpp", "c#": "csharp", cs: "csharp", golang: "go",
  htm: "markup", html: "markup", vue: "markup", svelte: "markup", xml: "markup", js: "javascript", mjs: "javascript",
  cjs: "javascript", kt: "kotlin", md: "markdown", py: "python", rb: "ruby", rs: "rust", sh: "bash", shell: "bash",
  sc: "scala", ts: "typescript", mts: "typescript", yml: "yaml", patch: "diff",
};

/** The language of a file by its name. */
export function languageOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1) === "CMakeLists.txt" ? "cmake" : path.slice(path.lastIndexOf(".") + 1);
}

type Piece = string | VNode<any>;

function pieces(token: any): Piece[] {
  if (typeof token === "string") return [token];
  if (Array.isArray(token)) return token.flatMap(pieces);
  return [createElement("span", { class: `token ${token.type}` }, pieces(token.content))];
}

export function highlighted(code: string, language: string): Piece[] {
  const name = language.toLowerCase();
  const grammar = Object.hasOwn(Prism.languages, NAMES[name] ?? name) && Prism.languages[NAMES[name] ?? name];
  if (!grammar || typeof grammar !== "object" || code.length > MOST_BYTES) return [code];
  try {
    return pieces(Prism.tokenize(code, grammar));
  } catch {
    return [code]; // nested deeper than the stack
  }
}

/** The lines of a text, each as its pieces. */
export function highlightedLines(lines: string[], language: string): Piece[][] {
  const out: Piece[][] = [[]];
  const add = (piece: Piece, around: string[]) => {
    if (typeof piece !== "string") {
      const inner = ([] as Piece[]).concat(piece.props.children as any);
      for (const one of inner) add(one, [...around, String((piece.props as any).class)]);
      return;
    }
    piece.split("\n").forEach((text, i) => {
      if (i > 0) out.push([]);
      if (!text) return;
      out[out.length - 1].push(
        around.reduceRight<Piece>((inside, name) => createElement("span", { class: name }, inside), text),
      );
    });
  };
  for (const piece of highlighted(lines.join("\n"), language)) add(piece, []);
  return out;
}
