// The rail: conversations by day, a search in them, and the other views.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { api, isForTokens, Service, ThreadSummary } from "./api";
import { Icon } from "./icons";
import { dollars, Failure, Loaded, plain, useLoaded } from "./parts";
import { MARKS } from "./question";
import { addressOf } from "./route";
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

const SHORTEST = 2; // letters that the server is asked for
const FIRST_SHOWN = 100; // conversations

/** Waits for a request; false if it failed, which is shown above the list. */
type Act = (request: Promise<unknown>) => Promise<boolean>;

function RemoveButton({ thread, act, removed }: { thread: ThreadSummary; act: Act; removed: () => void }) {
  const [asked, setAsked] = useState(false);
  const run = async () => {
    if (!asked) return setAsked(true);
    if (await act(api.removeThread(thread.id))) removed();
  };
  return (
    <button type="button" class={asked ? "remove asked" : "remove"} aria-label={`Remove ${thread.title}`} onClick={run} onBlur={() => setAsked(false)}>
      {asked ? "Remove it?" : "×"}
    </button>
  );
}

/** A conversation of the list: a link to it, and to the turn in which what is sought was found. */
function Entry(props: { thread: ThreadSummary; isCurrent: boolean; isRunning: boolean; act: Act; changed: () => void; removed: () => void }) {
  const { thread, isCurrent, isRunning, act, changed } = props;
  const [title, setTitle] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), [title === undefined]);
  const match = thread.matches?.[0];
  const address = match ? addressOf(thread.id, match.questionId) : `#/c/${encodeURIComponent(thread.id)}`;
  const rename = async () => {
    setTitle(undefined);
    if (!title?.trim() || title === thread.title) return;
    if (await act(api.renameThread(thread.id, title))) changed();
  };
  if (title !== undefined) {
    return (
      <li>
        <form onSubmit={(event) => { event.preventDefault(); rename(); }}>
          <input ref={field} value={title} aria-label="Title" maxLength={80} onInput={(event) => setTitle(event.currentTarget.value)}
            onBlur={() => setTitle(undefined)} onKeyDown={(event) => event.key === "Escape" && (event.preventDefault(), setTitle(undefined))} />
        </form>
      </li>
    );
  }
  return (
    <li>
      <a href={address} title={plain(thread.title)} aria-current={isCurrent ? "page" : undefined}>
        {isRunning && "• "}{plain(thread.title)}
        {match && <small>{plain(match.snippet.replace(MARKS, "").replace(/`/g, ""))}</small>}
      </a>
      <span class="do">
        <button type="button" aria-label={`Rename ${thread.title}`} onClick={() => setTitle(thread.title)}><Icon name="pen" size={13} /></button>
        <RemoveButton thread={thread} act={act} removed={props.removed} />
      </span>
    </li>
  );
}

function Conversations({ threads, current, running }: { threads: Loaded<ThreadSummary[]>; current: string; running: string }) {
  const [wanted, setWanted] = useState("");
  const all = threads.value ?? [];
  const sought = wanted.trim().toLowerCase();
  const found = useLoaded(async () => (sought.length < SHORTEST ? [] : api.threads(sought)), [sought, threads.value]);
  const shown = useMemo(() => {
    if (!sought) return all;
    const matched = new Map((found.value ?? []).map((one) => [one.id, one]));
    return all.map((one) => matched.get(one.id) ?? one).filter((one) => matched.has(one.id) || one.title.toLowerCase().includes(sought));
  }, [threads.value, sought, found.value]);
  const [isWhole, setIsWhole] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const act: Act = (request) => request.then(() => (setFailure(undefined), true), (error) => (setFailure(error), false));
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
        {found.error !== undefined && <Failure error={found.error} />}
        {failure !== undefined && <Failure error={failure} />}
        {threads.value && shown.length === 0 && <p class="quiet">{all.length === 0 ? "Questions will stand here." : "None has this."}</p>}
        {grouped(isWhole ? shown : shown.slice(0, FIRST_SHOWN)).map(([name, group]) => (
          <section key={name} aria-label={name}>
            <h2>{name}</h2>
            <ul>
              {group.map((thread) => (
                <Entry key={thread.id} thread={thread} isCurrent={thread.id === current} isRunning={thread.id === running}
                  act={act} changed={threads.reload} removed={() => removed(thread.id)} />
              ))}
            </ul>
          </section>
        ))}
        {!isWhole && shown.length > FIRST_SHOWN && <button type="button" onClick={() => setIsWhole(true)}>Earlier ones</button>}
      </div>
    </>
  );
}

/** The first day of this month, as the interface takes it. */
const thisMonth = () => `${new Date().toISOString().slice(0, 8)}01`;

function Links({ view, resources, round }: { view: string; resources?: number; round: number }) {
  const usage = useLoaded(async () => (isForTokens ? undefined : api.usage("day", thisMonth())), [round]);
  const config = useLoaded(async () => (isForTokens ? undefined : api.config()), [round]);
  const ready = useLoaded(async () => (isForTokens ? undefined : api.ready()), [round, view]);
  const paid = usage.value?.total.costUsd ?? 0;
  const isOver = (usage.value?.unpricedCalls ?? 0) > 0; // calls without a price
  const budget = config.value?.monthlyBudgetUsd;
  const amount = paid > 0 ? `${isOver ? "over " : ""}${dollars(paid)}` : isOver ? "unknown" : budget ? "$0" : "";
  const spent = budget ? `${amount} of ${dollars(Number(budget))}` : amount;
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
