// Who uses the page, for its views.

import { createContext } from "preact";
import { useContext } from "preact/hooks";

import { isForTokens, Service } from "./api";

export const Caller = createContext<Service>({ version: "" });

/** True if the caller has this right; the owner has all. */
export function useRight(right: string): boolean {
  const { rights = [] } = useContext(Caller);
  return !isForTokens || rights.includes(right);
}
