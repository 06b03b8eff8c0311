/* quarry.transport/1: how the outside talks to the engine. A transport translates between its wire
 * and the engine's methods; rules live in the engine.
 *
 * Methods, their params and values (JSON objects; members may be added):
 * - health {}: {"ok", "service", "version", "ready", "problems"}
 * - config.show {}: {"provider", "model", …}, no secrets
 * - config.reload {}: {"ok", "resources": [names]}
 * - resources.list {}: {"resources": [resource]}
 * - resources.add resource: the created resource
 * - resources.recognise {"reference"}: {"resource"}, what a plugin makes of it
 * - resources.remove {"name"}: {"success", "name"}
 * - models.list {}: {"all": [{"id", "models"}], "connected": [id], "providers": [{"id", "provider",
 *   "model", "models", "reachable", "reason"?}], "chosen", "fallbacks"}
 * - models.select {"provider", "model", "providerOptions"?}: {"provider", "model", "savedTo",
 *   "hint"?}
 * - resources.sync {"name"?}: {"resources": [{"name", "version", "display", "changed",
 *   "fetchedAt"}, or {"name", "error": {"tag", "code", "message", "hint"?}}]}: the source of this
 *   resource, or of all, is asked for news; a name may be a reference
 * - resources.lock {}: {"file", "written", "resources": [{"name", "version", "display", "changed",
 *   "was"?}], "removed": [names], "unlocked": [names of what is read in place]}; not written when
 *   one fails, whose row is as of resources.sync
 * - cache.clear {"name"?}: {"cleared"}
 * - question.ask {"question", "resources"?, "quiet"?, "thread"?, "history"?, "sync"?}: {"id"}, as
 *   soon as it is accepted. `sync` true asks the sources for news first, false asks none of them;
 *   left out, each resource says when. `thread` (1 to 64 characters) names a conversation that the
 * host keeps and goes on with, or begins; a question that names no resources is about those of its
 * thread's last one. `history` brings the turns before instead: [{"role":
 * "user" or "assistant", "content"}], the user first. Of either, the newest turns of 64 KiB of text
 * count, and meta.turnsLeftOut says how many did not.
 * - question.stop {"id"}: {"id", "stopped"}
 * - usage.report {"since"?, "by"?}: {"since", "by", "rows": [{"key", "questions", "calls",
 *   "inputTokens", "outputTokens", "reasoningTokens", "cacheReadTokens", "cacheWriteTokens",
 *   "costUsd"}], "total", "unpricedCalls"}. `since` is a day ("2026-11-01", UTC) or an age ("7d",
 *   "24h"), `by` is "model", "resource" or "day". A question over several resources counts in the
 *   row of each, and once in the total.
 * - threads.list {}: {"threads": [{"id", "title", "created", "updated", "turns": count}]}, the one
 *   that went on last first
 * - threads.show {"id"}: the same of one, "turns": [{"question", "answer", "questionId",
 *   "resources": names and references as the question gave them; none = all}]
 * - threads.remove {"id"}: {"success", "id"}
 * - schemas {}: {"resource", "question"}, JSON Schemas of params
 * - metrics {}: {"text"}, Prometheus text format
 * - host.end {}: {}; asks the program to end in order, as a signal would
 *
 * Without more, a method acts for the owner of the host, on the configuration. resources.list,
 * resources.add and question.ask take a "principal" too, {"token": id, "project"?: name}: they act
 * for the bearer of that token, on the resources that the store keeps for its project. `project`
 * is what the caller named; left out, the token's own. One that does not exist and one that is not
 * the token's fail alike: QUARRY_NOT_FOUND, tag "ProjectError". A right the token has not got:
 * QUARRY_PERMISSION_DENIED, tag "RightsError". A token that is unknown by now: as of access.admit.
 * resources.add then answers a resource that is there already, when it is the same. question.ask
 * is refused beyond the streams of the token (tag "RateLimitError") and beyond a day's money (tag
 * "BudgetError"); when the token is revoked, its questions are stopped, with an `error` event.
 *
 * For the owner, who makes tokens:
 * - projects.create {"name", "usdPerDay"?: "0.50"}, projects.list {}: {"projects": [{"name",
 *   "created", "usdPerDay"?}]}, projects.remove {"name"}: {"success", "name"}
 * - projects.secrets.set {"project", "resource", "member", one of "env": name, "file": path,
 *   "command": [argv] and "value": text}: {"project", "resource", "member", "from"};
 *   projects.secrets.list {"project"}: {"secrets": [{"resource", "member", "from", "inUse",
 *   "created"}]}; projects.secrets.remove {"project", "resource", "member"}: {"success"}. No answer
 *   tells a value.
 * - tokens.create {"projects": [name], "rights": of "add", "ask", "list", "metrics", "label"?,
 *   "expires"?: "90d" or "12h", "requestsPerMinute"?, "streams"?, "usdPerDay"?}: the token's
 *   record and, this once, "token"; tokens.list {"project"?}: {"tokens": [{"id", "projects",
 *   "rights", "label", "created", "expires"?, "revoked"?, …}]}; tokens.revoke {"id"}: {"success",
 *   "id"}
 *
 * - access.admit {"authorization": text after "Bearer ", "count": bool, "peer"?: IP address of who
 *   sent it}: {"admitted", "token": id, "project", "rights": as above, "requests"?: {"limit",
 *   "remaining", "resetMs"}, "retryAfterMs"?}. With `count`, counts one request of the token's
 *   minute; not admitted when there are too many. QUARRY_UNAUTHENTICATED, tag
 *   "AuthenticationError", in the same words for every token that is wrong, expired or revoked;
 *   QUARRY_UNAVAILABLE when the store is away; QUARRY_RESOURCE_EXHAUSTED, tag "RateLimitError",
 *   when the peer, or everybody together, has tried too many wrong tokens and this is not one that
 *   the host knows to be right.
 * - access.record {"request", "principal"?, "method", "tool", "status": of HTTP, "ms", "cancelled",
 *   "questionId"?, "peer"?, "count"?}: {}; one line of the audit, to which the host adds tokens and
 *   cost. Without "principal" nobody was admitted, and "peer" is the IP address it came from;
 *   "count" says for how many requests the line stands, all refused alike.
 * - sessions.open {"principal"}: {"session"}: text that this and any other host of the store knows
 *   again, also after a restart
 * - sessions.check {"principal", "session"}: {"live": bool}; not when it is another token's
 * - sessions.end {"principal", "session"}: {"ended": bool}
 *
 * A failure carries the wire's tag in its details. An accepted question that fails says so in its
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
 * text.delta, tool.updated, done, error, and the extended ones resource.progress and citation. */
