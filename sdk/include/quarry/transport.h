/* quarry.transport/1: the engine's connection to its clients. A transport translates between its
 * wire protocol and the engine's methods; rules belong to the engine.
 *
 * Methods, their params and values (JSON objects; members may be added):
 * - health {}: {"ok", "service", "version", "ready", "problems"}
 * - host.state {}: {"questions": running ones, "plugins": [{"id", "version", "summary",
 *   "components": [{"kind", "name"}]}], "cacheBytes", "cacheLimit"}: the plugins that are loaded,
 * and the size of snapshots, their indexes and plugins' caches on the disk
 * - config.show {}: {"provider", "model", "maxCostUsd"?: of a question, …}, no secrets
 * - config.reload {}: {"ok", "resources": [names]}; reads plugins again too
 * - plugins.reload {}: {"plugins": [{"id", "version", "change": "loaded", "replaced", "kept" or
 *   "removed", "before"?: version}], "problems": [texts]}: the same, with what it changed. A "kept"
 *   plugin has changed and cannot be loaded: the code loaded before stays in use.
 * - resources.list {}: {"resources": [resource]}
 * - resources.add resource: the created resource
 * - resources.recognise {"reference"}: {"resource"}, as a plugin parses the reference
 * - resources.remove {"name"}: {"success", "name"}
 * - models.list {}: {"all": [{"id", "models"}], "connected": [id], "providers": [{"id", "provider",
 *   "model", "models", "reachable", "reason"?, "hint"?, "local"?, "address"?, "keys"?}], "chosen":
 *   null or {"provider", "model", "priced"?, "tools"?}, "fallbacks"}
 * - models.select {"provider", "model", "providerOptions"?}: {"provider", "model", "savedTo",
 *   "hint"?}
 * - resources.sync {"name"?}: {"resources": [{"name", "version", "display", "changed",
 *   "fetchedAt"}, or {"name", "error": {"tag", "code", "message", "hint"?}}]}: checks the source of
 *   this resource, or of all, for updates; a name may be a reference
 * - resources.show {"name"}: {"name", "type", "version", "display", "files": count, "notes":
 *   [texts], "folder"?, "leftOut": [{"rule", "entries": count, "examples": [paths]}]}: what is read
 *   of a resource, and the rules that leave out entries of a folder that is read in place
 * - resources.file {"name", "path", "startLine"?, "endLine"?}: {"name", "path", "version",
 *   "startLine", "total": lines of the file, "lines"}: at most 2,000 lines and 1 MiB of the
 *   snapshot; the source is not asked for updates. A name may be a reference
 * - resources.lock {}: {"file", "written", "resources": [{"name", "version", "display", "changed",
 *   "was"?}], "removed": [names], "unlocked": [names of resources read in place]}; not written when
 *   one fails, whose row is then as in resources.sync
 * - cache.clear {"name"?}: {"cleared"}
 * - question.ask {"question", "resources"?, "quiet"?, "thread"?, "history"?, "sync"?}: {"id"}, as
 *   soon as it is accepted. `sync` true checks the sources for updates first, false checks none;
 *   left out, each resource's own setting decides. `thread` (1 to 64 characters) names a
 *   conversation that the host stores and continues, or starts; a question without resources uses
 *   those of its thread's last question. `history` passes the earlier turns instead: [{"role":
 *   "user" or "assistant", "content"}], the user first. Of either, the newest turns up to 64 KiB of
 *   text are used, and meta.turnsLeftOut is the number of turns left out.
 * - question.find {"id"}: {"id"}, while its events are kept
 * - question.stop {"id"}: {"id", "stopped"}
 * - question.source {"id", "number": from 1}: the item of done.citations with this number, with
 *   "firstLine" and "lines": the cited lines and up to 30 before and after them, as they were when
 *   the citation was checked; no lines if it is not verified. For as long as the question's events
 *   are kept.
 * - usage.report {"since"?, "by"?}: {"since", "by", "rows": [{"key", "questions", "calls",
 *   "inputTokens", "outputTokens", "reasoningTokens", "cacheReadTokens", "cacheWriteTokens",
 *   "costUsd"}], "total", "unpricedCalls"}. `since` is a day ("2026-11-01", UTC) or an age ("7d",
 *   "24h"), `by` is "model", "resource" or "day". A question over several resources counts in the
 *   row of each, and once in the total.
 * - threads.list {"q"?}: {"threads": [{"id", "title", "created", "updated", "turns": count,
 *   "matches"? of `q`: [{"questionId", "turn", "snippet"}]}]}, the most recently continued first
 * - threads.rename {"id", "title"}: the same of one
 * - threads.show {"id"}: the same, "turns": [{"question", "answer", "questionId", "resources"}]
 * - threads.remove {"id"}: {"success", "id"}
 * - schemas {}: {"resource", "question"}, JSON Schemas of params
 * - methods {}: {"methods": {name: {"params"?, "principal"?, "result"}}}: of every method the JSON
 *   Schemas of its params and value; "principal" is "optional" or "required" where one is taken.
 * - tools {}: {"tools": [{"name", "method", "right", "title", "description", "params", "result"}]},
 *   the retrieval tools for callers with a model of their own, with JSON Schemas. All take
 *   "resources"?, as question.ask does, and answer in pages of "maxTokens"? tokens (200 to 8,000),
 *   estimated as one for 4 bytes of JSON; "cursor"? of a page continues it. Unknown arguments are
 *   refused. A page is {"hits", "entries" or with "form"?: "text" the "text" for a model, "more",
 *   "cursor"?, "note"?, "total"?, "tokens", "failed"?: [{"name", "error"}], "stale"?}
 * - tools.search {"query", "path"?, "limit"?}, tools.grep {"pattern", "path"?, "include"?,
 *   "ignoreCase"?, "context"?, "limit"?} and tools.read {"path", "startLine"?, "endLine"?}: pages
 * of "hits": [{"path", "startLine", "endLine", "version", "url"?, "citation", "heading"?, "text",
 *   "continuesTo"?}]
 * - tools.symbols {"name"?, "kind"?, "path"?, "references"?, "limit"?}: such pages of the
 *   definitions of a name, of the lines that use it, or without "name" of a file's definitions
 * - tools.list {"path"?, "glob"?, "limit"?}: pages of "entries": [{"path", "kind", "lines"?,
 *   "bytes"?, "files"?, "version"?}]
 * - tools.sync {"resources"?}: as resources.sync, of these resources
 * The params of resources.add depend on the type: see schemas.
 * - metrics {}: {"text"}, Prometheus text format
 * - host.end {}: {}; shuts the program down in order, as a signal would
 *
 * By default a method acts for the owner of the host, on the configuration. resources.list,
 * resources.add, question.* and tools.* also take a "principal", {"token": id, "project"?: name}:
 * they then act for the bearer of that token, on the resources that the store keeps for its
 * project. `project` is the name that the caller gave; left out, the token's own. A project that
 * does not exist and one that the token does not have fail alike: QUARRY_NOT_FOUND, tag
 * "ProjectError". A missing right: QUARRY_PERMISSION_DENIED, tag "RightsError". A token that is no
 * longer known fails as in access.admit. A question of another caller is not found. An existing
 * resource is returned by resources.add when it is the same. question.ask and tools.* are refused
 * beyond the token's limit of streams (tag "RateLimitError") and beyond a day's budget (tag
 * "BudgetError"); when the token is revoked, its questions are stopped, with an `error` event.
 *
 * question.ask, resources.sync, .show, .file and .lock, and tools.* also take a "traceparent", the
 * header of that name of the client's request (W3C Trace Context), and a "request", the id of that
 * request (1 to 128 visible ASCII characters), which the lines of the host's log name. Both are
 * unchecked: what is not valid is ignored.
 *
 * For the owner, who creates tokens:
 * - projects.create {"name", "usdPerDay"?: "0.50"}, projects.list {}: {"projects": [{"name",
 *   "created", "usdPerDay"?}]}, projects.remove {"name"}: {"success", "name"}
 * - projects.secrets.set {"project", "resource", "member", one of "env": name, "file": path,
 *   "command": [argv] and "value": text}: {"project", "resource", "member", "from"};
 *   projects.secrets.list {"project"}: {"secrets": [{"resource", "member", "from", "inUse",
 *   "created"}]}; projects.secrets.remove {"project", "resource", "member"}: {"success"}. No reply
 *   contains a value.
 * - tokens.create {"projects": [name], "rights": of "add", "ask", "list", "metrics", "read",
 *   "label"?,
 *   "expires"?: "90d" or "12h", "requestsPerMinute"?, "streams"?, "usdPerDay"?}: the token's
 *   record and, this once, "token"; tokens.list {"project"?}: {"tokens": [{"id", "projects",
 *   "rights", "label", "created", "expires"?, "revoked"?, …}]}; tokens.revoke {"id"}: {"success",
 *   "id"}
 *
 * - access.admit {"authorization": text after "Bearer ", "count": bool, "peer"?: IP address of the
 *   sender}: {"admitted", "token": id, "project": the one that a call acts for which
 *   names none, "projects": [names], "rights": as above, "requests"?: {"limit",
 *   "remaining", "resetMs"}, "retryAfterMs"?}. With `count`, counts one request against the token's
 *   limit per minute; not admitted beyond it. QUARRY_UNAUTHENTICATED, tag "AuthenticationError",
 *   with the same message for every wrong, expired or revoked token; QUARRY_UNAVAILABLE when the
 *   store cannot be reached; QUARRY_RESOURCE_EXHAUSTED, tag "RateLimitError", when the peer, or all
 *   peers together, sent too many wrong tokens and this one is not known to be valid.
 * - access.record {"request", "principal"?, "method", "tool", "status": of HTTP, "ms", "cancelled",
 *   "questionId"?, "peer"?, "count"?}: {}; adds one line to the audit, to which the host adds
 *   tokens and cost. Without "principal" the request was not admitted, and "peer" is its IP
 *   address; "count" is the number of requests that the line stands for, all refused alike.
 * - sessions.open {"principal"}: {"session"}: text that every host of the store recognises, also
 *   after a restart
 * - sessions.check {"principal", "session"}: {"live": bool}; false for another token's session
 * - sessions.end {"principal", "session"}: {"ended": bool}
 *
 * A failure carries the wire's tag in its details. An accepted question reports its failure in its
 * events.
 */
