// Small parts that several views use.

import { Component, ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { ApiError } from "./api";

/** The failure of a request: what failed, which members, and what to do next. */
export function Failure({ error }: { error: unknown }) {
  const text = error instanceof Error ? error.message : String(error);
  const api = error instanceof ApiError ? error : undefined;
  return (
    <div class="failure" role="alert">
      <p>{text}</p>
      {api && api.details?.length > 1 && (
        <ul>{api.details.map((one) => <li>{one.field.replace(/^\//, "")} {one.message}</li>)}</ul>
      )}
      {api?.hint && <p class="hint">{api.hint}</p>}
    </div>
  );
}

/** A text as it was written, line by line. */
export function PlainText({ children }: { children: ComponentChildren }) {
  return <p class="plain">{children}</p>;
}

/** Shows `fallback` once drawing `children` has failed; what is around it stays. */
export class Guard extends Component<{ fallback: ComponentChildren; children: ComponentChildren }, { failed: boolean }> {
  state = { failed: false };
  static getDerivedStateFromError() {
    return { failed: true };
  }
  render() {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}

export interface Loaded<T> {
  value?: T;
  error?: unknown;
  reload: () => void;
}

/** The value of `load`, loaded again with every change of `inputs`. What comes late is dropped. */
export function useLoaded<T>(load: () => Promise<T>, inputs: unknown[] = []): Loaded<T> {
  const [state, setState] = useState<{ value?: T; error?: unknown }>({});
  const [round, setRound] = useState(0);
  useEffect(() => {
    let current = true;
    load().then(
      (value) => current && setState({ value }),
      (error) => current && setState({ error }),
    );
    return () => {
      current = false;
    };
  }, [...inputs, round]);
  return { ...state, reload: () => setRound((before) => before + 1) };
}

/** What stands for a value that is not there yet. */
export function Waiting<T>({ loaded, children }: { loaded: Loaded<T>; children: (value: T) => ComponentChildren }) {
  if (loaded.error !== undefined) return <Failure error={loaded.error} />;
  if (loaded.value === undefined) return <p class="quiet" role="status">Loading…</p>;
  return <>{children(loaded.value)}</>;
}

/** A button whose action takes a while; its failure is shown beside it. */
export function ActionButton(props: {
  action: () => Promise<unknown>;
  children: ComponentChildren;
  label?: string;
  kind?: string;
  confirm?: string;
}) {
  const [state, setState] = useState<{ busy?: boolean; asked?: boolean; error?: unknown }>({});
  const mounted = useRef(true);
  useEffect(() => () => void (mounted.current = false), []);
  const run = async () => {
    if (props.confirm && !state.asked) return setState({ asked: true });
    setState({ busy: true });
    try {
      await props.action();
      if (mounted.current) setState({});
    } catch (error) {
      if (mounted.current) setState({ error });
    }
  };
  return (
    <>
      <button type="button" class={props.kind} disabled={state.busy} aria-label={props.label} aria-busy={state.busy}
        onClick={run} onBlur={() => state.asked && setState({})}>
        {state.asked ? props.confirm : props.children}
      </button>
      {state.error !== undefined && <Failure error={state.error} />}
    </>
  );
}

export function seconds(ms: number): string {
  return ms < 1 ? "under 1 ms" : ms < 1000 ? `${Math.round(ms)} ms` : ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}

export function dollars(amount: number): string {
  return Number.isInteger(amount) ? `$${amount}` : amount < 0.1 ? `$${amount.toPrecision(2)}` : `$${amount.toFixed(2)}`;
}

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString()} ${noun}${count === 1 ? "" : "s"}`;
}

/** An id of a version, as short as people write those of git. */
export function short(version: string): string {
  return plain(version).slice(0, 8);
}

export function bytes(count: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (; count >= 1024 && unit < units.length - 1; ++unit) count /= 1024;
  return `${count.toFixed(unit > 0 && count < 10 ? 1 : 0)} ${units[unit]}`;
}

/** How long ago a time was, in its largest unit. */
export function age(time: string): string {
  const minutes = (Date.now() - Date.parse(time)) / 60_000;
  if (Number.isNaN(minutes)) return time;
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${Math.floor(minutes)} min ago`;
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ago`;
  return `${counted(Math.floor(minutes / 1440), "day")} ago`;
}

/** Seconds since the first drawing, while it is drawn. */
export function useElapsed(): number {
  const [elapsed, setElapsed] = useState(0);
  useEffect(() => {
    const begin = performance.now();
    const timer = setInterval(() => setElapsed(Math.floor((performance.now() - begin) / 1000)), 500);
    return () => clearInterval(timer);
  }, []);
  return elapsed;
}

async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Without a secure context, as at an address of the local network, there is this alone.
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** A button that copies a text and says so for a moment. */
export function CopyButton({ text, label }: { text: () => string; label: string }) {
  const [done, setDone] = useState("");
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(""), 2000);
    return () => clearTimeout(timer);
  }, [done]);
  const run = () => copy(text()).then(() => setDone("Copied"), () => setDone("Not permitted"));
  return <button type="button" aria-label={label} aria-live="polite" onClick={run}>{done || "Copy"}</button>;
}

export function day(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.valueOf()) ? time : date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** A text of a stranger in one line: control and direction characters are shown as a box. */
export function plain(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, "\u25a1");
}
