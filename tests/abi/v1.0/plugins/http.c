/* The http service. */
#include "frozen.h"

/* A response as it arrives. */
struct response {
  quarry_http_sink sink;
  int32_t status;
  uint32_t header_count;
  struct text* body;
  struct text* tag;
};

static int is_etag(quarry_text name) {
  return name.size == 4 && (name.data[0] | 32) == 'e' && (name.data[1] | 32) == 't';
}

static quarry_status take_head(const quarry_http_sink* self, int32_t status, uint32_t header_count,
                               const quarry_header* const* headers) {
  struct response* response = self->context;
  uint32_t i;
  response->status = status;
  response->header_count = header_count;
  for (i = 0; i < header_count; ++i) {
    if (is_etag(headers[i]->name) && headers[i]->secret.size == 0 && response->tag != NULL) {
      text_add(response->tag, headers[i]->value.data, headers[i]->value.size);
    }
  }
  return QUARRY_OK;
}

static quarry_status take_data(const quarry_http_sink* self, quarry_text bytes) {
  struct response* response = self->context;
  text_add(response->body, bytes.data, bytes.size);
  return QUARRY_OK;
}

static void begin_response(struct response* response, struct text* body, struct text* tag) {
  memset(response, 0, sizeof *response);
  response->sink.struct_size = sizeof response->sink;
  response->sink.context = response;
  response->sink.head = take_head;
  response->sink.data = take_data;
  response->body = body;
  response->tag = tag;
}

static quarry_header header_of(const char* name, const char* value, const char* secret) {
  quarry_header header;
  memset(&header, 0, sizeof header);
  header.struct_size = sizeof header;
  header.name = quarry_text_of(name);
  header.value = quarry_text_of(value);
  header.secret = quarry_text_of(secret);
  return header;
}

static quarry_http_request request_of(const char* method, const char* url) {
  quarry_http_request request;
  memset(&request, 0, sizeof request);
  request.struct_size = sizeof request;
  request.method = quarry_text_of(method);
  request.url = quarry_text_of(url);
  request.timeout_ms = 30000;
  request.max_redirects = (int32_t)QUARRY_LIMIT_REDIRECTS;
  request.reserved = 0;
  return request;
}

void frozen_get(struct instance* self, const quarry_call* call, const char* url, const char* etag,
                const char* token, struct outcome* outcome, struct text* body, struct text* tag) {
  const quarry_http_v1* http = frozen_service(self, QUARRY_HTTP);
  quarry_header headers[2];
  const quarry_header* list[2];
  quarry_http_request request = request_of("GET", url);
  struct response response;
  begin_response(&response, body, tag);
  request.headers = list;
  if (etag[0] != '\0') {
    headers[request.header_count] = header_of("If-None-Match", etag, "");
    list[request.header_count] = &headers[request.header_count];
    ++request.header_count;
  }
  if (token[0] != '\0') {
    headers[request.header_count] = header_of("Authorization", "Bearer ", token);
    list[request.header_count] = &headers[request.header_count];
    ++request.header_count;
  }
  if (http == NULL || !QUARRY_HAS(http, send_all)) {
    outcome->status = QUARRY_UNSUPPORTED;
    return;
  }
  http->send(http, call, &request, &response.sink, &outcome->reply);
}

static void report_redirect(struct instance* self, const quarry_call* call, const char* base,
                            struct text* report) {
  struct text url = {NULL, 0, 0}, body = {NULL, 0, 0}, tag = {NULL, 0, 0};
  struct outcome outcome;
  text_format(&url, "%s/redirect", base);
  outcome_begin(&outcome);
  frozen_get(self, call, url.data, "", "", &outcome, &body, &tag);
  text_format(report, "{\"http.send\": %d, \"redirected\": %d}\n", outcome.status,
              text_has(text_view(&outcome.value), "/moved"));
  outcome_free(&outcome);
  text_free(&url), text_free(&body), text_free(&tag);
}

static void report_post(const quarry_http_v1* http, const quarry_call* call, const char* base,
                        struct text* report) {
  struct text url = {NULL, 0, 0}, body = {NULL, 0, 0};
  struct outcome outcome;
  struct response response;
  quarry_http_request request;
  text_format(&url, "%s/echo", base);
  request = request_of("POST", url.data);
  request.body = quarry_text_of("a body");
  request.max_redirects = 0;
  begin_response(&response, &body, NULL);
  outcome_begin(&outcome);
  http->send(http, call, &request, &response.sink, &outcome.reply);
  text_format(report,
              "{\"http.post\": %d, \"status\": %d, \"headers\": %s, \"body\": ", outcome.status,
              response.status, response.header_count > 0 ? "true" : "false");
  text_quote(report, text_view(&body));
  text_put(report, "}\n");
  outcome_free(&outcome);
  text_free(&url), text_free(&body);
}

static void report_all(const quarry_http_v1* http, const quarry_call* call, const char* base,
                       struct text* report) {
  struct text url = {NULL, 0, 0}, body = {NULL, 0, 0};
  quarry_http_request allowed, forbidden;
  const quarry_http_request* requests[3];
  struct response response;
  const quarry_http_sink* sinks[3];
  struct outcome outcome;
  text_format(&url, "%s/moved", base);
  allowed = request_of("GET", url.data);
  forbidden = request_of("GET", "http://forbidden.example/");
  requests[0] = requests[2] = &allowed;
  requests[1] = &forbidden;
  begin_response(&response, &body, NULL);
  sinks[0] = &response.sink;
  sinks[1] = sinks[2] = NULL;
  outcome_begin(&outcome);
  http->send_all(http, call, 3, requests, sinks, &outcome.reply);
  text_format(report, "{\"http.send_all\": %d, \"size\": %d, \"value\": ", outcome.status,
              (int)body.size);
  text_put(report, outcome.status == QUARRY_OK ? outcome.value.data : "null");
  text_put(report, "}\n");
  outcome_free(&outcome);
  text_free(&url), text_free(&body);
}

static void report_permit(const quarry_http_v1* http, const quarry_call* call, const char* url,
                          struct text* report) {
  struct outcome outcome;
  outcome_begin(&outcome);
  http->permit(http, call, quarry_text_of(url), &outcome.reply);
  text_format(report, "{\"http.permit\": %d, \"value\": %s}\n", outcome.status,
              outcome.status == QUARRY_OK ? outcome.value.data : outcome.details.data);
  outcome_free(&outcome);
}

void frozen_report_http(struct instance* self, const quarry_call* call, quarry_text resource,
                        struct text* report) {
  const quarry_http_v1* http = frozen_service(self, QUARRY_HTTP);
  struct text base = text_member(resource, "base");
  if (http != NULL) {
    report_redirect(self, call, base.data, report);
    report_post(http, call, base.data, report);
    report_all(http, call, base.data, report);
    report_permit(http, call, base.data, report);
    report_permit(http, call, "https://forbidden.example/", report);
  }
  text_free(&base);
}
