// The view that the address names after '#'.

import { useEffect, useState } from "preact/hooks";

import { decoded } from "./question";

function current(): string[] {
  return location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decoded);
}

/** Goes to a view. `quietly`: the address changes, what is shown stays. */
export function go(path: string, { quietly = false } = {}): void {
  if (quietly) history.replaceState(null, "", `#${path}`);
  else location.hash = path;
}

/** The address of a file of a resource, or of a folder; with lines, they are marked. */
export function fileAddress(resource: string, path: string, first = 0, last = first): string {
  const parts = path.split("/").filter(Boolean).map(encodeURIComponent);
  return ["#/files", encodeURIComponent(resource), first ? `L${first}-${last}` : "-", ...parts].join("/");
}

/** The address of a turn of a stored conversation. */
export function addressOf(thread: string, questionId: string): string {
  return ["#/c", encodeURIComponent(thread), encodeURIComponent(questionId)].join("/");
}

/** The parts of the address, and a number that rises with every change by the reader. */
export function useRoute(): [string[], number] {
  const [state, setState] = useState<[string[], number]>([current(), 0]);
  useEffect(() => {
    const changed = () => setState(([, count]) => [current(), count + 1]);
    window.addEventListener("hashchange", changed);
    return () => window.removeEventListener("hashchange", changed);
  }, []);
  return state;
}
