// A conversation: its turns, and the box for the next question.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { api, ApiError, isForTokens, Resource, Turn } from "./api";
import { Acts, Answer } from "./answer";
import { useRight } from "./caller";
import { OpenCitation, Opened } from "./citation";
import { Composer, MOST_SCOPE } from "./composer";
import { Failure, plain } from "./parts";
import { follow, hasEnded, newQuestion, QuestionState, storedQuestion } from "./question";
import { go } from "./route";
import { save } from "./saved";
import { SourcePane } from "./source";
import { FirstQuestions } from "./suggestions";

const STOPPED = "The question was stopped before it was asked.";
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
  return { begin: () => (following.current = true), leave: () => (following.current = false) };
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
  /** The question that the address names; it is brought into view with each new `visit`. */
  questionId?: string;
  visit: number;
  resources: { value?: Resource[]; error?: unknown };
  /** Resources to ask, from elsewhere in the page. */
  scope: string[];
  isShown: boolean;
  /** That of the list, which may be renamed; empty while it has none. */
  title: string;
  /** The list of conversations is to be read again; `title` is that of this one. */
  changed: (title: string, isRunning: boolean) => void;
}) {
  const { thread, isNew, isShown } = props;
  const [turns, setTurns] = useState<QuestionState[]>([]);
  const [isLoading, setLoading] = useState(!isNew);
  const [error, setError] = useState<unknown>();
  const [opened, setOpened] = useState<Opened>();
  const [scope, setScope] = useState<string[]>(props.scope);
  const [given, setGiven] = useState({ text: "", number: 0 });
  const shown = useRef(isShown);
  shown.current = isShown;
  const opener = useRef<HTMLElement>(null!);
  const mayAdd = useRight("add");
  const closed = useRef(new AbortController());
  const asking = useRef<AbortController | undefined>(undefined); // of the last question; it has no id before its resources are ready
  const resources = props.resources.value ?? [];
  const last = turns[turns.length - 1];
  const running = last !== undefined && !hasEnded(last);
  const { begin: followEnd, leave: leaveEnd } = useFollowedEnd([turns], isShown);
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
        if (asking.current?.signal.aborted) api.stop(address).catch(setError); // it began at that moment
      }
      put(at, state);
    };
    try {
      await follow(begin, open, show, signal);
    } catch (failure) {
      if (signal.aborted) return;
      const hint = failure instanceof ApiError ? failure.hint : "";
      const text = asking.current?.signal.aborted ? STOPPED : failure instanceof Error ? failure.message : String(failure);
      setTurns((before) => before.map((one, i) => (i === at ? { ...one, failure: text, hint } : one)));
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
      let gone: unknown; // unless its first question runs
      const past = isForTokens ? [] : await api.thread(thread).then(({ turns: stored }) => stored, (failure): Turn[] => {
        if (!(failure instanceof ApiError) || failure.status !== 404) throw failure;
        gone = failure;
        return [];
      });
      if (signal.aborted) return;
      const { questionId } = props;
      if (gone && !questionId) throw gone;
      setTurns(past.map(storedQuestion));
      setScope(past[past.length - 1]?.resources ?? []);
      past.forEach((turn, at) => !turn.citations && at >= past.length - LIVE_TURNS && enrich(at, turn));
      if (!questionId || past.some((turn) => turn.questionId === questionId)) return;
      const begin = newQuestion("", questionId);
      setTurns((before) => [...before, begin]);
      watch(past.length, begin, (stop) => api.events(questionId, 0, stop).catch((failure) => {
        if (gone && failure instanceof ApiError && failure.status === 404) {
          setTurns([]);
          setError(gone);
        }
        throw failure;
      }));
    };
    if (!isNew) load().catch((failure) => !signal.aborted && setError(failure)).finally(() => !signal.aborted && setLoading(false));
    return () => closed.current.abort();
  }, []);

  // To the turn that the address names, once it is there and whenever the reader follows such an address. An answer
  // that grows is followed at its end, and a reader who returns from another view is where he was.
  const isComplete = turns.some((one) => one.id === props.questionId && hasEnded(one));
  const arrived = useRef({ visit: -1, isShown: true });
  useLayoutEffect(() => {
    if (turns.length === 0) return;
    const before = arrived.current;
    arrived.current = { visit: props.visit, isShown };
    if (!isShown || !before.isShown || before.visit === props.visit || !isComplete) return;
    leaveEnd();
    document.getElementById(`turn-${props.questionId}`)?.scrollIntoView();
  }, [props.visit, isShown, turns.length]);

  const title = turns[0]?.question ?? "";
  useEffect(() => props.changed(title, running), [title, running, turns.length]);

  const ask = (question: string, chosen: string[]) => {
    const before = turns[turns.length - 1]?.failure !== undefined && turns[turns.length - 1].question === question ? turns.slice(0, -1) : turns;
    const widens = chosen.length === 0 && before.some((one) => one.scope.length > 0);
    const asked = widens && resources.length <= MOST_SCOPE ? resources.map(({ name }) => name) : chosen;
    const begin = { ...newQuestion(question, "", chosen), asked: new Date().toISOString() };
    setTurns([...before, begin]);
    setScope(chosen);
    followEnd();
    const stopped = (asking.current = new AbortController());
    watch(before.length, begin, (signal) => {
      signal.addEventListener("abort", () => stopped.abort());
      const past = isForTokens ? { history: historyOf(before) } : { thread };
      return api.ask({ question, ...past, ...(asked.length > 0 && { resources: asked }) }, stopped.signal);
    });
  };
  const stop = () => {
    if (last?.id) api.stop(last.id).catch(setError);
    else asking.current?.abort(); // the server stops what nobody reads
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
        {turns.map((state, i) => <Answer key={i} state={state} thread={isForTokens ? undefined : thread} acts={acts} isLast={i === turns.length - 1 && !running} />)}
        {turns.length > 0 && !running && (
          <p class="notes quiet"><button type="button" onClick={() => save(props.title || title, turns)}>Save as Markdown</button></p>
        )}
        <div class="notes">{failures}</div>
        {!isLoading && ( // a turn that was asked before would be replaced by those that come
          <div class="dock">{composer(scope.length === 1 ? `Ask a follow-up about ${plain(scope[0])}…` : "Ask a follow-up…")}</div>
        )}
      </div>
      {opened && isShown && (
        <SourcePane opened={opened} turnTo={(number) => setOpened({ ...opened, number })} close={closeCitation} />
      )}
    </OpenCitation.Provider>
  );
}
