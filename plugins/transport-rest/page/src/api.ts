// The documented HTTP API (docs/http-api.md); the page uses nothing else.

export interface FieldMistake {
  field: string;
  message: string;
}

/** A failed request, in the words of the server. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly tag: string,
    message: string,
    readonly hint = "",
    readonly details: FieldMistake[] = [],
  ) {
    super(message);
  }
}

export interface Resource {
  name: string;
  type: string;
  [member: string]: unknown;
}

export interface ResourceState {
  name: string;
  version: string;
  display: string;
  files: number;
  notes: string[];
  folder?: string;
  leftOut: { rule: string; entries: number; examples: string[] }[];
}

export interface Snapshot {
  resource: string;
  version: string;
  display: string;
  fetchedAt?: string;
  stale?: string;
}

/** The last snapshot of a resource. */
export interface Kept {
  name: string;
  version: string;
  display: string;
  files: number;
  bytes: number;
  fetchedAt: string;
  currentAt: string;
}

export interface SyncRow {
  name: string;
  version?: string;
  display?: string;
  changed?: boolean;
  fetchedAt?: string;
  error?: { message: string; hint?: string };
}

/** A quotation that does not stand in the cited lines, and what stands there in its place. */
export interface Misquotation {
  quoted: string;
  nearest?: string;
}

export interface Citation {
  resource: string;
  path: string;
  startLine: number;
  endLine: number;
  verified: boolean;
  version?: string;
  url?: string;
  title?: string;
  misquotation?: Misquotation;
  /** The lines as they were cited, and those around, from `firstLine`; of a stored turn. */
  lines?: string[];
  firstLine?: number;
  /** Read from the answer's text: no check of it is known. */
  unchecked?: boolean;
}

export interface ToolCall {
  callID: string;
  tool: string;
  state: {
    status: "pending" | "running" | "completed" | "error";
    input?: unknown;
    output?: string;
    title?: string;
    error?: string;
    time?: { start: number; end?: number };
  };
}

export interface Done {
  text: string;
  reasoning: string;
  tools: ToolCall[];
  citations: Citation[];
  finishReason: string;
  model: { provider: string; model: string };
  usage?: { totalTokens?: number; inputTokens?: number; outputTokens?: number };
  steps?: number;
  metrics?: { timing: { totalMs: number }; pricing?: { costUsd: { total: number } } };
}

export interface Source extends Citation {
  firstLine: number;
  lines: string[];
}

export interface Lines {
  name: string;
  path: string;
  version: string;
  startLine: number;
  total: number;
  lines: string[];
}

/** What a retrieval tool found. */
export interface Hit {
  path: string;
  startLine: number;
  endLine: number;
  heading?: string;
  text: string;
}

export interface Entry {
  path: string;
  kind: string;
  lines?: number;
  files?: number;
}

export interface ThreadSummary {
  id: string;
  title: string;
  created: string;
  updated: string;
  turns: number;
  /** Of a search: its turns that have the words, the latest first. */
  matches?: { questionId: string; turn: number; snippet: string }[];
}

export interface Turn {
  question: string;
  answer: string;
  questionId: string;
  resources: string[];
  finishReason?: string;
  /** What a server of an earlier version does not store. */
  citations?: Citation[];
  tools?: ToolCall[];
  reasoning?: string;
  model?: { provider: string; model: string };
  usage?: Done["usage"];
  metrics?: Done["metrics"];
  steps?: number;
  snapshots?: Snapshot[];
  asked?: string;
  costUsd?: number;
  status?: "answered" | "cut" | "stopped" | "failed";
  error?: { message: string; hint?: string };
}

export interface Thread extends Omit<ThreadSummary, "turns"> {
  turns: Turn[];
}

export interface Providers {
  all: { id: string; models: string[] }[];
  connected: string[];
  providers: { provider: string; model: string; reachable: boolean; reason?: string; hint?: string }[];
  chosen: { provider: string; model: string } | null;
}

export interface HostState {
  questions: number;
  plugins: { id: string; version: string; summary: string; components: { kind: string; name: string }[] }[];
  cacheBytes: number;
  cacheLimit: number;
}

export interface Usage {
  rows: UsageRow[];
  total: Omit<UsageRow, "key">;
  unpricedCalls: number;
}

export interface UsageRow {
  key: string;
  questions: number;
  calls: number;
  costUsd: number;
  inputTokens: number;
  outputTokens: number;
}

export interface Config {
  provider: string;
  model: string;
  /** Limit of a question, if there is one. */
  maxCostUsd?: string;
  /** Of all questions since the month (UTC) began, if there is one. */
  monthlyBudgetUsd?: string;
}

export interface ServerEvent {
  id: number;
  type: string;
  data: any;
}

/** Of the caller; `project`, `projects` and `rights` of one with a token. */
export interface Service {
  version: string;
  project?: string;
  projects?: string[];
  rights?: string[];
}

// Where the interface begins. That for callers with tokens has a part of the paths.
const base = document.documentElement.dataset.api ?? "";
export const isForTokens = base !== "";

