// What was done for an answer: one line, and its steps.

import { useState } from "preact/hooks";

import { ToolCall } from "./api";
import { plain, seconds } from "./parts";
import { hasEnded, QuestionState } from "./question";

/** For each tool: what it is doing, what it has done, and which member of its input says to what. */
const WORDS: Record<string, [string, string, string[]]> = {
  search: ["searching", "searched", ["query"]],
  grep: ["searching for", "searched for", ["pattern"]],
  read: ["reading", "read", ["path"]],
  symbols: ["looking up", "looked up", ["name", "path"]],
  outline: ["outlining", "outlined", ["path"]],
  list: ["listing", "listed", ["path"]],
  glob: ["listing", "listed", ["pattern", "glob"]],
};

const MOST_SHOWN = 60;

function Step({ call }: { call: ToolCall }) {
  const { tool, state } = call;
  const [doing, done, members] = WORDS[tool] ?? ["using", "used", []];
  const input = (state.input ?? {}) as Record<string, unknown>;
  const given = members.map((name) => input[name]).find((value) => typeof value === "string" && value) as string | undefined;
  const about = given ?? (WORDS[tool] ? "everything" : tool);
  const isRunning = state.status === "running" || state.status === "pending";
  return <>{isRunning ? doing : done} <code>{plain(about).slice(0, MOST_SHOWN)}</code></>;
}

function millisecondsOf({ state: { time } }: ToolCall): number {
  return time?.end === undefined ? 0 : time.end - time.start;
}

export function Trace({ state }: { state: QuestionState }) {
  const { tools, reasoning, text, narrated } = state;
  const [chosen, setChosen] = useState<boolean>();
  const remark = text.slice(0, narrated).trim();
  if (tools.length === 0 && !reasoning) return null;
  const answers = text.slice(narrated).trim() !== "";
  const open = chosen ?? (!hasEnded(state) && !answers);
  const toggled = (event: Event) => {
    event.preventDefault();
    setChosen(!open);
  };
  const sum = tools.reduce((all, one) => all + millisecondsOf(one), 0);
  return (
    <details class="trace" open={open}>
      <summary onClick={toggled}>
        {tools.length === 0 ? "Thought about it" : `${tools.length} ${tools.length === 1 ? "step" : "steps"}, ${seconds(sum)}`}
        {tools.slice(-3).map((call) => <> · <Step call={call} /></>)}
      </summary>
      {reasoning && <p class="reasoning" tabIndex={0} role="region" aria-label="reasoning">{reasoning}</p>}
      {remark && <p class="reasoning">{remark}</p>}
      <ol>
        {tools.map((call) => {
          const said = call.state.error ?? call.state.output;
          const line = <><Step call={call} /> <small>{call.state.status === "error" && "failed, "}{seconds(millisecondsOf(call))}</small></>;
          return (
            <li class={call.state.status} key={call.callID}>
              {said ? <details><summary>{line}</summary><pre tabIndex={0}>{said}</pre></details> : <span>{line}</span>}
            </li>
          );
        })}
      </ol>
    </details>
  );
}
