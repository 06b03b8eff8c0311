/* quarry.model/1: a model provider, called for one step of a conversation at a time.
 *
 * A provider fills in exactly one of two forms. *Exchange* is for anything over HTTP: the provider
 * translates and the host does all I/O (sockets, TLS, proxies, retries, secrets, limits), so
 * thousands of streams cost memory and not threads. *Generate* is for computation in this process.
 *
 * The chat request is JSON:
 *   {"model": "…", "system": "…", "messages": [
 *      {"role": "user", "text": "…"},
 *      {"role": "assistant", "text": "…", "reasoning": "…", "toolCalls": [{"id", "name",
 * "arguments"}], "kept": [ …what keep() was given, in order… ]},
 *      {"role": "tool", "toolCallId": "…", "name": "…", "text": "…", "failed": false}],
 *    "tools": [{"name", "description", "parameters": {…JSON Schema…}}],
 *    "maxOutputTokens": 8192, "toolsAllowed": true, "options": {…}}
 * `arguments` is an object. Members may be added.
 */
#ifndef QUARRY_MODEL_H
#define QUARRY_MODEL_H

#include <quarry/abi.h>
#include <quarry/http_types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_MODEL "quarry.model/1"

/* Tokens of this step. A count that the provider did not report is -1. */
typedef struct quarry_usage {
  uint32_t struct_size;
  uint32_t reserved;        /* 0 */
  int64_t input_tokens;     /* all input, cached parts included */
  int64_t output_tokens;    /* all output, reasoning included */
  int64_t reasoning_tokens; /* part of output */
  int64_t cache_read_tokens;
  int64_t cache_write_tokens;
} quarry_usage;

/* The reason a step ended. The host reads an unknown one as QUARRY_FINISH_STOP. */
typedef int32_t quarry_finish;
#define QUARRY_FINISH_STOP ((quarry_finish)0)
#define QUARRY_FINISH_LENGTH ((quarry_finish)1)
#define QUARRY_FINISH_TOOL_CALLS ((quarry_finish)2)
#define QUARRY_FINISH_CONTENT_FILTER ((quarry_finish)3)

typedef struct quarry_model_error {
  uint32_t struct_size;
  quarry_status status;
  int32_t http_status;    /* 0 when there was no response */
  int64_t retry_after_ms; /* -1 when the provider gave none */
  quarry_text message;    /* the provider's own message */
} quarry_model_error;

/* Receives the output of a step, in order. Ends with exactly one finish or error; later calls are
 * ignored. Each function is called on the thread of the function that the sink was passed to, and
 * returns QUARRY_OK, or QUARRY_CANCELLED when no more output is wanted. In the generate form they
 * block while the reader is behind. */
typedef struct quarry_model_sink quarry_model_sink;
struct quarry_model_sink {
  uint32_t struct_size;
  void* context;
  quarry_status (*text)(const quarry_model_sink* self, quarry_text delta);
  quarry_status (*reasoning)(const quarry_model_sink* self, quarry_text delta);
  /* A part of tool call number `index` (from 0). `id` and `name` may be empty after the first part;
   * `arguments` is the next piece of the JSON text. Calls may interleave. A call without id gets
   * one from the host. */
  quarry_status (*tool_call)(const quarry_model_sink* self, uint32_t index, quarry_text id,
                             quarry_text name, quarry_text arguments);
  /* The latest counts, all five of them, replace the earlier ones of the same step. */
  quarry_status (*usage)(const quarry_model_sink* self, const quarry_usage* usage);
  /* A JSON value to send back with this assistant message in later requests (a signature). */
  quarry_status (*keep)(const quarry_model_sink* self, quarry_text json);
  void (*finish)(const quarry_model_sink* self, quarry_finish reason);
  void (*error)(const quarry_model_sink* self, const quarry_model_error* error);
};

/* The way a response ended, for end(). Others may follow, each a kind of QUARRY_END_CUT. */
typedef int32_t quarry_end;
#define QUARRY_END_COMPLETE ((quarry_end)0) /* as HTTP says it should */
#define QUARRY_END_CUT ((quarry_end)1)      /* the connection broke */

/* The provider's state of one request and its response. */
typedef struct quarry_exchange quarry_exchange;

typedef struct quarry_model_v1 {
  uint32_t struct_size;

  /* {"title": "…", "schema": {…for the provider's part of the configuration…}, "needs": ["SECRET"],
   *  "local": false}. needs: names of the secrets it requires; local: costs nothing.
   * May also contain "vendor": the id under which price catalogues bill these models, absent when
   * unknown (behind another base URL, say); "endpoint": the base URL it connects to, which the host
   * then permits even at a private address; "defaultModel": used when the configuration names no
   * model, absent when the first of models() is. [any] */
  void (*describe)(void* instance, const quarry_call* call, const quarry_reply* reply);

  /* Generate form, else NULL: runs one step and blocks until the step has ended or the call is
   * over. [worker] */
  void (*generate)(void* instance, const quarry_call* call, quarry_text chat_request,
                   const quarry_model_sink* sink);

  /* Exchange form, else NULL, all six: begin creates an exchange (*exchange is NULL after a
   * failure; the value is ignored and may be empty); request returns the request to send, valid
   * until the next call on the exchange (NULL fails the step); then head once, data any number of
   * times (bytes may be cut anywhere; none: time passes, and a server that has named its end but
   * stays connected is done), end once, any of which may be left out; destroy_exchange once, when
   * no other function of the exchange runs. A retry is a new request before head. [io] */
  void (*begin)(void* instance, const quarry_call* call, quarry_text chat_request,
                quarry_exchange** exchange, const quarry_reply* reply);
  const quarry_http_request* (*request)(quarry_exchange* exchange);
  void (*head)(quarry_exchange* exchange, int32_t status, uint32_t header_count,
               const quarry_header* const* headers, const quarry_model_sink* sink);
  void (*data)(quarry_exchange* exchange, quarry_bytes bytes, const quarry_model_sink* sink);
  void (*end)(quarry_exchange* exchange, quarry_end reason, const quarry_model_sink* sink);
  void (*destroy_exchange)(quarry_exchange* exchange);

  /* Optional (NULL): {"models": [{"id": "…", "contextTokens": 128000}]}, the best default first. A
   * model may have "tools": false if it is known that it cannot call tools. [worker] */
  void (*models)(void* instance, const quarry_call* call, const quarry_reply* reply);
} quarry_model_v1;

#ifdef __cplusplus
}
#endif

#endif
