// Citations in an answer: small numbers, a card while one is pointed at, and the sources as cards.

import { createContext } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";

import { Citation, Misquotation } from "./api";
import { linesOf } from "./cited_lines";
import { Icon } from "./icons";
import { counted, plain, short } from "./parts";
import { decoded, hasEnded, MARKS, PLACE, placesIn, QuestionState } from "./question";

/** A citation that has been opened, among those of its answer. */
export interface Opened {
  questionId: string;
  number: number; // from 1
  citations: Citation[];
}

export const OpenCitation = createContext<{ opened?: Opened; open: (opened: Opened, from: HTMLElement) => void }>({ open: () => {} });

/** The citations of the answer around; while it grows, `expected` are the places in the order of their numbers. */
interface Cited {
  questionId: string;
  citations: Citation[];
  expected: string[];
  ended: boolean;
}

export const CitedContext = createContext<Cited>({ questionId: "", citations: [], expected: [], ended: true });

/** The same object as long as nothing of it has changed, so that the text is not drawn again with each token. */
export function useCited(state: QuestionState): Cited {
  const ended = hasEnded(state);
  const expected = ended || state.citations.length > 0 ? "" : placesIn(state.text).join("\n");
  return useMemo(
    () => ({ questionId: state.id, citations: state.citations, expected: expected.split("\n"), ended }),
    [state.id, state.citations, expected, ended],
  );
}

/** A name as names are compared: without "@" and in lower case. */
const bare = (name: string) => name.replace(/^@/, "").toLowerCase();

/** The index of the citation that a place in an answer stands for; -1 if it is none. */
export function indexOf(citations: Citation[], place: string): number {
  const found = PLACE.exec(place);
  if (!found) return -1;
  const [, resource, path, first, last = first] = found;
  return citations.findIndex((one) =>
    bare(one.resource) === bare(resource) &&
    (one.path === path || one.path === decoded(path)) &&
    (!first || (one.startLine === Number(first) && one.endLine === Number(last))));
}

/** A text without its last word, and that word if a line may hold it with the number after it. */
function beforeNumber(text: string): [string, string] {
  const [, head, word] = /^([^]*?)(\S{0,24}) ?$/.exec(text)!;
  return head === "" || /\s$/.test(head) ? [head, word] : [head + word, ""];
}

/** What stands for "[place, place]" after `before`: numbers, or the text if it cites nothing. */
function Mark({ before, text, places }: { before: string; text: string; places: string[] }) {
  const { questionId, citations, expected, ended } = useContext(CitedContext);
  const indexes = places.map((place) => indexOf(citations, place));
  const isPending = !ended && places.every((place) => PLACE.exec(place)?.[3]);
  if (!isPending && indexes.every((at) => at < 0)) return <>{before}{plain(text)}</>;
  const [head, word] = beforeNumber(before);
  return (
    <>
      {head}
      <span class="joined">
        {word}
        {indexes.map((at, i) => at < 0
          ? <span class="cite pending" title={plain(places[i])}>{expected.indexOf(places[i]) + 1 || "?"}</span>
          : <CiteNumber questionId={questionId} number={at + 1} citations={citations} />)}
      </span>
    </>
  );
}

/** Texts with their citations as numbers. */
export function withCitations(text: string) {
  const out = [];
  let from = 0;
  for (const mark of text.matchAll(MARKS)) {
    const places = mark[1].split(", ");
    if (!places.some((place) => PLACE.test(place))) continue;
    out.push(<Mark before={text.slice(from, mark.index)} text={mark[0]} places={places} />);
    from = mark.index + mark[0].length;
  }
  return from === 0 ? text : [...out, text.slice(from)];
}

/** The place that a text is alone the citation of. */
export function onlyPlaceOf(text: string): string | undefined {
  const found = /^\[([^\[\]\n]{3,2000})\]$/.exec(text.trim());
  return found && PLACE.exec(found[1])?.[3] ? found[1] : undefined;
}

export function useCitationOf(place: string): { cited: Cited; index: number } {
  const cited = useContext(CitedContext);
  return { cited, index: indexOf(cited.citations, place) };
}

export function linesText({ startLine, endLine }: Citation): string {
  if (!startLine) return "";
  return endLine > startLine ? `lines ${startLine}–${endLine}` : `line ${startLine}`;
}

export function placeOf({ resource, path, startLine, endLine }: Citation): string {
  const lines = startLine ? `:${startLine}${endLine > startLine ? `-${endLine}` : ""}` : "";
  return plain(`${resource}/${path}`) + lines;
}

export function kindOf({ verified, misquotation, unchecked }: Citation): "good" | "warn" | "bad" | "old" {
  if (verified) return "good";
  if (unchecked) return "old";
  return misquotation ? "bad" : "warn";
}

export const STATES = { good: "verified", warn: "not verified", bad: "false quotation", old: "not checked again" };

/** Why a citation counts as it does, in a sentence. */
export function reasonOf(citation: Citation): string {
  switch (kindOf(citation)) {
    case "good":
      return citation.startLine ? "These lines exist, and what the answer quotes stands in them." : "This file exists.";
    case "bad":
      return "The answer quotes what does not stand in these lines.";
    case "old":
      return "The server kept no check of this answer.";
    default:
      return "No such lines were found in what was asked.";
  }
}

