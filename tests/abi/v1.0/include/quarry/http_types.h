/* HTTP requests and headers, for the http service and for model providers. */
#ifndef QUARRY_HTTP_TYPES_H
#define QUARRY_HTTP_TYPES_H

#include <quarry/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of a response, names are in any case, values are bytes, and repeated headers are repeated. */
typedef struct quarry_header {
  uint32_t struct_size;
  quarry_text name;
  quarry_bytes value;
  /* The name of a secret the host appends to `value`, so that "Bearer " becomes "Bearer sk-…"
   * without the plugin ever seeing it; empty = none. */
  quarry_text secret;
} quarry_header;

/* Refused with QUARRY_INVALID_ARGUMENT: headers that frame or route a message (Host,
 * Content-Length, Transfer-Encoding, Connection and the like), and a URL with user or password. */
typedef struct quarry_http_request {
  uint32_t struct_size;
  uint32_t header_count;
  quarry_text method; /* "GET", "POST", … */
  quarry_text url;    /* http or https */
  const quarry_header* const* headers;
  quarry_bytes body;
  /* Of the http service; a model's exchange has the limits of the configuration instead. */
  /* of the whole transfer, at most a day; 0 = until the call ends; less counts as 1 */
  int64_t timeout_ms;
  /* 0 = at most 5 are followed, the next one fails with QUARRY_UNAVAILABLE; 1 to 20: the next one
   * is the response itself; negative = none is followed, the first one is the response itself */
  int32_t max_redirects;
  uint32_t reserved; /* 0, or the request is refused with QUARRY_INVALID_ARGUMENT */
} quarry_http_request;

#ifdef __cplusplus
}
#endif

#endif
