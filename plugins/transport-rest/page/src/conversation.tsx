// A conversation: its turns, and the box for the next question.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { api, ApiError, isForTokens, Resource, Thread, Turn } from "./api";
import { Answer } from "./answer";
import { useRight } from "./caller";
import { OpenCitation, Opened, placeOf, SourcePane } from "./citation";
import { mentioned, QuestionText } from "./mention";
import { Failure, plain, useLoaded } from "./parts";
import { follow, hasEnded, newQuestion, QuestionState } from "./question";
import { go } from "./route";

const LIVE_TURNS = 10; // whose events are asked for again, newest first
const SENT_TURNS = 25; // the most that the interface takes

function newThread(): string {
  return `page-${crypto.getRandomValues(new Uint32Array(3)).join("-")}`;
}

/** A stored turn, without what only its events tell. */
function stored(turn: Turn): QuestionState {
  return {
    ...newQuestion(turn.question, turn.questionId),
    text: turn.answer,
    done: { text: turn.answer, reasoning: "", tools: [], citations: [], finishReason: turn.finishReason ?? "", model: { provider: "", model: "" } },
  };
}

/** The earlier turns for the next question of a caller with a token, whose conversations are not stored. */
function historyOf(turns: QuestionState[]) {
  return turns.filter(({ done, text }) => done && text).slice(-SENT_TURNS).flatMap(({ question, text }) => [
    { role: "user", content: question },
    { role: "assistant", content: text },
  ]);
}

function markdownOf(turns: QuestionState[]): string {
  return turns
    .map((turn) => {
      const sources = turn.citations.map(
        (one, i) => `${i + 1}. ${one.url ? `[${placeOf(one)}](${one.url})` : placeOf(one)}${one.verified ? "" : " (not verified)"}`,
      );
      return [`## ${turn.question}`, turn.text, sources.join("\n")].filter(Boolean).join("\n\n");
    })
    .join("\n\n");
}

function save(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const REFERENCE = /^(https?:\/\/|[a-z]+:|\/|~\/)\S+$/;

/** Chips of what is asked about. */
function Chooser(props: { resources: Resource[]; chosen: string[]; change: (chosen: string[]) => void }) {
  const { resources, chosen, change } = props;
  const toggle = (name: string) =>
    change(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]);
  const references = chosen.filter((one) => !resources.some(({ name }) => name === one));
  return (
    <fieldset class="chooser">
      <legend>Ask about {chosen.length === 0 && <span class="quiet">(all resources)</span>}</legend>
      {resources.map(({ name, type }) => (
        <label class="chip" title={type}>
          <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
          {plain(name)}
        </label>
      ))}
      {references.map((reference) => (
        <label class="chip">
          <input type="checkbox" checked onChange={() => toggle(reference)} />
          {plain(reference)}
        </label>
      ))}
    </fieldset>
  );
}

/** What answers, and what a question may cost. */
function ModelLine() {
  const { value } = useLoaded(api.config);
  if (!value) return null;
  return (
    <p class="facts">
      <span>{plain([value.provider, value.model].filter(Boolean).join("/"))}</span>
      <span>{value.maxCostUsd ? `at most $${value.maxCostUsd} a question` : "no limit of cost"}</span>
      <a href="#/state">Change the model</a>
    </p>
  );
}

function QuestionBox(props: {
  running: boolean;
  resources: Resource[];
  ask: (question: string, chosen: string[]) => void;
  stop: () => void;
}) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<string[]>([]);
  const mayAdd = useRight("add");
  useEffect(() => {
    const box = () => document.getElementById("question");
    const shortcut = (event: KeyboardEvent) => {
      const typing = (event.target as HTMLElement).matches("input, textarea, select");
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        box()?.focus();
      }
    };
    document.addEventListener("keydown", shortcut);
    box()?.focus();
    return () => document.removeEventListener("keydown", shortcut);
  }, []);
  const send = () => {
    const question = text.trim();
    if (!question || props.running) return;
    props.ask(question, chosen);
    setText("");
  };
  const paste = async (event: ClipboardEvent) => {
    const reference = event.clipboardData?.getData("text").trim() ?? "";
    if (!REFERENCE.test(reference)) return;
    // What no plugin recognises stays a part of the question alone.
    const known = isForTokens ? mayAdd : await api.recognise(reference).catch(() => undefined);
    if (known) setChosen((before) => (before.includes(reference) ? before : [...before, reference]));
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && props.running) {
      props.stop();
    }
  };
  return (
    <form class="box" onSubmit={(event) => { event.preventDefault(); send(); }}>
      <QuestionText text={text} resources={props.resources} change={setText} paste={paste} pressed={key} />
      <Chooser resources={props.resources} chosen={chosen} change={setChosen} />
      <p class="buttons">
        {props.running
          ? <button type="button" onClick={props.stop}>Stop</button>
          : <button type="submit" class="main" disabled={!text.trim()}>Ask</button>}
        <span class="quiet">Enter asks, Shift+Enter begins a line, Esc stops, / returns here</span>
      </p>
      {!isForTokens && <ModelLine />}
    </form>
  );
}

const LEAVING_KEYS = new Set(["ArrowUp", "Home", "PageUp"]);

