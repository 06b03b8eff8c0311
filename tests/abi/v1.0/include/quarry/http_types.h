/* HTTP requests and headers, for the http service and for model providers. */
#ifndef QUARRY_HTTP_TYPES_H
#define QUARRY_HTTP_TYPES_H

#include <quarry/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct quarry_header {
  uint32_t struct_size;
  quarry_text name;
  quarry_text value;
  /* The name of a secret the host appends to `value`, so that "Bearer " becomes "Bearer sk-…"
   * without the plugin ever seeing it; empty = none. */
  quarry_text secret;
} quarry_header;

typedef struct quarry_http_request {
  uint32_t struct_size;
  uint32_t header_count;
  quarry_text method; /* "GET", "POST", … */
  quarry_text url;    /* http or https */
  const quarry_header* const* headers;
  quarry_bytes body;
  /* Of the http service; a model's exchange has the limits of the configuration instead. */
  int64_t timeout_ms;    /* of the whole transfer; 0 = until the call ends */
  int32_t max_redirects; /* 0 to 20; negative = 5. The next redirect is the response itself. */
  uint32_t reserved;     /* 0 */
} quarry_http_request;

#ifdef __cplusplus
}
#endif

#endif
