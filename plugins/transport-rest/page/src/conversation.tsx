// A conversation: its turns, and the box for the next question.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { api, ApiError, isForTokens, Resource, Thread, Turn } from "./api";
import { Acts, Answer, markdownOf } from "./answer";
import { useRight } from "./caller";
import { OpenCitation, Opened } from "./citation";
import { Composer, MOST_SCOPE } from "./composer";
import { day, Failure, plain } from "./parts";
import { follow, hasEnded, newQuestion, QuestionState, storedQuestion } from "./question";
import { go } from "./route";
import { SourcePane } from "./source";
import { FirstQuestions } from "./suggestions";

const LIVE_TURNS = 10; // whose events are asked for again, newest first
const SENT_TURNS = 25; // the most that the interface takes

export function newThread(): string {
  return `page-${crypto.getRandomValues(new Uint32Array(3)).join("-")}`;
}

/** The earlier turns for the next question of a caller with a token, whose conversations are not stored. */
function historyOf(turns: QuestionState[]) {
  return turns.filter(({ done, text }) => done && text).slice(-SENT_TURNS).flatMap(({ question, text }) => [
    { role: "user", content: question },
    { role: "assistant", content: text },
  ]);
}

function savedText(turns: QuestionState[]): string {
  return turns.map((turn) => {
    const facts = [turn.model, ...turn.snapshots.map(({ resource, version }) => `${resource} at ${version.slice(0, 12)}`)].filter(Boolean).join(", ");
    return [`## ${turn.question}`, markdownOf(turn), facts && `_${facts}_`].filter(Boolean).join("\n\n");
  }).join("\n\n");
}

/** A file's name from what was asked. */
function fileName(question: string): string {
  const name = question.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60);
  return `${name || "conversation"}.md`;
}

