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

const MARK = /\[([^\[\]:\n]+):([^\[\]#\n]+)(?:#L(\d+)(?:-L?(\d+))?)?\]/g;

function isCited(citation: Citation, mark: RegExpMatchArray): boolean {
  const start = mark[3] ? Number(mark[3]) : undefined;
  const end = mark[4] ? Number(mark[4]) : start;
  return citation.resource === mark[1] && citation.path === mark[2] &&
    (start === undefined || (citation.startLine === start && citation.endLine === end));
}

/** Texts with their marks of citations as buttons. */
export function withCitations(questionId: string, citations: Citation[], ended: boolean) {
  return (text: string) => {
    const out = [];
    let from = 0;
    for (const mark of text.matchAll(MARK)) {
      out.push(text.slice(from, mark.index));
      from = mark.index + mark[0].length;
      const at = citations.findIndex((one) => isCited(one, mark));
      if (at < 0) out.push(<span class="cite pending">{plain(mark[0].slice(1, -1))}</span>);
      else out.push(<CiteButton questionId={questionId} number={at + 1} citation={citations[at]} />);
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
