// Markdown that is made to cost much: node markdown_tokens_test.mjs <characters of each text>. A parser whose time
// grows with the square of the text, or that recurses for each level, does not end with 400,000.
//
// The kinds are those of public lists and reports, written anew: the pathological tests of cmark
// (github.com/commonmark/cmark, test/pathological_tests.py), commonmark.js#160, marked#1070, marked#1462, marked#1471,
// CVE-2022-21680 and CVE-2022-21681 of marked.

import { Token } from "marked";

import { MOST_LEVELS, tokensOf } from "./src/markdown_tokens";

const declare = globalThis as any;
const size = Number(declare.process.argv[2]);

/** `text` as often as it fits. */
const many = (text: string, share = 1) => text.repeat(Math.ceil(size / share / text.length));
/** Lines of which each is one longer than the one before. */
const stairs = (line: (level: number) => string) =>
  Array.from({ length: Math.floor(Math.sqrt(size)) }, (_, level) => line(level)).join("\n");

const TEXTS: Record<string, string> = {
  "quotes": many("> ") + "needle",
  "quotes without spaces": many(">") + "needle",
  "quotes, each deeper": stairs((level) => "> ".repeat(level) + "needle"),
  "lists in one line": many("- ") + "needle",
  "numbered lists in one line": many("1. ") + "needle",
  "lists, each deeper": stairs((level) => " ".repeat(level) + "- needle"),
  "task lists": many("- [ ] ") + "needle",
  "quotes and lists": many("> - ") + "needle",
  "lists in quotes, each deeper": stairs((level) => "> ".repeat(level) + "- needle"),
  "lazy lines of a quote": "> a\n" + many("needle\n"),
  "quotes with lazy lines": many("> a\nneedle\n"),
  "lazy lines of a list": "- a\n" + many("needle\n"),
  "items": many("- needle\n"),
  "loose items": many("- needle\n\n"),
  "changing lists": many("- a\n1. needle\n"),
  "emphasis and strong": many("*a **a ") + "needle",
  "nested emphasis": many("*a ", 2) + "needle" + many(" c*", 2),
  "nested strong": many("**a ", 2) + "needle" + many(" c**", 2),
  "nested emphasis and strong": many("*a **a ", 2) + "needle" + many(" c** c*", 2),
  "nested deletions": many("~~a ", 2) + "needle" + many(" c~~", 2),
  "emphasis that only closes": many("a_ ") + "needle",
  "emphasis that only opens": many("_a ") + "needle",
  "delimiters": many("*", 2) + "needle" + many("*", 2),
  "delimiters of two kinds": many("*_") + "needle",
  "open brackets": many("[") + "needle",
  "closed brackets": many("needle]"),
  "nested brackets": many("[", 2) + "needle" + many("]", 2),
  "nested links": many("[", 4) + "needle" + many("](u)", 2),
  "links without an end": many("[needle]("),
  "links without an end of the address": many("[needle](<b"),
  "images in images": many("![[]()") + "needle",
  "exclamation marks": many("!") + "[needle",
  "backticks, each more": stairs((level) => "e" + "`".repeat(level)) + "needle",
  "backticks of two lengths": many("`a``") + "needle",
  "less-than signs": many("<") + "needle",
  "comments": many("<!-") + "needle",
  "declarations": many("a <!A ") + "needle",
  "instructions": many("<?") + "needle",
  "tags without an end": many("<a ") + "needle",
  "nested tags": many("<div>", 2) + "needle" + many("</div>", 2),
  "columns": many("|", 2) + "needle\n" + many("|-", 2) + "\n",
  "rows": "a|b\n-|-\n" + many("needle|y\n"),
  "definitions": many("[a]: u\n") + "\n[needle]",
  "references": "[a]: u\n\n" + many("[a]") + "needle",
  "addresses of mail": many("a.") + "needle@",
  "entities": many("&") + "needle",
  "backslashes": many("\\") + " needle",
  "NUL": many("abc\u0000") + "needle",
  "headings": many("# a ") + "needle",
  "lines above an underline": many("needle\n") + "===",
};

function check(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

const inside = (token: any): Token[] => [
  ...(token.tokens ?? []), ...(token.items ?? []), ...(token.type === "table" ? [...token.header, ...token.rows.flat()] : []),
];

/** The levels of `tokens`, without recursion. */
function levelsOf(tokens: Token[]): number {
  let level = 0;
  for (let row = tokens; row.length > 0; row = row.flatMap(inside)) ++level;
  return level;
}

for (const [name, text] of Object.entries(TEXTS)) {
  const tokens = tokensOf(text);
  check(tokens.map(({ raw }) => raw).join("") === text, `${name}: something is lost`);
  check(tokens.some(({ raw }) => raw.includes("needle")), `${name}: the text is not there`);
  check(tokens.length > 1 || tokens[0].type !== "plain", `${name}: the parser has failed`);
  // A list is two levels, its own and its item's; what is inline has levels of its own.
  check(levelsOf(tokens) <= 3 * MOST_LEVELS + 3, `${name}: ${levelsOf(tokens)} levels`);
}

// What people write is parsed as before.
const [list] = tokensOf("- a\n  - b\n    - c\n      - **d *e* f**\n") as any[];
check(JSON.stringify(list).includes('"type":"em"'), "emphasis in nested lists");
const long = tokensOf(`${"word ".repeat(5000)}**bold** ${"word ".repeat(5000)}`) as any[];
check(long.length === 1 && long[0].tokens.some((token: Token) => token.type === "strong"), "a long paragraph");
const numbered = tokensOf(Array.from({ length: 5000 }, (_, i) => `${i + 1}. item\n`).join("")) as any[];
const lists = numbered.filter(({ type }) => type === "list");
check(lists.reduce((sum, { items }) => sum + items.length, 0) === 5000, "all items of a long list");
check(lists.every(({ start }, i) => i === 0 || start > lists[i - 1].start), "the numbers of a long list go on");
