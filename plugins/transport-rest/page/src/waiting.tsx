// What an answer waits for, in a line.

import { useEffect, useState } from "preact/hooks";

import { plain, useElapsed } from "./parts";
import { Progress, QuestionState } from "./question";

function useOnline(): boolean {
  const [online, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const changed = () => setOnline(navigator.onLine);
    addEventListener("online", changed);
    addEventListener("offline", changed);
    return () => {
      removeEventListener("online", changed);
      removeEventListener("offline", changed);
    };
  }, []);
  return online;
}

function reasonOf(state: QuestionState): string {
  if (!state.begun) return state.progress.length > 0 ? "Preparing what is asked" : "Looking at what is asked";
  const running = state.tools.find((one) => one.state.status === "running" || one.state.status === "pending");
  if (running) return "Reading";
  if (!state.text && !state.reasoning && state.tools.length === 0) return `Waiting for ${plain(state.model)}`;
  return state.text.length > state.narrated ? "Answering" : "Thinking";
}

/** Counts from its first drawing: the key of another wait begins anew. */
function Counted({ reason, isLost }: { reason: string; isLost: boolean }) {
  const elapsed = useElapsed();
  return <p class={isLost ? "working lost" : "working"} role="status">{reason}…{elapsed > 0 && <span aria-hidden="true"> {elapsed} s</span>}</p>;
}

export function WaitingLine({ state }: { state: QuestionState }) {
  const isOnline = useOnline();
  if (!isOnline || state.lost > 0) return <Counted key="lost" reason="The connection is broken; trying again" isLost />;
  if (state.retry) {
    const { reason: cause, seconds } = state.retry;
    return <p class="working" role="status">{plain(state.model)}: {plain(cause)}, asked again<span aria-hidden="true"> in {seconds} s</span></p>;
  }
  const reason = reasonOf(state);
  return <Counted key={reason} reason={reason} isLost={false} />;
}

export function ProgressBars({ progress }: { progress: Progress[] }) {
  if (progress.length === 0) return null;
  return (
    <ul class="progress">
      {progress.map((one) => (
        <li key={one.resource}>
          <label>
            {plain(one.resource)}: {plain(one.message)}
            {one.total ? ` (${one.done.toLocaleString()} of ${one.total.toLocaleString()})` : ""}
            <progress max={one.total || undefined} value={one.total ? one.done : undefined} />
          </label>
        </li>
      ))}
    </ul>
  );
}
