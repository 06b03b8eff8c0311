// A conversation as Markdown, in the form of "quarry threads export".

import type { Citation } from "./api";
import { indexOf, placeOf } from "./citation";
import { MARKS, QuestionState } from "./question";

/** What a question cost in USD; nothing if that is not known. */
export function costOf({ cost, done }: QuestionState): number | undefined {
  const known = done?.metrics?.pricing?.costUsd.total;
  return known ?? (cost || undefined);
}

/** The citations in the order in which the text names them, the others after those. */
function ordered(text: string, citations: Citation[]): Citation[] {
  const named = [...text.matchAll(MARKS)].flatMap((mark) => mark[1].split(", ").map((place) => indexOf(citations, place)));
  const order = new Set([...named.filter((at) => at >= 0), ...citations.keys()]);
  return [...order].map((at) => citations[at]);
}

/** Numbers in place of the citations, also of several in the same brackets; code stays as it is. */
function numbered(text: string, citations: Citation[]): string {
  return text.split(/(`+)/).reduce(({ out, fence }, piece) => {
    if (/^`+$/.test(piece)) return { out: out + piece, fence: fence === piece ? "" : fence || piece };
    if (fence) return { out: out + piece, fence };
    return { fence, out: out + piece.replace(MARKS, (mark, places: string) => {
      const indexes = places.split(", ").map((place) => indexOf(citations, place));
      return indexes.every((at) => at < 0) ? mark
        : indexes.map((at, i) => (at < 0 ? `[${places.split(", ")[i]}]` : `[${at + 1}]`)).join("");
    }) };
  }, { out: "", fence: "" }).out;
}

function sourceText(citation: Citation): string {
  const place = placeOf(citation) + (citation.version ? ` (${citation.version})` : "") +
    (citation.verified ? "" : citation.unchecked ? ", not checked again" : ", not verified");
  return citation.url ? `[${place}](<${citation.url}>)` : place;
}

/** An answer with numbered sources, as Markdown. */
export function markdownOf(turn: QuestionState): string {
  const text = turn.text.slice(turn.narrated).trim();
  const citations = ordered(text, turn.citations);
  const sources = citations.map((one, i) => `${i + 1}. ${sourceText(one)}`).join("\n");
  const reason = turn.done?.finishReason ?? "";
  const end = turn.failure ? `(failed: ${turn.failure})` : reason && reason !== "stop" ? `(incomplete: ${reason})` : "";
  return [numbered(text, citations), end, sources && `Sources:\n\n${sources}`].filter(Boolean).join("\n\n");
}

function factsOf(turn: QuestionState): string {
  const cost = costOf(turn);
  const versions = turn.snapshots.map(({ resource, version }) => `${resource} ${version}`);
  return [turn.asked ?? "", turn.model, cost ? `$${cost}` : "", ...versions].filter(Boolean).join(", ");
}

function savedText(title: string, turns: QuestionState[]): string {
  const texts = turns.map((turn) => {
    const facts = factsOf(turn);
    return [turn.question.replace(/^/gm, "> "), markdownOf(turn), facts && `*${facts}*`].filter(Boolean).join("\n\n");
  });
  return [`# ${title.replace(/\s+/g, " ").slice(0, 80)}`, ...texts].join("\n\n") + "\n";
}

/** A file's name from a title. */
function fileName(title: string): string {
  const name = title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60);
  return `${name || "conversation"}.md`;
}

export function save(title: string, turns: QuestionState[]): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([savedText(title, turns)], { type: "text/markdown" }));
  link.download = fileName(title);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
