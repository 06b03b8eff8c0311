// The lines that citations cite, each fetched once.

import { api, ApiError, isForTokens, Source } from "./api";
import type { Opened } from "./citation";

const known = new Map<string, Promise<Source>>();
const MOST_KNOWN = 200;

const GONE = "The server no longer keeps the lines that were cited here";

/** The cited lines as they were: a file of now may say something else. */
export function linesOf({ questionId, number, citations }: Opened): Promise<Source> {
  const { lines: stored, firstLine = 1, ...citation } = citations[number - 1];
  if (stored) return Promise.resolve({ ...citation, firstLine, lines: stored });
  if (citation.unchecked) return Promise.reject(new Error(`${GONE}: an earlier version of Quarry stored this answer without them.`));
  const key = `${questionId} ${number}`;
  let lines = known.get(key);
  if (!lines) {
    lines = api.source(questionId, number).catch((error) => {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      throw new Error(isForTokens ? `${GONE}.` : `${GONE}: its conversation was removed, or is older than history.keep_days.`);
    });
    lines.catch(() => known.delete(key));
    if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value!);
    known.set(key, lines);
  }
  return lines;
}
