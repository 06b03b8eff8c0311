// Markdown as elements. HTML in the text is shown, never interpreted, and only web links lead anywhere.

import { Token, Tokens } from "marked";
import { ComponentChildren, createElement } from "preact";
import { memo } from "preact/compat";
import { useMemo, useRef, useState } from "preact/hooks";

import { CiteNumber, onlyPlaceOf, useCitationOf } from "./citation";
import { highlighted, languageOf } from "./highlight";
import { Icon } from "./icons";
import { tokensOf } from "./markdown_tokens";
import { CopyButton, Guard, plain, PlainText } from "./parts";
import { answeringSentence } from "./sentence";

/** Makes of a text without markup what is shown in its place. */
export type Inline = (text: string) => ComponentChildren;

function webLink(href: string): string | undefined {
  try {
    const url = new URL(href);
    return ["https:", "http:", "mailto:"].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined; // relative to nothing
  }
}

// marked escapes some texts for use in HTML.
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const unescaped = (text: string) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ENTITIES[name]);

function inlines(tokens: Token[] | undefined, inline: Inline): ComponentChildren[] {
  return (tokens ?? []).map((token) => oneInline(token, inline));
}

function oneInline(token: Token, inline: Inline): ComponentChildren {
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return createElement(token.type, null, inlines((token as Tokens.Strong).tokens, inline));
    case "codespan":
      return <code>{unescaped(token.text)}</code>;
    case "br":
      return <br />;
    case "link":
    case "image": {
      const href = webLink(token.href);
      const text = token.type === "link" ? inlines(token.tokens, inline) : [token.text || token.href];
      if (!href) return [...text, ` (${token.href})`];
      return <a href={href} target="_blank" rel="noopener noreferrer">{text}</a>;
    }
    case "text":
      if ((token as Tokens.Text).tokens) return inlines((token as Tokens.Text).tokens, inline);
      return inline(unescaped(token.text));
    case "escape":
      return inline(unescaped(token.text));
    default:
      return inline(token.raw); // HTML, "plain", and what a later version adds
  }
}

const LANGUAGES: Record<string, string> = {
  bash: "Shell", c: "C", cpp: "C++", csharp: "C#", css: "CSS", cs: "C#", go: "Go", html: "HTML", java: "Java", js: "JavaScript",
  javascript: "JavaScript", json: "JSON", jsx: "JSX", kotlin: "Kotlin", md: "Markdown", php: "PHP", py: "Python", python: "Python",
  rb: "Ruby", ruby: "Ruby", rs: "Rust", rust: "Rust", scala: "Scala", sh: "Shell", sql: "SQL", swift: "Swift", toml: "TOML", ts: "TypeScript",
  tsx: "TSX", typescript: "TypeScript", xml: "XML", yaml: "YAML", yml: "YAML",
};
const MOST_OPEN = 4000; // characters of a block that still grows and is coloured

