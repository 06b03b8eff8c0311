// The state of one question, built from its events.

import { api, ApiError, Citation, Done, ServerEvent, Snapshot, ToolCall, Turn } from "./api";

export interface Progress {
  resource: string;
  message: string;
  done: number;
  total?: number;
}

/** A model that refused is asked again in so many seconds. */
export interface Retry {
  reason: string;
  seconds: number;
}

export interface QuestionState {
  id: string;
  question: string;
  /** Names and references that were asked; none: all resources. */
  scope: string[];
  text: string;
  /** Characters at the begin of `text` that say what the model was about to do. */
  narrated: number;
  reasoning: string;
  tools: ToolCall[];
  progress: Progress[];
  citations: Citation[];
  snapshots: Snapshot[];
  model: string;
  /** When it was asked. */
  asked?: string;
  /** Of all its calls, in USD; only of a stored turn. */
  cost?: number;
  /** The model's turn has come: resources are ready. */
  begun: boolean;
  /** The connection is broken, for so many attempts. */
  lost: number;
  /** Until the next event. */
  retry?: Retry;
  done?: Done;
  /** A sentence; the question has ended. */
  failure?: string;
  hint?: string;
}

export function newQuestion(question: string, id = "", scope: string[] = []): QuestionState {
  return { id, question, scope, text: "", narrated: 0, reasoning: "", tools: [], progress: [], citations: [], snapshots: [], model: "",
           begun: false, lost: 0 };
}

/** A stored turn. What an earlier version has not stored of it stays empty. */
export function storedQuestion(turn: Turn): QuestionState {
  const { citations = [], tools = [], reasoning = "", model = { provider: "", model: "" } } = turn;
  const done: Done = { text: turn.answer, reasoning, tools, citations, model, finishReason: turn.finishReason ?? "", usage: turn.usage,
                       metrics: turn.metrics, steps: turn.steps };
  return {
    ...newQuestion(turn.question, turn.questionId, turn.resources ?? []),
    text: turn.answer, reasoning, tools, model: modelName(model), asked: turn.asked, cost: turn.costUsd, begun: true, snapshots: turn.snapshots ?? [],
    citations: turn.citations ?? citationsIn(turn.answer),
    ...(turn.status === "failed" ? { failure: turn.error?.message ?? "The question failed.", hint: turn.error?.hint } : { done }),
  };
}

export function hasEnded(state: QuestionState): boolean {
  return state.done !== undefined || state.failure !== undefined;
}

const modelName = (model: { provider: string; model: string }) =>
  [model.provider, model.model].filter(Boolean).join("/");

// "[name:path#L1-L2]"; several places may share the brackets.
export const MARKS = /\[([^\[\]\n]{3,2000})\]/g;
export const PLACE = /^([^:\s]+):([^#]+?)(?:#L(\d+)(?:-L?(\d+))?)?$/;

/** Without percent encoding; as it is where that is malformed. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The places with lines that a text cites, each once. */
export function placesIn(text: string): string[] {
  const places = new Set<string>();
  for (const mark of text.matchAll(MARKS)) {
    for (const place of mark[1].split(", ")) if (PLACE.exec(place)?.[3]) places.add(place);
  }
  return [...places];
}

function citationsIn(text: string): Citation[] {
  return placesIn(text).map((place) => {
    const [, resource, path, first, last = first] = PLACE.exec(place)!;
    return { resource: resource.replace(/^@(?!.*\/)/, ""), path: decoded(path), startLine: Number(first), endLine: Number(last),
             verified: false, unchecked: true };
  });
}

const MOST_NARRATED = 400;

/** Where the answer begins if a call of a tool follows `text`: a short remark before it is not a part of the answer. */
function narratedOf({ text, narrated }: QuestionState): number {
  const said = text.slice(narrated);
  return said.length <= MOST_NARRATED && !said.includes("```") && placesIn(said).length === 0 ? text.length : narrated;
}

function withReplaced<T>(all: T[], next: T, same: (one: T) => boolean): T[] {
  const at = all.findIndex(same);
  return at < 0 ? [...all, next] : all.map((one, i) => (i === at ? next : one));
}

export function apply(before: QuestionState, { type, data }: ServerEvent): QuestionState {
  const state = before.retry ? { ...before, retry: undefined } : before;
  switch (type) {
    case "model.waiting":
      return { ...state, retry: data.seconds > 0 ? data : undefined };
    case "resource.progress":
      return { ...state, progress: withReplaced(state.progress, data, (one) => one.resource === data.resource) };
    case "meta":
      return { ...state, id: data.id, question: data.question ?? state.question, model: modelName(data.model), progress: [], begun: true,
               snapshots: data.snapshots ?? [] };
    case "text.delta":
      return { ...state, text: state.text + data.delta };
    case "reasoning.delta":
      return { ...state, reasoning: state.reasoning + data.delta };
    case "tool.updated": // also between two of them: a remark that is held back comes after the first
      return { ...state, narrated: narratedOf(state), tools: withReplaced(state.tools, data, (one) => one.callID === data.callID) };
    case "citation":
      return { ...state, citations: [...state.citations, data] };
    case "done": {
      const isRemark = data.text.startsWith(state.text.slice(0, state.narrated)) && data.text.slice(state.narrated).trim() !== "";
      return { ...state, text: data.text, narrated: isRemark ? state.narrated : 0, reasoning: data.reasoning, tools: data.tools,
               citations: data.citations, model: modelName(data.model), done: data };
    }
    case "error":
      return { ...state, failure: data.message, hint: data.hint };
    default:
      return state; // of a later version
  }
}

const PAUSE_MS = 500;
const MOST_ATTEMPTS = 20;

/** True for a refusal that asking again does not change; a proxy or a limit may refuse for a while only. */
const isFinal = (error: unknown) => error instanceof ApiError && error.status < 500 && error.status !== 429;

/**
 * Follows a question to its end; `show` gets its state at most once a frame. A broken connection is taken up after the
 * last event. Throws what ends the question before it has begun, and when `signal` aborts.
 */
export async function follow(
  begin: QuestionState,
  open: (signal: AbortSignal) => Promise<AsyncGenerator<ServerEvent>>,
  show: (state: QuestionState) => void,
  signal: AbortSignal,
): Promise<void> {
  let state = begin;
  let last = 0;
  let waiting = false;
  let cause: unknown;
  const update = () => {
    if (waiting) return;
    waiting = true;
    const draw = () => {
      if (!waiting) return;
      waiting = false;
      if (!signal.aborted) show(state);
    };
    requestAnimationFrame(draw);
    setTimeout(draw, 250); // a hidden tab draws no frames
  };
  for (let attempts = 0; !hasEnded(state); ) {
    try {
      const stream = attempts === 0 && last === 0 ? await open(signal) : await api.events(state.id, last, signal);
      for await (const event of stream) {
        state = { ...apply(state, event), lost: 0 };
        last = event.id;
        attempts = 0;
        update();
      }
    } catch (error) {
      if (signal.aborted || isFinal(error) || !state.id) throw error;
      cause = error;
    }
    if (hasEnded(state)) break;
    if (!state.id || ++attempts > MOST_ATTEMPTS) {
      throw cause instanceof ApiError ? cause : new Error("The connection to the server was lost.");
    }
    state = { ...state, lost: attempts };
    update();
    await new Promise((resume) => setTimeout(resume, PAUSE_MS));
  }
  update();
}