#ifndef QUARRY_TRANSPORT_H
#define QUARRY_TRANSPORT_H

#include <quarry/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_TRANSPORT "quarry.transport/1"

/* One event of a question. Numbers start at 1 and rise by 1. Types: meta, reasoning.delta,
 * text.delta, tool.updated, done, error, and the extended ones resource.progress and citation.
 * Others may follow: pass them on. */
typedef struct quarry_event {
  uint32_t struct_size;
  uint64_t number;
  quarry_text type;
  quarry_text json; /* one line */
} quarry_event;

/* The result of read(). */
typedef int32_t quarry_read;
/* stopped at max_bytes: read again when there is space */
#define QUARRY_READ_MORE ((quarry_read)0)
/* nothing new: wake will be called once when there is */
#define QUARRY_READ_EMPTY ((quarry_read)1)
/* the last event of the question has been visited */
#define QUARRY_READ_END ((quarry_read)2)

/* The host's cursor into one question's events. */
typedef struct quarry_reader quarry_reader;

typedef struct quarry_engine quarry_engine;
struct quarry_engine {
  uint32_t struct_size;
  void* context;

  /* Starts `method`; empty params are {}, unknown members are ignored, and an unknown method fails
   * with QUARRY_NOT_FOUND. Asynchronous: the reply is used exactly once, on any thread, perhaps
   * before this returns; it must stay valid until then and is not touched afterwards. Its functions
   * must not block, and may call the engine. Returns a handle for cancel, never 0. [any] */
  uint64_t (*call)(const quarry_engine* self, quarry_text method, quarry_text params,
                   const quarry_reply* reply);
  /* Cancels that call; its reply is still used once. Unknown handles are ignored. [any] */
  void (*cancel)(const quarry_engine* self, uint64_t handle);