export function Misquoted({ misquotation: { quoted, nearest } }: { misquotation: Misquotation }) {
  return (
    <dl>
      <dt>The answer quotes</dt><dd class="quote">{quoted}</dd>
      {nearest ? <><dt>There stands</dt><dd class="there">{nearest}</dd></> : <dt>Nothing there is like it.</dt>}
    </dl>
  );
}

const SHOWN_LINES = 3;
const CARD_HEIGHT = 190;

/** Over the text, beside the number that is pointed at. */
function HoverCard({ opened, at }: { opened: Opened; at: DOMRect }) {
  const citation = opened.citations[opened.number - 1];
  const [lines, setLines] = useState<string[]>();
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let current = true;
    linesOf(opened).then(
      (source) => {
        if (!current) return;
        const from = Math.max(0, source.startLine - source.firstLine);
        setLines(source.lines.slice(from, from + SHOWN_LINES));
      },
      () => current && setLines([]),
    );
    return () => void (current = false);
  }, []);
  useEffect(() => {
    const { style, offsetWidth } = card.current!;
    style.left = `${Math.max(12, Math.min(at.left - 24, innerWidth - offsetWidth - 12))}px`;
    if (at.bottom + CARD_HEIGHT < innerHeight) style.top = `${at.bottom + 6}px`;
    else style.bottom = `${innerHeight - at.top + 6}px`;
  }, []);
  const kind = kindOf(citation);
  return (
    <div class="hover" ref={card} role="tooltip">
      <strong>{plain(citation.path)}</strong> <span class="quiet">{linesText(citation)}</span>
      {citation.misquotation
        ? <p class="bad">“{citation.misquotation.quoted.slice(0, 120)}” does not stand there.</p>
        : lines?.length !== 0 && <pre>{lines ? lines.map((line) => line.slice(0, 120)).join("\n") : " "}</pre>}
      <p class={kind === "old" ? "quiet" : kind}>{STATES[kind]}. <span class="quiet">{reasonOf(citation)}</span></p>
    </div>
  );
}

export function CiteNumber(props: Opened) {
  const { opened, open } = useContext(OpenCitation);
  const [at, setAt] = useState<DOMRect>();
  const button = useRef<HTMLButtonElement>(null);
  const citation = props.citations[props.number - 1];
  const kind = kindOf(citation);
  const isOpened = opened?.questionId === props.questionId && opened.number === props.number;
  const show = () => setAt(button.current!.getBoundingClientRect());
  const hide = () => setAt(undefined);
  return (
    <>
      <button type="button" ref={button} class={`cite ${kind}`} aria-expanded={isOpened}
        aria-label={`Citation ${props.number}, ${placeOf(citation)}, ${STATES[kind]}`}
        onClick={() => { hide(); open(props, button.current!); }} onMouseEnter={show} onMouseLeave={hide}
        onFocus={() => button.current!.matches(":focus-visible") && show()} onBlur={hide}>
        {props.number}
      </button>
      {at && <HoverCard opened={props} at={at} />}
    </>
  );
}

function SourceRow(props: Opened) {
  const { opened, open } = useContext(OpenCitation);
  const button = useRef<HTMLButtonElement>(null);
  const citation = props.citations[props.number - 1];
  const kind = kindOf(citation);
  const why = kind === "bad" ? `does not say “${citation.misquotation!.quoted.slice(0, 32)}”` : kind === "warn" ? "not verified: no such lines" : STATES[kind];
  return (
    <button type="button" ref={button} class={`cite ${kind}`} onClick={() => open(props, button.current!)}
      aria-expanded={opened?.questionId === props.questionId && opened.number === props.number}>
      <span class="number"><span class="hidden">Citation </span>{props.number}</span> <span>{linesText(citation) || "whole file"} · <span class="why">{why}</span></span>
    </button>
  );
}

const MOST_FILES = 12;

export function Sources({ state }: { state: QuestionState }) {
  const [all, setAll] = useState(false);
  const { citations } = state;
  if (citations.length === 0) return null;
  const files = new Map<string, number[]>();
  citations.forEach(({ resource, path }, i) => {
    const key = `${resource}\n${path}`;
    files.set(key, [...(files.get(key) ?? []), i + 1]);
  });
  const shown = [...files.values()].slice(0, all ? undefined : MOST_FILES);
  const versionOf = (name: string) => state.snapshots.find(({ resource }) => resource === name);
  return (
    <aside class="sources" aria-label={`sources of the answer to ${state.question.slice(0, 80)}`}>
      <h3>Sources</h3>
      {shown.map((numbers) => {
        const { resource, path, version } = citations[numbers[0] - 1];
        const at = short(version ?? versionOf(resource)?.version ?? "");
        return (
          <div class="file">
            <b><Icon name="file" size={15} /> {plain(path)}</b>
            <small>{plain(resource)}{at && ` at ${at}`}</small>
            {numbers.map((number) => <SourceRow questionId={state.id} number={number} citations={citations} />)}
          </div>
        );
      })}
      {shown.length < files.size && (
        <button type="button" class="plainly" onClick={() => setAll(true)}>{counted(files.size - shown.length, "more file")}</button>
      )}
    </aside>
  );
}