/** Language and path after the fence: "python src/dates.py", "python title="dates.py"", "src/dates.py". */
function labelOf(lang: string): { language: string; path: string } {
  const [first = "", ...more] = lang.trim().split(/\s+/);
  const given = more.join(" ").replace(/^(title|file(name)?|path)=/, "").replace(/^["'{]+|["'}]+$/g, "");
  const isPath = /[./]/.test(first) && !LANGUAGES[first];
  const path = isPath ? first : /[./]/.test(given) ? given : "";
  return { language: isPath ? languageOf(first) : first, path };
}

function Code({ token, title }: { token: Tokens.Code; title?: string }) {
  const [wraps, setWraps] = useState(false);
  const { language, path } = labelOf(token.lang ?? "");
  const isOpen = !/(`{3,}|~{3,})\s*$/.test(token.raw);
  const kind = language || languageOf(title ?? "");
  const name = [LANGUAGES[kind.toLowerCase()] ?? language, path].filter(Boolean).join(" · ") || "Text";
  return (
    <figure class={wraps ? "code wrap" : "code"}>
      <figcaption>
        <span>{plain(name)}</span>
        <button type="button" aria-pressed={wraps} onClick={() => setWraps(!wraps)}>Wrap</button>
        <CopyButton text={() => token.text} label="Copy the code" />
      </figcaption>
      <pre tabIndex={0}><code>{isOpen && token.text.length > MOST_OPEN ? token.text : highlighted(token.text, kind)}</code></pre>
    </figure>
  );
}

/** Inline text of which one sentence is marked. */
function withMark(raw: string, sentence: string, inline: Inline): ComponentChildren {
  const at = sentence ? raw.indexOf(sentence) : -1;
  const drawn = (text: string) => tokensOf(text).flatMap((token) => inlines((token as Tokens.Paragraph).tokens ?? [], inline));
  if (at < 0) return drawn(raw);
  return <>{drawn(raw.slice(0, at))} <mark>{drawn(sentence)}</mark> {drawn(raw.slice(at + sentence.length))}</>;
}

const asItStands: Inline = (text) => text;

/** A passage that is quoted whole below its citation: a card with the place as its title. */
function Quoted({ place, token, question }: { place: string; token: Tokens.Code; question: string }) {
  const { cited, index } = useCitationOf(place);
  const path = place.replace(/#.*/, "").replace(/^[^:]+:/, "");
  const lines = place.replace(/^.*#L/, "").replace(/-L?/, "–");
  const isText = /\.(md|markdown|mdx|txt|rst)$/i.test(path);
  const sentence = useMemo(() => (isText ? answeringSentence(token.text, question) : ""), [token.text, question]);
  const passage = (one: Token): ComponentChildren =>
    one.type === "paragraph" ? <p>{withMark(one.raw.trim(), sentence, asItStands)}</p> : oneBlock(one, asItStands);
  return (
    <section class="quoted" aria-label={plain(place)}>
      <header>
        <Icon name="file" size={15} /> <span><b>{plain(path)}</b> <span class="quiet">lines {plain(lines)}</span></span>
        {index < 0 ? <span class="cite pending">{cited.expected.indexOf(place) + 1 || "?"}</span>
          : <CiteNumber questionId={cited.questionId} number={index + 1} citations={cited.citations} />}
      </header>
      {isText
        ? <div class="inside markdown" tabIndex={0} role="region" aria-label={`passage of ${plain(path)}`}>{withLevels(tokensOf(token.text)).map(passage)}</div>
        : <Code token={token} title={path} />}
    </section>
  );
}

function list(token: Tokens.List, inline: Inline) {
  const items = token.items.map((item) => (
    <li>
      {item.task && <input type="checkbox" checked={item.checked} disabled aria-label={item.checked ? "done" : "open"} />}
      {blocks(item.tokens, inline)}
    </li>
  ));
  return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function table(token: Tokens.Table, inline: Inline) {
  const cell = (kind: "th" | "td") => (one: Tokens.TableCell, column: number) =>
    createElement(kind, { class: `align-${token.align[column] ?? "left"}` }, inlines(one.tokens, inline));
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="table">
      <table>
        <thead><tr>{token.header.map(cell("th"))}</tr></thead>
        <tbody>{token.rows.map((row) => <tr>{row.map(cell("td"))}</tr>)}</tbody>
      </table>
    </div>
  );
}

function blocks(tokens: Token[], inline: Inline): ComponentChildren[] {
  return tokens.map((token) => oneBlock(token, inline));
}

function oneBlock(token: Token, inline: Inline): ComponentChildren {
  switch (token.type) {
    case "space":
      return null;
    case "heading":
      return createElement(`h${token.depth}`, null, inlines(token.tokens, inline));
    case "paragraph":
      return <p>{inlines(token.tokens, inline)}</p>;
    case "code":
      return <Code token={token as Tokens.Code} />;
    case "blockquote":
      return <blockquote>{blocks(token.tokens ?? [], inline)}</blockquote>;
    case "list":
      return list(token as Tokens.List, inline);
    case "table":
      return table(token as Tokens.Table, inline);
    case "hr":
      return <hr />;
    case "text":
      return inlines([token], inline);
    case "plain":
      return <PlainText>{inline(token.raw)}</PlainText>;
    default:
      return <p>{inline(token.raw)}</p>;
  }
}

const Block = memo(
  ({ token, inline }: { token: Token; inline: Inline }) => <>{oneBlock(token, inline)}</>,
  (before, after) => before.token.raw === after.token.raw && before.inline === after.inline,
);

/** A passage of the answer: a block, or a citation with the lines that are quoted below it. */
interface Passage {
  token: Token;
  place?: string;
}

/** A paragraph that is a citation alone belongs to the code below it. */
function passagesOf(tokens: Token[]): Passage[] {
  const out: Passage[] = [];
  const blocks = tokens.filter(({ type }) => type !== "space");
  for (let i = 0; i < blocks.length; ++i) {
    const place = blocks[i].type === "paragraph" && blocks[i + 1]?.type === "code" ? onlyPlaceOf(blocks[i].raw) : undefined;
    out.push(place ? { token: blocks[++i], place } : { token: blocks[i] });
  }
  return out;
}

/** Blocks that no later text of the stream changes, and where the rest begins. */
interface Settled {
  tokens: Token[];
  length: number;
  prefix: string;
}

const TOP_LEVEL = 3; // the page has the levels above it

/** Gives headings levels without gaps: the first one is at the top, and none is two below the last. */
function withLevels(tokens: Token[]): Token[] {
  let base = 0;
  let last = TOP_LEVEL - 1;
  return tokens.map((token) => {
    if (token.type !== "heading") return token;
    base ||= token.depth;
    last = Math.max(TOP_LEVEL, Math.min(TOP_LEVEL + token.depth - base, last + 1, 6));
    return { ...token, depth: last };
  });
}

const LAST_BLOCKS = 2; // a list or a table may still go on

// Characters that change the direction of what follows, which hides what a text says.
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** `given` may grow from call to call; only its last blocks are parsed and drawn again. */
export function Markdown({ text: given, inline, question, isOpen }: { text: string; inline: Inline; question: string; isOpen: boolean }) {
  const text = given.replace(DIRECTIONS, "\u25a1");
  const settled = useRef<Settled>({ tokens: [], length: 0, prefix: "" });
  const tokens = useMemo(() => {
    const before = settled.current;
    if (!text.startsWith(before.prefix)) settled.current = { tokens: [], length: 0, prefix: "" };
    const { tokens: done, length } = settled.current;
    const rest = tokensOf(text.slice(length));
    const open = rest.slice(-LAST_BLOCKS);
    const closed = rest.slice(0, -LAST_BLOCKS);
    const closedLength = length + closed.reduce((sum, token) => sum + token.raw.length, 0);
    // Line ends are normalised while parsing, so offsets hold only where nothing was replaced.
    if (closed.length > 0 && !text.includes("\r")) {
      settled.current = { tokens: [...done, ...closed], length: closedLength, prefix: text.slice(0, closedLength) };
    }
    return [...done, ...closed, ...open];
  }, [text]);
  return (
    <div class="markdown">
      {passagesOf(withLevels(tokens)).map(({ token, place }, i) => (
        <Guard key={i} fallback={<PlainText>{token.raw}</PlainText>}>
          {place ? <Quoted place={place} token={token as Tokens.Code} question={question} /> : <Block token={token} inline={inline} />}
        </Guard>
      ))}
    </div>
  );
}
