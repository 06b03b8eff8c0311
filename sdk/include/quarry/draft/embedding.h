/* quarry.embedding.draft/1: vectors of texts, by which a search compares meanings.
 *
 * A provider has the exchange form of quarry.model/1 (<quarry/model.h>): it translates texts to an
 * HTTP request and a response to vectors, without any I/O. The host owns sockets, TLS, proxies,
 * secrets, retries and limits.
 *
 * The request is JSON:
 *   {"model": "…", "kind": "passage", "texts": ["…", "…"]}
 * kind: "query" for the text of a search, "passage" for a text that is searched; a model may encode
 * them in different ways. texts: at least one, none of them empty, at most "maxTexts" of describe.
 * Members may be added, and kinds; read an unknown kind as "passage".
 */
#ifndef QUARRY_EMBEDDING_H
#define QUARRY_EMBEDDING_H

#include <quarry/model.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_EMBEDDING "quarry.embedding.draft/1"

/* Most values of a vector; longer ones are refused. */
#define QUARRY_LIMIT_DIMENSION 16384u

/* Receives the vectors of a request. Ends with exactly one finish or error; later calls are
 * ignored. Each function is called on the thread of the function that the sink was passed to, and
 * returns QUARRY_OK, or QUARRY_CANCELLED when no more output is wanted. */
typedef struct quarry_embedding_sink quarry_embedding_sink;
struct quarry_embedding_sink {
  uint32_t struct_size;
  void* context;
  /* The vector of text number `index` of the request, from 0: `dimension` finite values, not
   * necessarily of unit length. Each text has one, in any order; all vectors of a model have the
   * same dimension. The host copies them before this returns. */
  quarry_status (*vector)(const quarry_embedding_sink* self, uint32_t index, const float* values,
                          uint32_t dimension);
  /* input_tokens; the other counts are -1. The latest replaces earlier ones of the request. */
  quarry_status (*usage)(const quarry_embedding_sink* self, const quarry_usage* usage);
  void (*finish)(const quarry_embedding_sink* self);
  void (*error)(const quarry_embedding_sink* self, const quarry_model_error* error);
};

typedef struct quarry_embedding_v1 {
  uint32_t struct_size;

  /* {"title", "schema", "needs", "local", "vendor", "endpoint"} as of a model provider, and
   *  "variant": text that differs whenever options of the configuration change the vectors of a
   *  model (a shortened dimension, a prefix); may be absent. The host keeps vectors by the names of
   *  component and model and by this text, and never compares those of different ones.
   *  "maxTexts": texts of one request at most, 1 to 10000, else 64. [any] */
  void (*describe)(void* instance, const quarry_call* call, const quarry_reply* reply);

  /* All six as those of quarry_model_v1, with the request above. [io] */
  void (*begin)(void* instance, const quarry_call* call, quarry_text request,
                quarry_exchange** exchange, const quarry_reply* reply);
  const quarry_http_request* (*request)(quarry_exchange* exchange);
  void (*head)(quarry_exchange* exchange, int32_t status, uint32_t header_count,
               const quarry_header* const* headers, const quarry_embedding_sink* sink);
  void (*data)(quarry_exchange* exchange, quarry_bytes bytes, const quarry_embedding_sink* sink);
  void (*end)(quarry_exchange* exchange, quarry_end reason, const quarry_embedding_sink* sink);
  void (*destroy_exchange)(quarry_exchange* exchange);
} quarry_embedding_v1;

#ifdef __cplusplus
}
#endif

#endif
