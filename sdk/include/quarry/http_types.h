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
  quarry_text method; /* "GET", "POST", … */
  quarry_text url;    /* http or https */
  uint32_t header_count;
  const quarry_header* const* headers;
  quarry_text body;
} quarry_http_request;

#ifdef __cplusplus
}
#endif

#endif
