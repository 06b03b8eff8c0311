// The rail: conversations by day, a search in them, and the other views.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { api, isForTokens, Service, ThreadSummary } from "./api";
import { Icon } from "./icons";
import { dollars, Loaded, plain, useLoaded } from "./parts";
import { ThemeSwitch } from "./theme";

const DAY_MS = 86_400_000;

/** The heading under which a time stands, seen from `now`. */
export function dayOf(time: string, now = new Date()): string {
  const date = new Date(time);
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).valueOf();
  if (date.valueOf() >= midnight) return "Today";
  if (date.valueOf() >= midnight - DAY_MS) return "Yesterday";
  if (date.valueOf() >= midnight - 6 * DAY_MS) return date.toLocaleDateString(undefined, { weekday: "long" });
  if (date.getFullYear() === now.getFullYear()) return date.toLocaleDateString(undefined, { month: "long" });
  return date.toLocaleDateString(undefined, { month: "long", year: "numeric" });
}

function grouped(threads: ThreadSummary[]): [string, ThreadSummary[]][] {
  const groups = new Map<string, ThreadSummary[]>();
  for (const one of threads) {
    const day = dayOf(one.updated);
    groups.set(day, [...(groups.get(day) ?? []), one]);
  }
  return [...groups];
}

const MOST_READ = 200; // conversations whose texts are searched
const SHORTEST = 3;

/** The texts of conversations, read once a search needs them. */
function useTexts(threads: ThreadSummary[], isWanted: boolean): Map<string, string> {
  const [texts, setTexts] = useState(new Map<string, string>());
  useEffect(() => {
    if (!isWanted) return;
    let current = true;
    const read = async () => {
      for (const { id, updated } of threads.slice(0, MOST_READ)) {
        if (!current) return;
        if (texts.has(id + updated)) continue;
        const { turns } = await api.thread(id).catch(() => ({ turns: [] }));
        texts.set(id + updated, turns.map(({ question, answer }) => `${question}\n${answer}`).join("\n").toLowerCase());
        if (current) setTexts(new Map(texts));
      }
    };
    read();
    return () => void (current = false);
  }, [isWanted, threads]);
  return texts;
}

function RemoveButton({ thread, removed }: { thread: ThreadSummary; removed: () => void }) {
  const [asked, setAsked] = useState(false);
  const run = async () => {
    if (!asked) return setAsked(true);
    await api.removeThread(thread.id).catch(() => {});
    removed();
  };
  return (
    <button type="button" class={asked ? "remove asked" : "remove"} aria-label={`Remove ${thread.title}`} onClick={run} onBlur={() => setAsked(false)}>
      {asked ? "Remove it?" : "×"}
    </button>
  );
}

function Conversations({ threads, current, running }: { threads: Loaded<ThreadSummary[]>; current: string; running: string }) {
  const [wanted, setWanted] = useState("");
  const all = threads.value ?? [];
  const sought = wanted.trim().toLowerCase();
  const texts = useTexts(all, sought.length >= SHORTEST);
  const shown = useMemo(() => all.filter(({ id, title, updated }) =>
    title.toLowerCase().includes(sought) || (sought.length >= SHORTEST && texts.get(id + updated)?.includes(sought))), [all, sought, texts]);
  const place = useRef<HTMLDivElement>(null);
  const removed = (id: string) => {
    threads.reload();
    if (id === current) location.hash = "/ask";
    place.current?.focus();
  };
  return (
    <>
      <input class="find" id="wanted" type="search" aria-label="Search questions and answers" placeholder="Search questions, answers"
        value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} />
      <div class="list" ref={place} tabIndex={-1} role="region" aria-label="conversations">
        {threads.error !== undefined && <p class="quiet">The conversations cannot be read.</p>}
        {threads.value && shown.length === 0 && <p class="quiet">{all.length === 0 ? "Questions will stand here." : "None has this."}</p>}
        {grouped(shown).map(([name, group]) => (
          <section key={name} aria-label={name}>
            <h2>{name}</h2>
            <ul>
              {group.map((thread) => (
                <li key={thread.id}>
                  <a href={`#/c/${encodeURIComponent(thread.id)}`} title={plain(thread.title)} aria-current={thread.id === current ? "page" : undefined}>
                    {thread.id === running && "• "}{plain(thread.title)}
                  </a>
                  <RemoveButton thread={thread} removed={() => removed(thread.id)} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  );
}

/** The first day of this month, as the interface takes it. */
const thisMonth = () => `${new Date().toISOString().slice(0, 8)}01`;

function Links({ view, resources, round }: { view: string; resources?: number; round: number }) {
  const usage = useLoaded(async () => (isForTokens ? undefined : api.usage("day", thisMonth())), [round]);
  const ready = useLoaded(async () => (isForTokens ? undefined : api.ready()), [round, view]);
  const paid = usage.value?.total.costUsd ?? 0;
  const isOver = (usage.value?.unpricedCalls ?? 0) > 0; // calls without a price
  const spent = paid > 0 ? `${isOver ? "over " : ""}${dollars(paid)}` : isOver ? "unknown" : "";
  const isWell = ready.value?.problems.length === 0;
  const link = (name: string) => ({ href: `#/${name}`, "aria-current": view === name ? ("page" as const) : undefined });
  return (
    <div class="foot">
      <a {...link("resources")}>Resources <b>{resources}</b></a>
      {!isForTokens && <a {...link("costs")}>Costs <b>{spent}</b></a>}
      {!isForTokens && <a {...link("state")}>State {ready.value && <b class={isWell ? "good" : "bad"}>{isWell ? "● well" : "● look"}</b>}</a>}
      <ThemeSwitch />
    </div>
  );
}

/** The project of the caller's token that everything is about. */
function ProjectChooser({ caller, chosen, choose }: { caller: Service; chosen: string; choose: (name: string) => void }) {
  const { projects = [], project = "" } = caller;
  if (projects.length < 2) return project ? <span class="project">{project}</span> : null;
  return (
    <label class="project">
      Project
      <select value={chosen || project} onChange={(event) => choose(event.currentTarget.value)}>
        {projects.map((name) => <option value={name}>{name}</option>)}
      </select>
    </label>
  );
}

export function Rail(props: {
  view: string;
  caller: Service;
  threads: Loaded<ThreadSummary[]>;
  /** The conversation that is kept, its title, and whether it runs. */
  current: { thread: string; title: string; running: boolean };
  resources?: number;
  round: number;
  project: string;
  shown: boolean;
  choose: (project: string) => void;
}) {
  const { view, current, threads } = props;
  const isListed = threads.value?.some(({ id }) => id === current.thread);
  return (
    <nav class={props.shown ? "rail shown" : "rail"} aria-label="views" id="rail">
      <a class="brand" href="#/ask"><Icon name="quarry" size={22} /> Quarry</a>
      <a class="new" href="#/ask" aria-current={view === "ask" ? "page" : undefined}>New question <kbd>N</kbd></a>
      {current.title && !isListed && (
        <ul><li>
          <a href={`#/c/${encodeURIComponent(current.thread)}`} aria-current={view === "c" ? "page" : undefined}>
            {current.running && "• "}{plain(current.title)}
          </a>
        </li></ul>
      )}
      {isForTokens
        ? <div class="list" />
        : <Conversations threads={threads} current={view === "c" ? current.thread : ""} running={current.running ? current.thread : ""} />}
      <ProjectChooser caller={props.caller} chosen={props.project} choose={props.choose} />
      <Links view={view} resources={props.resources} round={props.round} />
    </nav>
  );
}
