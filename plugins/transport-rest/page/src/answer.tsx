// One question and its answer, finished or growing.

import { CitedContext, Sources, useCited, withCitations } from "./citation";
import { Markdown } from "./markdown";
import { CopyButton, counted, day, dollars, Guard, plain, PlainText, seconds, short } from "./parts";
import { hasEnded, QuestionState } from "./question";
import { addressOf } from "./route";
import { costOf, markdownOf } from "./saved";
import { NextQuestions } from "./suggestions";
import { Trace } from "./trace";
import { ProgressBars, WaitingLine } from "./waiting";

export const ENDS: Record<string, string> = {
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
  const tokens = done?.usage?.totalTokens;
  const cost = costOf(state);
  const end = done && ENDS[done.finishReason];
  return (
    <p class="facts">
      {end && <span class="warn">{end}</span>}
      {state.model && <span>{plain(state.model)}</span>}
      {done?.metrics && <span>{done.steps ? `${counted(done.steps, "step")}, ` : ""}{seconds(done.metrics.timing.totalMs)}</span>}
      {tokens !== undefined && <span>{counted(tokens, "token")}</span>}
      {cost !== undefined ? <span>{dollars(cost)}</span> : tokens !== undefined && <span>price unknown</span>}
      {state.asked && <time dateTime={state.asked}>{day(state.asked)}</time>}
    </p>
  );
}

export interface Acts {
  retry: (state: QuestionState) => void;
  edit: (state: QuestionState) => void;
  next: (question: string) => void;
}

interface AnswerProps {
  state: QuestionState;
  /** Of the conversation; none if it is not stored. */
  thread?: string;
  acts: Acts;
  /** The newest of the conversation. */
  isLast: boolean;
}

/** An answer; its text alone where the rest cannot be drawn. */
export function Answer(props: AnswerProps) {
  const { state } = props;
  const text = (
    <article class="turn">
      <h2 class="question">{state.question || "…"}</h2>
      <PlainText>{state.text}</PlainText>
      <p class="failure" role="alert">This answer could not be drawn; this is its text.</p>
    </article>
  );
  return <Guard fallback={text}><DrawnAnswer {...props} /></Guard>;
}

function Scope({ state }: { state: QuestionState }) {
  const { scope, snapshots } = state;
  const used = snapshots.filter(({ stale }) => !stale);
  const text = snapshots.length === 1
    ? `${plain(snapshots[0].resource)} at ${short(snapshots[0].version)}`
    : scope.length > 0 ? scope.map(plain).join(", ") : snapshots.length > 0 ? counted(snapshots.length, "resource") : "all resources";
  return <span>{text}{used.length < snapshots.length && <span class="warn"> (not all current)</span>}</span>;
}

function DrawnAnswer({ state, thread, acts, isLast }: AnswerProps) {
  const ended = hasEnded(state);
  const cited = useCited(state);
  const shown = state.text.slice(state.narrated);
  return (
    <article class="turn" id={`turn-${state.id}`} aria-busy={!ended} aria-label={state.question.slice(0, 100)}>
      <h2 class="question">{state.question || "…"}</h2>
      <p class="meta"><Scope state={state} />{!ended && state.model && <span>{plain(state.model)}</span>}</p>
      {!ended && <ProgressBars progress={state.progress} />}
      <Trace state={state} />
      <CitedContext.Provider value={cited}>
        <Markdown text={shown} inline={withCitations} question={state.question} isOpen={!ended} />
      </CitedContext.Provider>
      {!ended && <WaitingLine state={state} />}
      {state.failure && (
        <div class="failure" role="alert">
          <p>{state.failure}</p>
          {state.hint && <p class="hint">{state.hint}</p>}
        </div>
      )}
      <Sources state={state} />
      {ended && (
        <>
          <Facts state={state} />
          <div class="acts">
            {state.text && <CopyButton text={() => markdownOf(state)} label="Copy the answer" />}
            {thread && state.id && <a href={addressOf(thread, state.id)} aria-label="Link to this answer">Link</a>}
            <button type="button" disabled={!isLast} onClick={() => acts.retry(state)}>Retry</button>
            <button type="button" onClick={() => acts.edit(state)}>Edit</button>
          </div>
          {isLast && state.done && state.citations.length > 0 && <NextQuestions state={state} ask={acts.next} />}
        </>
      )}
    </article>
  );
}
