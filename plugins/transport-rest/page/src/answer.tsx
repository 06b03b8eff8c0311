// One question and its answer, finished or growing.

import { useMemo } from "preact/hooks";

import { ToolCall } from "./api";
import { CiteButton, placeOf, withCitations } from "./citation";
import { Markdown } from "./markdown";
import { dollars, Guard, plain, PlainText, seconds } from "./parts";
import { hasEnded, Progress, QuestionState } from "./question";

function ProgressBars({ progress }: { progress: Progress[] }) {
  return (
    <ul class="progress">
      {progress.map((one) => (
        <li>
          <label>
            {plain(one.resource)}: {plain(one.message)}
            <progress max={one.total || undefined} value={one.total ? one.done : undefined} />
          </label>
        </li>
      ))}
    </ul>
  );
}

function took({ time }: ToolCall["state"]): string {
  return time?.end === undefined ? "" : `${time.end - time.start} ms`;
}

function Trace({ tools, reasoning }: { tools: ToolCall[]; reasoning: string }) {
  if (tools.length === 0 && !reasoning) return null;
  const running = tools.filter((one) => one.state.status === "running" || one.state.status === "pending");
  const summary = running.length > 0
    ? `${running[running.length - 1].tool}…`
    : `${tools.length} ${tools.length === 1 ? "call" : "calls"} of tools`;
  return (
    <details class="trace">
      <summary>{tools.length > 0 ? summary : "reasoning"}</summary>
      {reasoning && <p class="reasoning">{reasoning}</p>}
      <ol>
        {tools.map(({ tool, state }) => (
          <li class={state.status}>
            <details>
              <summary>
                <span>{plain(state.title || `${tool} ${JSON.stringify(state.input ?? {})}`)}</span> <small>{took(state)}</small>
              </summary>
              <pre tabIndex={0}>{state.error ?? state.output ?? state.status}</pre>
            </details>
          </li>
        ))}
      </ol>
    </details>
  );
}

const ENDS: Record<string, string> = {
  cancelled: "stopped",
  length: "cut off by the model's limit of length",
  contentFilter: "cut off by the provider's filter",
  maxSteps: "ended at the limit of steps",
  maxSeconds: "ended at the limit of time",
  maxTokens: "ended at the limit of tokens",
  maxCost: "ended at the limit of cost",
};

function Facts({ state }: { state: QuestionState }) {
  const { done } = state;
  if (!done) return null;
  const cost = done.metrics?.pricing?.costUsd.total;
  const facts = [
    ENDS[done.finishReason],
    state.model,
    done.metrics && seconds(done.metrics.timing.totalMs),
    done.usage?.totalTokens !== undefined && `${done.usage.totalTokens.toLocaleString()} tokens`,
    cost !== undefined && dollars(cost),
  ].filter(Boolean);
  return <p class="facts">{facts.map((fact) => <span>{fact}</span>)}</p>;
}

function Sources({ state }: { state: QuestionState }) {
  if (state.citations.length === 0) return null;
  return (
    <ol class="sources" aria-label="citations">
      {state.citations.map((citation, i) => (
        <li>
          <CiteButton questionId={state.id} number={i + 1} citation={citation} /> {placeOf(citation)}
          {!citation.verified && <span class="bad"> not verified</span>}
        </li>
      ))}
    </ol>
  );
}

/** An answer; its text alone where the rest cannot be drawn. */
export function Answer({ state }: { state: QuestionState }) {
  const text = (
    <article class="turn">
      <h2 class="question">{state.question || "…"}</h2>
      <PlainText>{state.text}</PlainText>
      <p class="failure" role="alert">This answer could not be drawn; this is its text.</p>
    </article>
  );
  return <Guard fallback={text}><DrawnAnswer state={state} /></Guard>;
}

function DrawnAnswer({ state }: { state: QuestionState }) {
  const ended = hasEnded(state);
  // A new function draws all blocks again, so only when the citations have changed.
  const inline = useMemo(
    () => withCitations(state.id, state.citations, ended),
    [state.id, state.citations, ended],
  );
  return (
    <article class="turn" aria-busy={!ended}>
      <h2 class="question">{state.question || "…"}</h2>
      {!ended && <ProgressBars progress={state.progress} />}
      <Trace tools={state.tools} reasoning={state.reasoning} />
      <Markdown text={state.text} inline={inline} />
      {!ended && <p class="working" role="status">Answering…</p>}
      {state.failure && (
        <div class="failure" role="alert">
          <p>{state.failure}</p>
          {state.hint && <p class="hint">{state.hint}</p>}
        </div>
      )}
      <Sources state={state} />
      <Facts state={state} />
    </article>
  );
}
