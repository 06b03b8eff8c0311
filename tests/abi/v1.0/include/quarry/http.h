/* quarry.http/1: an HTTP client. The host provides TLS, proxies, redirects, timeouts, the policy
 * for private addresses and the removal of secrets.
 *
 * Limits beside timeout_ms; their numbers are those of today and may change. QUARRY_UNAVAILABLE: no
 * connection within 10 s. QUARRY_DEADLINE_EXCEEDED: not a byte in either direction for 120 s; or,
 * for plugins with a resource type, a transfer slower than 1 kB/s on average over 30 s, the wait
 * for the first byte included. QUARRY_RESOURCE_EXHAUSTED: a body of more than 1 GiB;
 * QUARRY_LIMIT_RESPONSE_BODY is always accepted. A sink that takes its time is not counted.
 *
 * Redirects. A redirect to another origin (scheme, host or port) is sent without the headers that
 * have a secret, and without those that the host takes for credentials: at least those whose name
 * contains "authorization", "cookie", "token", "key" or "secret", in any case. Pass credentials as
 * `secret`. It is followed only to a host that is permitted. 303, and 301 and 302 after POST,
 * become GET without a body and its headers.
 *
 * Content codings. The host asks for none and undoes none: the body is delivered as it was sent,
 * also when the plugin sets Accept-Encoding itself.
 *
 * A host that is not permitted fails with QUARRY_PERMISSION_DENIED and the details
 * {"host": "codeload.github.com", "redirect": true, "refusedBy": "manifest"}. "redirect": a
 * redirect led there. "refusedBy": "manifest" (the permissions list it neither by name nor by a
 * field), or "network" (its address is private, and network.private_hosts of the configuration does
 * not permit it); others may follow. The hint is for the user; a plugin that knows which field
 * names the host replaces it. */
#ifndef QUARRY_HTTP_H
#define QUARRY_HTTP_H

#include <quarry/http_types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_HTTP "quarry.http/1"

/* Receives a response: head once, then data any number of times. Any status but QUARRY_OK ends the
 * transfer as cancelled. Its functions, each of which may be NULL, must not throw, and may call
 * services. [worker] */
typedef struct quarry_http_sink quarry_http_sink;
struct quarry_http_sink {
  uint32_t struct_size;
  void* context;
  quarry_status (*head)(const quarry_http_sink* self, int32_t status, uint32_t header_count,
                        const quarry_header* const* headers);
  quarry_status (*data)(const quarry_http_sink* self, quarry_bytes bytes);
};

typedef struct quarry_http_v1 quarry_http_v1;
struct quarry_http_v1 {
  uint32_t struct_size;
  void* context;
  /* Sends a request and blocks until the response has ended. The sink, which may be NULL, is called
   * on the calling thread. The value is {"status": 200, "url": "<after redirects>"} for any HTTP
   * status; a failure means that the response was missing or incomplete. [worker] */
  void (*send)(const quarry_http_v1* self, const quarry_call* call,
               const quarry_http_request* request, const quarry_http_sink* sink,
               const quarry_reply* reply);
  /* Checks that a program of the plugin may connect to the host of `url` (http, https or ssh). The
   * value is {"host": "example.org", "port": 443, "addresses": ["203.0.113.7"], "proxied": false}:
   * the program must connect to one of these addresses and nothing else, because the name may
   * resolve differently later. When a proxy of the environment serves that host, "addresses" is
   * empty and the program must use the proxy. Fails as send does. [worker] */
  void (*permit)(const quarry_http_v1* self, const quarry_call* call, quarry_text url,
                 const quarry_reply* reply);
  /* Sends several requests at once, and blocks until every response has ended. sinks[i], which may
   * be NULL, receives the response to requests[i]; all are called on the calling thread, one at a
   * time. More than QUARRY_LIMIT_REQUESTS are refused with QUARRY_INVALID_ARGUMENT; the host
   * sends some of them at a time. The value is
   * {"responses": [{"status": 200, "url": "…"} or {"failure": {"status": 3, "message": "…",
   * "hint": "…", "details": {…}}}]}, status of a failure as quarry_status, details only where a
   * host is not permitted. Fails as a whole only when the call is over, or an argument is wrong.
   * [worker] */
  void (*send_all)(const quarry_http_v1* self, const quarry_call* call, uint32_t count,
                   const quarry_http_request* const* requests, const quarry_http_sink* const* sinks,
                   const quarry_reply* reply);
};

#ifdef __cplusplus
}
#endif

#endif
