/* quarry.rerank.draft/1: scores that say how well documents answer a query.
 *
 * A provider has the exchange form of quarry.model/1 (<quarry/model.h>): it translates query and
 * documents to an HTTP request and a response to scores, without any I/O. The host owns sockets,
 * TLS, proxies, secrets, retries and limits.
 *
 * The request is JSON:
 *   {"model": "…", "query": "…", "documents": ["…", "…"]}
 * documents: at least one, none of them empty, at most "maxDocuments" of describe. Members may be
 * added.
 */
#ifndef QUARRY_RERANK_H
#define QUARRY_RERANK_H

#include <quarry/model.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_RERANK "quarry.rerank.draft/1"

/* Receives the scores of a request. Ends with exactly one finish or error; later calls are ignored.
 * Each function is called on the thread of the function that the sink was passed to, and returns
 * QUARRY_OK, or QUARRY_CANCELLED when no more output is wanted. */
typedef struct quarry_rerank_sink quarry_rerank_sink;
struct quarry_rerank_sink {
  uint32_t struct_size;
  void* context;
  /* The score of document number `index` of the request, from 0: finite, on the model's own scale,
   * higher is better. Each document has one, in any order. */
  quarry_status (*score)(const quarry_rerank_sink* self, uint32_t index, double score);
  /* input_tokens; the other counts are -1. The latest replaces earlier ones of the request. */
  quarry_status (*usage)(const quarry_rerank_sink* self, const quarry_usage* usage);
  void (*finish)(const quarry_rerank_sink* self);
  void (*error)(const quarry_rerank_sink* self, const quarry_model_error* error);
};

typedef struct quarry_rerank_v1 {
  uint32_t struct_size;

  /* {"title", "schema", "needs", "local", "vendor", "endpoint"} as of a model provider, and
   *  "maxDocuments": documents of one request at most, 1 to 10000, else 100. [any] */
  void (*describe)(void* instance, const quarry_call* call, const quarry_reply* reply);

  /* All six as those of quarry_model_v1, with the request above. [io] */
  void (*begin)(void* instance, const quarry_call* call, quarry_text request,
                quarry_exchange** exchange, const quarry_reply* reply);
  const quarry_http_request* (*request)(quarry_exchange* exchange);
  void (*head)(quarry_exchange* exchange, int32_t status, uint32_t header_count,
               const quarry_header* const* headers, const quarry_rerank_sink* sink);
  void (*data)(quarry_exchange* exchange, quarry_bytes bytes, const quarry_rerank_sink* sink);
  void (*end)(quarry_exchange* exchange, quarry_end reason, const quarry_rerank_sink* sink);
  void (*destroy_exchange)(quarry_exchange* exchange);
} quarry_rerank_v1;

#ifdef __cplusplus
}
#endif

#endif