// Kept in memory alone: they are gone with the page.
let token = "";
let project = "";
export function useToken(given: string): void {
  token = given;
}
export function useProject(name: string): void {
  project = name;
}

async function failure(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const body = JSON.parse(text);
    return new ApiError(response.status, body.tag, body.message ?? body.error, body.hint, body.details);
  } catch {
    return new ApiError(response.status, "HttpError", `${response.status} ${response.statusText}`);
  }
}

async function send(method: string, path: string, body?: unknown, signal?: AbortSignal, headers = {}) {
  const all: Record<string, string> = { ...headers };
  if (body !== undefined) all["Content-Type"] = "application/json";
  if (token) all["Authorization"] = `Bearer ${token}`;
  if (project) all["X-Project"] = project;
  const response = await fetch(base + path, {
    method,
    headers: all,
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
    cache: "no-store",
    credentials: "omit",
  });
  if (!response.ok) throw await failure(response);
  return response;
}

async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  return (await send(method, path, body, signal)).json();
}

const part = encodeURIComponent;
const rest = (path: string) => path.split("/").map(part).join("/");

export const api = {
  config: () => call<Config>("GET", "/config"),
  service: () => call<Service>("GET", "/"),
  resources: async () => (await call<{ resources: Resource[] }>("GET", "/resources")).resources,
  resource: (name: string) => call<ResourceState>("GET", `/resources/${rest(name)}`),
  kept: async () => (await call<{ resources: Kept[] }>("GET", "/snapshots")).resources,
  recognise: async (reference: string) =>
    (await call<{ resource: Resource }>("POST", "/recognise", { reference })).resource,
  add: (resource: object) => call<Resource>("POST", "/config/resources", resource),
  remove: (name: string) => call("DELETE", "/config/resources", { name }),
  sync: async (name: string) =>
    (await (isForTokens
      ? call<{ resources: SyncRow[] }>("POST", "/tools/sync", { resources: [name] })
      : call<{ resources: SyncRow[] }>("POST", "/sync", { name }))).resources,
  state: () => call<HostState>("GET", "/state"),
  providers: () => call<Providers>("GET", "/providers"),
  choose: (provider: string, model: string) =>
    call<{ savedTo: string; hint?: string }>("PUT", "/config/model", { provider, model }),
  ready: async () => {
    try {
      return await call<{ problems: string[] }>("GET", "/readyz");
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 503) throw error;
      return { problems: [error.message] };
    }
  },
  /** The conversations, or those that have all of some words. */
  threads: async (words = "") =>
    (await call<{ threads: ThreadSummary[] }>("GET", `/threads${words && `?q=${part(words)}`}`)).threads,
  thread: (id: string) => call<Thread>("GET", `/threads/${part(id)}`),
  renameThread: (id: string, title: string) => call("PUT", "/threads", { id, title }),
  removeThread: (id: string) => call("DELETE", `/threads/${part(id)}`),
  usage: (by: string, since: string) => call<Usage>("GET", `/usage?by=${by}&since=${since}`),
  stop: (id: string) => call("POST", `/question/${part(id)}/stop`),
  source: (id: string, number: number) =>
    call<Source>("GET", `/question/${part(id)}/sources/${number}`),
  lines: (name: string, path: string, first: number, last: number) =>
    call<Lines>("GET", `/resources/${rest(name)}/files/${rest(path)}?startLine=${first}&endLine=${last}`),
  /** A retrieval tool that answers with hits. */
  find: async (tool: string, given: object, signal?: AbortSignal) =>
    (await call<{ hits: Hit[] }>("POST", `/tools/${tool}`, given, signal)).hits,
  list: async (given: object, signal?: AbortSignal) =>
    (await call<{ entries: Entry[] }>("POST", "/tools/list", given, signal)).entries,
  schemas: async () => {
    const description = await call<any>("GET", "/openapi.json");
    return description.components.schemas.resource.oneOf as Schema[];
  },
  ask: async (question: object, signal: AbortSignal) =>
    events(await send("POST", "/question/stream?events=extended", question, signal)),
  events: async (id: string, after: number, signal: AbortSignal) =>
    events(await send("GET", `/question/${part(id)}/events?events=extended&after=${after}`, undefined, signal)),
};

/** The part of JSON Schema that resource types use. */
export interface Schema {
  type?: string | string[];
  const?: string;
  description?: string;
  default?: unknown;
  defaultDescription?: string;
  enum?: string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minLength?: number;
  maxLength?: number;
  writeOnly?: boolean;
}

/** The events of a stream, until it ends. Comments are left out. */
async function* events(response: Response): AsyncGenerator<ServerEvent> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      buffer += value;
      let end: number;
      while ((end = buffer.indexOf("\n\n")) >= 0) {
        const event = parse(buffer.slice(0, end));
        buffer = buffer.slice(end + 2);
        if (event) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parse(block: string): ServerEvent | undefined {
  const fields: Record<string, string> = {};
  for (const line of block.split("\n")) {
    const colon = line.indexOf(": ");
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 2);
  }
  if (fields.data === undefined) return undefined;
  return { id: Number(fields.id), type: fields.event ?? "", data: JSON.parse(fields.data) };
}
