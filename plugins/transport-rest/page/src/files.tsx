// The files of a resource: folders, a file with its lines, and what it defines.

import { useEffect, useState } from "preact/hooks";

import { api, Entry, Hit } from "./api";
import { Icon } from "./icons";
import { counted, Failure, plain, short, useLoaded, Waiting } from "./parts";
import { fileAddress } from "./route";
import { LinesTable } from "./source";

const MOST_LINES = 2000; // that the interface reads at once
const MOST_ENTRIES = 1000;

function Crumbs({ resource, path }: { resource: string; path: string }) {
  const parts = path.split("/").filter(Boolean);
  return (
    <nav class="crumbs" aria-label="place">
      <a href="#/resources">Resources</a> /
      <a href={fileAddress(resource, "")}>{plain(resource)}</a>
      {parts.map((part, i) => <> / <a href={fileAddress(resource, parts.slice(0, i + 1).join("/"))}>{plain(part)}</a></>)}
    </nav>
  );
}

function sizeOf({ kind, lines, files }: Entry): string {
  return kind === "file" ? (lines === undefined ? "" : counted(lines, "line")) : files === undefined ? "" : counted(files, "file");
}

function Folder({ resource, entries }: { resource: string; entries: Entry[] }) {
  if (entries.length === 0) return <p>There is nothing in it.</p>;
  return (
    <ul class="entries">
      {entries.map((entry) => {
        const path = entry.path.slice(resource.length + 1).replace(/\/$/, "");
        return (
          <li key={entry.path}>
            <a href={fileAddress(resource, path)}>
              <Icon name={entry.kind === "file" ? "file" : "folder"} size={16} /> {plain(path.slice(path.lastIndexOf("/") + 1))}
              <small>{sizeOf(entry)}</small>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

function Outline({ resource, path }: { resource: string; path: string }) {
  const [hits, setHits] = useState<Hit[]>([]);
  useEffect(() => {
    const closed = new AbortController();
    api.find("symbols", { path: `${resource}/${path}`, limit: 200, maxTokens: 8000 }, closed.signal).then(setHits, () => {});
    return () => closed.abort();
  }, [resource, path]);
  if (hits.length === 0) return null;
  return (
    <nav aria-label="outline">
      <ul class="outline">
        {hits.map(({ heading = "", startLine }) => (
          <li>
            <a href={fileAddress(resource, path, startLine)}>
              {plain(heading.replace(/^heading .*?([^.]*)$/, "$1") || heading)} <small>{startLine}</small>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function File({ resource, path, first, last }: { resource: string; path: string; first: number; last: number }) {
  // A file of more lines is shown around those that are marked.
  const from = first > MOST_LINES / 2 ? first - MOST_LINES / 2 : 1;
  const loaded = useLoaded(() => api.lines(resource, path, from, from + MOST_LINES - 1), [resource, path, from]);
  return (
    <Waiting loaded={loaded}>
      {({ lines, startLine, total, version }) => (
        <>
          <p class="facts"><span>{counted(total, "line")}</span><span>at {short(version)}</span>
            {lines.length < total && <span>lines {startLine}–{startLine + lines.length - 1} are shown</span>}</p>
          <div class="browse">
            <LinesTable path={path} firstLine={startLine} lines={lines} start={first} end={last} />
            <Outline resource={resource} path={path} />
          </div>
        </>
      )}
    </Waiting>
  );
}

/** `route`: the resource, lines as "L5-7" or "-", and the parts of the path. */
export function Files({ route }: { route: string[] }) {
  const [resource = "", lines = "-", ...parts] = route;
  const path = parts.join("/");
  const [, first = "0", last = first] = /^L(\d+)(?:-(\d+))?$/.exec(lines) ?? [];
  const isMarked = first !== "0";
  const entries = useLoaded(
    async () => (isMarked ? [] : api.list({ path: path ? `${resource}/${path}` : `${resource}/`, limit: MOST_ENTRIES, maxTokens: 8000 }).catch(() => undefined)),
    [resource, path, isMarked],
  );
  return (
    <>
      <h1 class="hidden">{plain(path || resource)}</h1>
      <p><button type="button" class="plainly back" onClick={() => history.back()}>‹ Back</button></p>
      <Crumbs resource={resource} path={path} />
      {isMarked || (entries.error === undefined && "value" in entries && entries.value === undefined && path)
        ? <File resource={resource} path={path} first={Number(first)} last={Number(last)} />
        : entries.value ? <Folder resource={resource} entries={entries.value} />
        : entries.error !== undefined ? <Failure error={entries.error} /> : <p class="quiet" role="status">Loading…</p>}
    </>
  );
}
