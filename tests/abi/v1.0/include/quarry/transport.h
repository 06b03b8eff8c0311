/* quarry.transport/1: the engine's connection to its clients. A transport translates between its
 * wire protocol and the engine's methods; rules belong to the engine.
 *
 * The method "methods" takes {} and gives {"methods": {name: {"version", "description", "params"?,
 * "principal"?, "result"}}}: the methods of this host, with JSON Schemas of their params and
 * values, which are JSON objects. engine/methods.json among the schemas of the SDK has those of the
 * host that it came with. A version rises when its method takes or returns more; members that a
 * transport does not know may follow, and a method is never removed.
 *
 * By default a method acts for the owner of the host, on the configuration. Where `principal` is
 * "optional" or "required" it takes a member "principal", {"token": id, "project"?: name}, and acts
 * for the bearer of that token, on the resources that the store keeps for its project. `project` is
 * the name that the caller gave; left out, the token's own. A project that does not exist and one
 * that the token does not have fail alike: QUARRY_NOT_FOUND, tag "ProjectError". A missing right:
 * QUARRY_PERMISSION_DENIED, tag "RightsError". A token that is no longer known:
 * QUARRY_UNAUTHENTICATED, tag "AuthenticationError". A question of another caller is not found.
 * Questions and retrieval tools are refused beyond the token's limit of streams (tag
 * "RateLimitError") and beyond a day's budget (tag "BudgetError"); when the token is revoked, its
 * questions are stopped, with an `error` event.
 *
 * question.ask, resources.sync, .show, .file and .lock, and tools.* also take a "traceparent", the
 * header of that name of the client's request (W3C Trace Context), and a "request", the id of that
 * request (1 to 128 visible ASCII characters), which the lines of the host's log name. Both are
 * unchecked: what is not valid is ignored.
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
 * text.delta, tool.updated, done, error, and the extended ones resource.progress, model.waiting and
 * citation. Others may follow: pass them on. */
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
