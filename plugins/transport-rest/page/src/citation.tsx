// Citations in an answer, and the pane that shows what they cite.

import { createContext } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";

import { api, ApiError, Citation, Source } from "./api";
import { highlightedLines, languageOf } from "./highlight";
import { plain, useLoaded, Waiting } from "./parts";

/** A citation that has been opened. */
export interface Opened {
  questionId: string;
  number: number; // from 1
  citation: Citation;
}

export const OpenCitation = createContext<(opened: Opened) => void>(() => {});

// "[name:path#L1-L2]"; several places may share the brackets.
const MARKS = /\[([^\[\]\n]{3,2000})\]/g;
const PLACE = /^([^:]+):([^#]+)(?:#L(\d+)(?:-L?(\d+))?)?$/;

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A name as names are compared: without "@" and in lower case. */
const bare = (name: string) => name.replace(/^@/, "").toLowerCase();

/** The index of the citation that a place in an answer stands for; -1 if it is none. */
function indexOf(citations: Citation[], place: string): number {
  const found = PLACE.exec(place);
  if (!found) return -1;
  const [, resource, path, first, last = first] = found;
  return citations.findIndex((one) =>
    bare(one.resource) === bare(resource) &&
    (one.path === path || one.path === decoded(path)) &&
    (!first || (one.startLine === Number(first) && one.endLine === Number(last))));
}

/** Texts with their citations as buttons; before they are known, as what the model wrote. */
export function withCitations(questionId: string, citations: Citation[], ended: boolean) {
  return (text: string) => {
    const out = [];
    let from = 0;
    for (const mark of text.matchAll(MARKS)) {
      const places = mark[1].split(", ");
      const indexes = places.map((place) => indexOf(citations, place));
      const isPending = !ended && places.every((place) => PLACE.test(place));
      if (!isPending && indexes.every((at) => at < 0)) continue;
      out.push(text.slice(from, mark.index));
      from = mark.index + mark[0].length;
      indexes.forEach((at, i) => out.push(at < 0
        ? <span class="cite pending">{plain(places[i])}</span>
        : <CiteButton questionId={questionId} number={at + 1} citation={citations[at]} />));
    }
    return from === 0 ? text : [...out, text.slice(from)];
  };
}

export function placeOf({ resource, path, startLine, endLine }: Citation): string {
  const lines = startLine ? `:${startLine}${endLine > startLine ? `-${endLine}` : ""}` : "";
  return plain(`${resource}/${path}`) + lines;
}

export function CiteButton(props: Opened) {
  const open = useContext(OpenCitation);
  const { citation } = props;
  const state = citation.verified ? "verified" : "not verified";
  return (
    <button type="button" class={`cite ${citation.verified ? "good" : "bad"}`} onClick={() => open(props)}
      title={`${placeOf(citation)} (${state})`} aria-label={`Citation ${props.number}, ${placeOf(citation)}, ${state}`}>
      {props.number}
    </button>
  );
}

/** The cited lines; of a question that the server has forgotten, those of today. */
async function load({ questionId, number, citation }: Opened): Promise<Source> {
  try {
    return await api.source(questionId, number);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw new Error(
      citation.url
        ? "The server no longer keeps what this question cited. The link leads to the source."
        : "The server no longer keeps what this question cited.",
    );
  }
}

function Lines({ source }: { source: Source }) {
  const cited = useRef<HTMLTableRowElement>(null);
  useEffect(() => cited.current?.scrollIntoView({ block: "center" }), [source]);
  const lines = highlightedLines(source.lines, languageOf(source.path));
  return (
    <div class="lines" tabIndex={0} role="region" aria-label="lines">
      <table>
        <tbody>
          {lines.map((line, i) => {
            const number = source.firstLine + i;
            const inside = number >= source.startLine && number <= source.endLine;
            return (
              <tr class={inside ? "cited" : ""} ref={number === source.startLine ? cited : undefined}>
                <td class="number" data-number={number} />
                <td><code>{line}</code></td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

export function SourcePane({ opened, close }: { opened: Opened; close: () => void }) {
  const { citation } = opened;
  const loaded = useLoaded(() => load(opened), [opened.questionId, opened.number]);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), [opened]);
  return (
    <aside class="source" aria-label="cited source" onKeyDown={(event) => event.key === "Escape" && close()}>
      <header>
        <h2 title={placeOf(citation)}>{placeOf(citation)}</h2>
        <button type="button" ref={button} onClick={close} aria-label="Close the source">×</button>
      </header>
      <p class="facts">
        <span class={citation.verified ? "good" : "bad"}>{citation.verified ? "verified" : "not verified"}</span>
        {citation.version && <span title={citation.version}>{plain(citation.version).slice(0, 12)}</span>}
        {citation.url && /^https?:/.test(citation.url) && (
          <a href={citation.url} target="_blank" rel="noopener noreferrer">at the source</a>
        )}
      </p>
      <Waiting loaded={loaded}>
        {(source) => (source.lines.length > 0 ? <Lines source={source} /> : <p>No lines could be found for it.</p>)}
      </Waiting>
    </aside>
  );
}