function save(turns: QuestionState[]): void {
  const link = document.createElement("a");
  const text = `${savedText(turns)}\n\nAsked with Quarry, ${day(new Date().toISOString())}\n`;
  link.href = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
  link.download = fileName(turns[0].question);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const AT_END = 80; // pixels from the end that count as the end
const LEAVING_KEYS = new Set(["ArrowUp", "Home", "PageUp"]);

/** Keeps the end in view while text grows, unless the reader has scrolled up from it. */
function useFollowedEnd(inputs: unknown[], isShown: boolean) {
  const following = useRef(true);
  const toEnd = () => {
    if (following.current && isShown) window.scrollTo({ top: document.documentElement.scrollHeight });
  };
  useEffect(() => {
    if (!isShown) return;
    // Text that grows scrolls too, and where it gives way to something shorter the page moves up by itself. The event
    // of either comes when more has grown, so only a way up that the reader took, or a long one, leaves the end.
    let taken = -Infinity;
    let last = window.scrollY;
    const leave = (event: Event) => {
      if (event instanceof WheelEvent && event.deltaY >= 0) return;
      if (event instanceof KeyboardEvent && !LEAVING_KEYS.has(event.key)) return;
      if (event.type === "pointerdown" && event.target !== document.documentElement) return; // not the scroll bar
      taken = event.timeStamp;
    };
    const scrolled = (event: Event) => {
      const up = last - window.scrollY;
      last = window.scrollY;
      if (document.documentElement.scrollHeight - window.innerHeight - last <= (up > 0 ? 2 : AT_END)) following.current = true;
      else if (up > 0 && (event.timeStamp - taken < 1000 || up > window.innerHeight / 2)) following.current = false;
    };
    const closed = new AbortController();
    const options = { passive: true, signal: closed.signal };
    for (const type of ["wheel", "touchmove", "keydown", "pointerdown"]) window.addEventListener(type, leave, options);
    window.addEventListener("scroll", scrolled, options);
    const resized = new ResizeObserver(toEnd); // what comes later, as next questions do
    resized.observe(document.body);
    return () => {
      closed.abort();
      resized.disconnect();
    };
  }, [isShown]);
  // Before the frame is drawn, in which what is below the text would jump otherwise.
  useLayoutEffect(toEnd, inputs);
  return { begin: () => (following.current = true) };
}

/** The place in the page, taken up when the view is shown again. */
function useKeptPlace(isShown: boolean) {
  const at = useRef(0);
  useEffect(() => {
    if (!isShown) return;
    const keep = () => (at.current = window.scrollY);
    window.addEventListener("scroll", keep, { passive: true });
    return () => window.removeEventListener("scroll", keep);
  }, [isShown]);
  useLayoutEffect(() => {
    if (isShown) window.scrollTo({ top: at.current });
  }, [isShown]);
}

export function Conversation(props: {
  thread: string;
  isNew: boolean;
  questionId?: string;
  resources: { value?: Resource[]; error?: unknown };
  /** Resources to ask, from elsewhere in the page. */
  scope: string[];
  isShown: boolean;
  /** The list of conversations is to be read again; `title` is that of this one. */
  changed: (title: string, isRunning: boolean) => void;
}) {
  const { thread, isNew, isShown } = props;
  const [turns, setTurns] = useState<QuestionState[]>([]);
  const [error, setError] = useState<unknown>();
  const [opened, setOpened] = useState<Opened>();
  const [scope, setScope] = useState<string[]>(props.scope);
  const [given, setGiven] = useState({ text: "", number: 0 });
  const shown = useRef(isShown);
  shown.current = isShown;
  const opener = useRef<HTMLElement>(null!);
  const mayAdd = useRight("add");
  const closed = useRef(new AbortController());
  const resources = props.resources.value ?? [];
  const last = turns[turns.length - 1];
  const running = last !== undefined && !hasEnded(last);
  const { begin: followEnd } = useFollowedEnd([turns], isShown);
  useKeptPlace(isShown);

  const put = useCallback((at: number, state: QuestionState) => {
    setTurns((before) => before.map((one, i) => (i === at ? state : one)));
  }, []);

  const watch = useCallback(async (at: number, begin: QuestionState, open: Parameters<typeof follow>[1]) => {
    const { signal } = closed.current;
    let address = begin.id; // the question that the address names
    const show = (state: QuestionState) => {
      if (state.id !== address) {
        address = state.id;
        if (shown.current) go(`/c/${thread}/${address}`, { quietly: true });
      }
      put(at, state);
    };
    try {
      await follow(begin, open, show, signal);
    } catch (failure) {
      if (signal.aborted) return;
      const hint = failure instanceof ApiError ? failure.hint : "";
      setTurns((before) => before.map((one, i) =>
        (i === at ? { ...one, failure: failure instanceof Error ? failure.message : String(failure), hint } : one)));
    }
  }, []);

  /** Adds to a stored turn what its events tell, as long as the server has them. */
  const enrich = useCallback(async (at: number, turn: Turn) => {
    const begin = newQuestion(turn.question, turn.questionId, turn.resources ?? []);
    let state: QuestionState | undefined;
    await follow(begin, (stop) => api.events(turn.questionId, 0, stop), (next) => (state = next), closed.current.signal)
      .catch(() => undefined); // the turn stays as it was stored
    requestAnimationFrame(() => state?.done && put(at, state));
  }, []);

  useEffect(() => {
    const { signal } = closed.current;
    const load = async () => {
      const known = isForTokens ? undefined : await api.thread(thread).catch((failure): Thread | undefined => {
        if (failure instanceof ApiError && failure.status === 404) return undefined; // its first question runs
        throw failure;
      });
      if (signal.aborted) return;
      const past = known?.turns ?? [];
      setTurns(past.map(storedQuestion));
      setScope(past[past.length - 1]?.resources ?? []);
      past.forEach((turn, at) => !turn.citations && at >= past.length - LIVE_TURNS && enrich(at, turn));
      const { questionId } = props;
      if (!questionId || past.some((turn) => turn.questionId === questionId)) return;
      const begin = newQuestion("", questionId);
      setTurns((before) => [...before, begin]);
      watch(past.length, begin, (stop) => api.events(questionId, 0, stop));
    };
    if (!isNew) load().catch((failure) => !signal.aborted && setError(failure));
    return () => closed.current.abort();
  }, []);

  const title = turns[0]?.question ?? "";
  useEffect(() => props.changed(title, running), [title, running, turns.length]);

  const ask = (question: string, chosen: string[]) => {
    const before = turns[turns.length - 1]?.failure !== undefined && turns[turns.length - 1].question === question ? turns.slice(0, -1) : turns;
    const widens = chosen.length === 0 && before.some((one) => one.scope.length > 0);
    const asked = widens && resources.length <= MOST_SCOPE ? resources.map(({ name }) => name) : chosen;
    const begin = newQuestion(question, "", chosen);
    setTurns([...before, begin]);
    setScope(chosen);
    followEnd();
    watch(before.length, begin, (signal) => {
      const past = isForTokens ? { history: historyOf(before) } : { thread };
      return api.ask({ question, ...past, ...(asked.length > 0 && { resources: asked }) }, signal);
    });
  };
  const stop = () => {
    if (last?.id) api.stop(last.id).catch(setError);
  };
  const acts: Acts = {
    retry: (state) => !running && ask(state.question, state.scope),
    edit: (state) => {
      setScope(state.scope);
      setGiven(({ number }) => ({ text: state.question, number: number + 1 }));
    },
    next: (question) => !running && ask(question, scope),
  };
  const openCitation = useCallback((next: Opened, from: HTMLElement) => {
    opener.current = from;
    setOpened(next);
    // A drawer of a phone covers the lower part of the page; the number stays above it.
    if (innerWidth < 832 && from.getBoundingClientRect().bottom > innerHeight * 0.36) {
      window.scrollBy({ top: from.getBoundingClientRect().bottom - innerHeight * 0.32 });
    }
  }, []);
  const closeCitation = () => {
    setOpened(undefined);
    opener.current?.focus({ preventScroll: true });
  };
  useEffect(() => {
    if (!opened || !isShown) return;
    const key = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      closeCitation();
    };
    document.addEventListener("keydown", key);
    return () => document.removeEventListener("keydown", key);
  }, [opened, isShown]);

  const widest = turns.some((one) => one.scope.length > 0) && resources.length > MOST_SCOPE;
  const composer = (placeholder: string) => (
    <Composer running={running} resources={resources} scope={scope} given={given} asked={turns.map(({ question }) => question)}
      cannotWiden={widest} placeholder={placeholder} change={setScope} ask={ask} stop={stop} />
  );
  const failures = (
    <>
      {error !== undefined && <Failure error={error} />}
      {props.resources.error !== undefined && <Failure error={props.resources.error} />}
    </>
  );
  if (turns.length === 0 && isNew) {
    const hasNone = props.resources.value?.length === 0;
    return (
      <div class="first">
        <h1>What would you like to know?</h1>
        <p class="sub">Answers from your own sources. Every citation is checked against the lines it names.</p>
        {composer("Ask, type @ for files and symbols, or paste a link…")}
        {failures}
        {hasNone
          ? (mayAdd
            ? <p>No resource is configured yet. <a href="#/resources">Add one</a>, or paste a link to a repository above.</p>
            : <p>This project has no resource yet.</p>)
          : props.resources.value && isShown && <FirstQuestions resources={scope.length > 0 ? scope : resources.map(({ name }) => name)} ask={(question) => ask(question, scope)} />}
      </div>
    );
  }
  return (
    <OpenCitation.Provider value={{ opened, open: openCitation }}>
      <div class={opened ? "conversation opened" : "conversation"}>
        <h1 class="hidden">{title || "Conversation"}</h1>
        {turns.map((state, i) => <Answer key={i} state={state} acts={acts} isLast={i === turns.length - 1 && !running} />)}
        {turns.length > 0 && !running && (
          <p class="notes quiet"><button type="button" onClick={() => save(turns)}>Save as Markdown</button></p>
        )}
        <div class="notes">{failures}</div>
        <div class="dock">{composer(scope.length === 1 ? `Ask a follow-up about ${plain(scope[0])}…` : "Ask a follow-up…")}</div>
      </div>
      {opened && isShown && (
        <SourcePane opened={opened} turnTo={(number) => setOpened({ ...opened, number })} close={closeCitation} />
      )}
    </OpenCitation.Provider>
  );
}