/** Keeps the end in view while text grows, unless the reader has scrolled away from it. */
function useFollowedEnd(inputs: unknown[]) {
  const following = useRef(true);
  useEffect(() => {
    // Growing text scrolls too, and its event comes when more has grown: only what a reader did leaves the end.
    let left = -Infinity;
    const leave = (event: Event) => {
      if (event instanceof WheelEvent && event.deltaY >= 0) return;
      if (event instanceof KeyboardEvent && !LEAVING_KEYS.has(event.key)) return;
      if (event.type === "pointerdown" && event.target !== document.documentElement) return; // not the scroll bar
      left = event.timeStamp;
    };
    const scrolled = (event: Event) => {
      const atEnd = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 80;
      if (atEnd) following.current = true;
      else if (event.timeStamp - left < 1000) following.current = false;
    };
    const closed = new AbortController();
    const options = { passive: true, signal: closed.signal };
    for (const type of ["wheel", "touchmove", "keydown", "pointerdown"]) window.addEventListener(type, leave, options);
    window.addEventListener("scroll", scrolled, options);
    return () => closed.abort();
  }, []);
  // Before the frame is drawn, in which what is below the text would jump otherwise.
  useLayoutEffect(() => {
    if (following.current) window.scrollTo({ top: document.documentElement.scrollHeight });
  }, inputs);
}

export function Conversation(props: { thread?: string; questionId?: string }) {
  const [turns, setTurns] = useState<QuestionState[]>([]);
  const [error, setError] = useState<unknown>();
  const [opened, setOpened] = useState<Opened>();
  const resources = useLoaded(api.resources);
  const mayAdd = useRight("add");
  const thread = useRef(props.thread ?? newThread());
  const closed = useRef(new AbortController());
  const running = turns.length > 0 && !hasEnded(turns[turns.length - 1]);

  const put = useCallback((at: number, state: QuestionState) => {
    setTurns((before) => before.map((one, i) => (i === at ? state : one)));
  }, []);

  const watch = useCallback(async (at: number, begin: QuestionState, open: Parameters<typeof follow>[1]) => {
    const { signal } = closed.current;
    let address = begin.id; // the question that the address names
    const show = (state: QuestionState) => {
      if (state.id !== address) {
        address = state.id;
        go(`/c/${thread.current}/${address}`, { quietly: true });
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
    const begin = newQuestion(turn.question, turn.questionId);
    let last: QuestionState | undefined;
    const { signal } = closed.current;
    await follow(begin, (stop) => api.events(turn.questionId, 0, stop), (state) => (last = state), signal)
      .catch(() => undefined); // the turn stays as it was stored
    requestAnimationFrame(() => last?.done && put(at, last));
  }, []);

  useEffect(() => {
    const { signal } = closed.current;
    const load = async (id: string) => {
      const known = isForTokens ? undefined : await api.thread(id).catch((failure): Thread | undefined => {
        if (failure instanceof ApiError && failure.status === 404) return undefined; // its first question runs
        throw failure;
      });
      if (signal.aborted) return;
      const past = known?.turns ?? [];
      setTurns(past.map(stored));
      past.forEach((turn, at) => at >= past.length - LIVE_TURNS && enrich(at, turn));
      const { questionId } = props;
      if (!questionId || past.some((turn) => turn.questionId === questionId)) return;
      const begin = newQuestion("", questionId);
      setTurns((before) => [...before, begin]);
      watch(past.length, begin, (stop) => api.events(questionId, 0, stop));
    };
    if (props.thread) load(props.thread).catch((failure) => !signal.aborted && setError(failure));
    return () => closed.current.abort();
  }, []);

  useFollowedEnd([turns]);

  const ask = (question: string, chosen: string[]) => {
    const begin = newQuestion(question);
    const at = turns.length;
    setTurns([...turns, begin]);
    watch(at, begin, async (signal) => {
      const known = resources.value ?? (question.includes("@") ? await api.resources() : []);
      const names = [...new Set([...chosen, ...mentioned(question, known)])];
      const before = isForTokens ? { history: historyOf(turns) } : { thread: thread.current };
      return api.ask({ question, ...before, ...(names.length > 0 && { resources: names }) }, signal);
    });
  };
  const stop = () => {
    const last = turns[turns.length - 1];
    if (last?.id) api.stop(last.id).catch(setError);
  };
  return (
    <OpenCitation.Provider value={setOpened}>
      <div class={opened ? "conversation with-source" : "conversation"}>
        <div class="turns">
          <h1 class={turns.length > 0 ? "hidden" : ""}>Ask</h1>
          {turns.map((state) => <Answer state={state} />)}
          {error !== undefined && <Failure error={error} />}
          {resources.error !== undefined && <Failure error={resources.error} />}
          {resources.value?.length === 0 && (
            mayAdd
              ? <p>No resource is configured yet. <a href="#/resources">Add one</a>, or paste a reference into the question.</p>
              : <p>This project has no resource yet.</p>
          )}
          <QuestionBox running={running} resources={resources.value ?? []} ask={ask} stop={stop} />
          {turns.length > 0 && (
            <p class={running ? "buttons later" : "buttons"}>
              <button type="button" onClick={() => save(`${thread.current}.md`, markdownOf(turns))}>Save as Markdown</button>
              <a href="#/ask">New conversation</a>
            </p>
          )}
        </div>
        {opened && <SourcePane opened={opened} close={() => setOpened(undefined)} />}
      </div>
    </OpenCitation.Provider>
  );
}
