// The lines that citations cite, each fetched once.

import { api, ApiError, isForTokens, Source } from "./api";
import type { Opened } from "./citation";

const AROUND = 30; // lines before and after those that are cited

async function linesOfNow({ number, citations }: Opened): Promise<Source> {
  const citation = citations[number - 1];
  const first = Math.max(1, citation.startLine - AROUND);
  const read = await api.lines(citation.resource, citation.path, first, citation.endLine + AROUND);
  return { ...citation, firstLine: read.startLine, lines: read.lines, version: read.version, isOfNow: true };
}

const known = new Map<string, Promise<Source>>();
const MOST_KNOWN = 200;

/** The cited lines; of a question that the server has forgotten, those of now. */
export function linesOf(opened: Opened): Promise<Source> {
  const key = `${opened.questionId} ${opened.number}`;
  let lines = known.get(key);
  if (!lines) {
    lines = api.source(opened.questionId, opened.number).catch((error) => {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      if (isForTokens) throw new Error("The server no longer keeps what this question cited.");
      return linesOfNow(opened).catch(() => {
        throw new Error("The server no longer keeps what this question cited, and the file has changed since.");
      });
    });
    lines.catch(() => known.delete(key));
    if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value!);
    known.set(key, lines);
  }
  return lines;
}
