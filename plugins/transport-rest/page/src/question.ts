// The state of one question, built from its events.

import { api, ApiError, Citation, Done, ServerEvent, ToolCall } from "./api";

export interface Progress {
  resource: string;
  message: string;
  done: number;
  total?: number;
}

export interface QuestionState {
  id: string;
  question: string;
  text: string;
  reasoning: string;
  tools: ToolCall[];
  progress: Progress[];
  citations: Citation[];
  model: string;
  done?: Done;
  /** A sentence; the question has ended. */
  failure?: string;
  hint?: string;
}

export function newQuestion(question: string, id = ""): QuestionState {
  return { id, question, text: "", reasoning: "", tools: [], progress: [], citations: [], model: "" };
}

export function hasEnded(state: QuestionState): boolean {
  return state.done !== undefined || state.failure !== undefined;
}

const modelName = (model: { provider: string; model: string }) =>
  [model.provider, model.model].filter(Boolean).join("/");

function withReplaced<T>(all: T[], next: T, same: (one: T) => boolean): T[] {
  const at = all.findIndex(same);
  return at < 0 ? [...all, next] : all.map((one, i) => (i === at ? next : one));
}

export function apply(state: QuestionState, { type, data }: ServerEvent): QuestionState {
  switch (type) {
    case "resource.progress":
      return { ...state, progress: withReplaced(state.progress, data, (one) => one.resource === data.resource) };
    case "meta":
      return { ...state, id: data.id, question: data.question ?? state.question, model: modelName(data.model), progress: [] };
    case "text.delta":
      return { ...state, text: state.text + data.delta };
    case "reasoning.delta":
      return { ...state, reasoning: state.reasoning + data.delta };
    case "tool.updated":
      return { ...state, tools: withReplaced(state.tools, data, (one) => one.callID === data.callID) };
    case "citation":
      return { ...state, citations: [...state.citations, data] };
    case "done":
      return { ...state, text: data.text, reasoning: data.reasoning, tools: data.tools, citations: data.citations,
               model: modelName(data.model), done: data };
    case "error":
      return { ...state, failure: data.message, hint: data.hint };
    default:
      return state; // of a later version
  }
}

const PAUSE_MS = 500;
const MOST_ATTEMPTS = 20;

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
        state = apply(state, event);
        last = event.id;
        attempts = 0;
        update();
      }
    } catch (error) {
      if (signal.aborted || error instanceof ApiError || !state.id) throw error;
    }
    if (hasEnded(state)) break;
    if (!state.id || ++attempts > MOST_ATTEMPTS) throw new Error("The connection to the server was lost.");
    await new Promise((resume) => setTimeout(resume, PAUSE_MS));
  }
  update();
}