  /* A cursor after event number `after` (0 = from the first) of question `id`; NULL when the
   * question does not exist or has been removed. A question is stopped when it has had no reader
   * for the configured grace time. `wake` is called from any thread and must return soon; it may
   * read and close the reader, once the read that it answers has returned: it may come before that.
   * [any] */
  quarry_reader* (*open_reader)(const quarry_engine* self, quarry_text id, uint64_t after,
                                void (*wake)(void* wake_context), void* wake_context);
  /* Visits the next events, at least one if there is one, until their JSON exceeds `max_bytes`. One
   * thread at a time per reader; `visit` must not use the reader. [any] */
  quarry_read (*read)(quarry_reader* reader, size_t max_bytes,
                      void (*visit)(void* visit_context, const quarry_event* event),
                      void* visit_context);
  /* Closes a reader. Once it has returned, wake is not called any more. [any] */
  void (*close_reader)(quarry_reader* reader);
};

typedef struct quarry_transport_v1 {
  uint32_t struct_size;

  /* Starts serving. The value is {"listening": ["http://127.0.0.1:8080"]}. The engine stays valid
   * until stop has returned. After a failure stop is not called; after stop, start may be called
   * again. [control] */
  void (*start)(void* instance, const quarry_call* call, const quarry_engine* engine,
                const quarry_reply* reply);

  /* Stops accepting requests, lets running ones finish within `grace_ms`, then aborts them. Returns
   * when its loops are joined, its sockets and readers closed, and every reply was used. [control]
   */
  void (*stop)(void* instance, int64_t grace_ms);
} quarry_transport_v1;

#ifdef __cplusplus
}
#endif

#endif
