// The view that the address names after '#'.

import { useEffect, useState } from "preact/hooks";

function current(): string[] {
  return location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decodeURIComponent);
}

/** Goes to a view. `quietly`: the address changes, what is shown stays. */
export function go(path: string, { quietly = false } = {}): void {
  if (quietly) history.replaceState(null, "", `#${path}`);
  else location.hash = path;
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