typedef struct quarry_event {
  uint32_t struct_size;
  uint64_t number;
  quarry_text type;
  quarry_text json; /* one line */
} quarry_event;

/* What read() found. */
typedef int32_t quarry_read;
#define QUARRY_READ_MORE                                                  \
  ((quarry_read)0) /* stopped at max_bytes: read again when there is room \
                    */
#define QUARRY_READ_EMPTY                                                                       \
  ((quarry_read)1)                       /* nothing new: wake will be called once when there is \
                                          */
#define QUARRY_READ_END ((quarry_read)2) /* the last event of the question has been visited */

typedef struct quarry_reader quarry_reader; /* the host's: a cursor into one question's events */

typedef struct quarry_engine quarry_engine;
struct quarry_engine {
  uint32_t struct_size;
  void* context;

  /* Starts `method`. Asynchronous: the reply is used exactly once, on any thread, perhaps before
   * this returns; it must stay valid until then. Returns a handle for cancel, never 0. [any] */
  uint64_t (*call)(const quarry_engine* self, quarry_text method, quarry_text params,
                   const quarry_reply* reply);
  /* The outcome of that call is no longer wanted; its reply is still used once. Unknown handles are
   * ignored. [any] */
  void (*cancel)(const quarry_engine* self, uint64_t handle);

  /* A cursor behind event number `after` (0 = from the first) of question `id`; NULL when there is
   * no such question (any more). A question whose last reader left is stopped after the grace time
   * of the configuration. `wake` is called from any thread and must return soon; it may
   * read and close the reader. [any] */
  quarry_reader* (*open_reader)(const quarry_engine* self, quarry_text id, uint64_t after,
                                void (*wake)(void* wake_context), void* wake_context);
  /* Visits the next events, at least one if there is one, until `max_bytes` of JSON are passed. One
   * thread at a time per reader. [any] */
  quarry_read (*read)(quarry_reader* reader, size_t max_bytes,
                      void (*visit)(void* visit_context, const quarry_event* event),
                      void* visit_context);
  /* After it returned, wake is not called any more. [any] */
  void (*close_reader)(quarry_reader* reader);
};

typedef struct quarry_transport_v1 {
  uint32_t struct_size;

  /* Begins to serve. The value is {"listening": ["http://127.0.0.1:8080"]}. The engine stays valid
   * until stop returned. [control] */
  void (*start)(void* instance, const quarry_engine* engine, const quarry_reply* reply);

  /* Accepts nothing new, lets what runs finish within `grace_ms`, then cuts it. Returns when its
   * loops are joined and its sockets closed. [control] */
  void (*stop)(void* instance, int64_t grace_ms);
} quarry_transport_v1;

#ifdef __cplusplus
}
#endif

#endif
