// The lines that a citation cites, in the margin or in a drawer.

import { useEffect, useRef } from "preact/hooks";

import { isForTokens } from "./api";
import { linesOf } from "./cited_lines";
import { kindOf, linesText, Misquoted, Opened, reasonOf, STATES } from "./citation";
import { highlightedLines, languageOf } from "./highlight";
import { Icon } from "./icons";
import { CopyButton, plain, short, useLoaded, Waiting } from "./parts";
import { fileAddress } from "./route";

/** Lines of a file, those from `start` to `end` marked and in view. */
export function LinesTable({ path, firstLine, lines, start, end }: { path: string; firstLine: number; lines: string[]; start: number; end: number }) {
  const cited = useRef<HTMLTableRowElement>(null);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Not scrollIntoView, which would move the page too.
    const row = cited.current;
    if (row) place.current!.scrollTop = row.offsetTop - place.current!.clientHeight / 3;
  }, [lines, start]);
  const pieces = highlightedLines(lines, languageOf(path));
  return (
    <div class="lines" ref={place} tabIndex={0} role="region" aria-label="lines">
      <table>
        <tbody>
          {pieces.map((line, i) => {
            const number = firstLine + i;
            return (
              <tr class={number >= start && number <= end ? "cited" : ""} ref={number === start ? cited : undefined}>
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

const isWeb = (url?: string) => url !== undefined && /^https?:/.test(url);

export function SourcePane(props: { opened: Opened; turnTo: (number: number) => void; close: () => void }) {
  const { opened, turnTo, close } = props;
  const { number, citations } = opened;
  const citation = citations[number - 1];
  const loaded = useLoaded(() => linesOf(opened), [opened.questionId, number]);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus({ preventScroll: true }), [opened.questionId]);
  const kind = kindOf(citation);
  const source = loaded.value?.startLine === citation.startLine && loaded.value.path === citation.path ? loaded.value : undefined;
  const citedText = () => source?.lines.slice(citation.startLine - source.firstLine, citation.endLine - source.firstLine + 1).join("\n") ?? "";
  return (
    <section class="source" aria-label="cited source">
      <header>
        <div>
          <h2>{plain(citation.path)} <span>{linesText(citation)}</span></h2>
          <button type="button" class="icon" ref={button} onClick={close} aria-label="Close the source"><Icon name="close" size={16} /></button>
        </div>
        <p class="facts">
          <span class={`pill ${kind}`}>{kind === "good" && "✓ "}{STATES[kind]}</span>
          <span>{plain(citation.resource)}{citation.version && ` at ${short(citation.version)}`}</span>
        </p>
      </header>
      {kind !== "good" && (
        <div class="said">
          {reasonOf(citation)}
          {citation.misquotation && <Misquoted misquotation={citation.misquotation} />}
        </div>
      )}
      {loaded.value !== undefined && source === undefined ? null : (
        <Waiting loaded={loaded}>
          {({ lines, firstLine }) => lines.length > 0
            ? <LinesTable path={citation.path} firstLine={firstLine} lines={lines} start={citation.startLine} end={citation.endLine} />
            : !citation.misquotation && kind !== "warn" && <p>No lines could be found for it.</p>}
        </Waiting>
      )}
      <footer>
        {!isForTokens && kind !== "warn" && <a href={fileAddress(citation.resource, citation.path, citation.startLine, citation.endLine)}>Open file</a>}
        {isWeb(citation.url) && <a href={citation.url} target="_blank" rel="noopener noreferrer">At the source</a>}
        {source && source.lines.length > 0 && <CopyButton text={citedText} label="Copy the cited lines" />}
        <span class="turning">
          <button type="button" class="icon" disabled={number === 1} onClick={() => turnTo(number - 1)} aria-label="Citation before">‹</button>
          {number} of {citations.length}
          <button type="button" class="icon" disabled={number === citations.length} onClick={() => turnTo(number + 1)} aria-label="Citation after">›</button>
        </span>
      </footer>
    </section>
  );
}
