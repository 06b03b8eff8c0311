/* A type of resource whose values have exactly the sizes that every host accepts. */
#include "frozen.h"

static void describe(void* instance, const quarry_call* call, const quarry_reply* reply) {
  (void)instance, (void)call;
  quarry_answer(reply,
                "{\"title\": \"Frozen limits\", \"schema\": {\"type\": \"object\", "
                "\"properties\": {\"base\": {\"type\": \"string\"}, \"refused\": {\"type\": "
                "\"boolean\"}}}}");
}

/* Fills `json`, which is not closed yet, with a member up to `size` bytes with the end. */
static void close_at(struct text* json, size_t size) {
  text_put(json, ", \"padding\": \"");
  text_repeat(json, 'p', size - json->size - 2);
  text_put(json, "\"}");
}

static void refuse(const quarry_reply* reply) {
  struct text sentence = {NULL, 0, 0}, details = {NULL, 0, 0};
  unsigned i;
  text_repeat(&sentence, 's', QUARRY_LIMIT_SENTENCE);
  text_put(&details, "{\"fields\": [");
  for (i = 0; i < QUARRY_LIMIT_FIELDS; ++i) {
    text_format(&details, "%s{\"field\": \"/field-%u\", \"message\": \"is wrong\"}",
                i == 0 ? "" : ", ", i);
  }
  text_put(&details, "]");
  close_at(&details, QUARRY_LIMIT_DETAILS);
  quarry_fail(reply, QUARRY_INVALID_ARGUMENT, sentence.data, sentence.data, details.data);
  text_free(&sentence), text_free(&details);
}

static void normalise(void* instance, const quarry_call* call, quarry_text resource,
                      const quarry_reply* reply) {
  (void)instance, (void)call;
  if (text_has(resource, "\"refused\"")) {
    refuse(reply);
  } else {
    reply->value(reply, resource);
  }
}

static void resolve(void* instance, const quarry_call* call, quarry_text resource, quarry_text last,
                    const quarry_reply* reply) {
  struct text json = {NULL, 0, 0};
  (void)instance, (void)call, (void)resource, (void)last;
  text_put(&json, "{\"id\": \"1\", \"immutable\": false, \"display\": \"the largest\"");
  close_at(&json, QUARRY_LIMIT_VERSION);
  reply->value(reply, text_view(&json));
  text_free(&json);
}

static void tell_progress(const quarry_call* call) {
  struct text json = {NULL, 0, 0};
  text_put(&json, "{\"message\": \"the largest progress\"");
  close_at(&json, QUARRY_LIMIT_PROGRESS);
  call->progress(call, text_view(&json));
  text_free(&json);
}

static quarry_status add_paths(const quarry_tree* tree) {
  struct text path = {NULL, 0, 0};
  quarry_status status;
  unsigned i;
  for (i = 1; i < QUARRY_LIMIT_LEVELS; ++i) text_put(&path, "l/");
  text_put(&path, "f");
  status = tree->add_file(tree, text_view(&path), quarry_text_of("# Deep\n"));
  text_free(&path);
  for (i = 0; i < 4; ++i) {
    text_repeat(&path, 'n', 200);
    text_put(&path, "/");
  }
  text_repeat(&path, 'n', QUARRY_LIMIT_PATH - path.size);
  if (status == QUARRY_OK)
    status = tree->add_file(tree, text_view(&path), quarry_text_of("# Long\n"));
  text_free(&path);
  return status;
}

/* As many files as their facts permit. */
static quarry_status add_facts(const quarry_tree* tree) {
  struct text permalink = {NULL, 0, 0}, title = {NULL, 0, 0}, media_type = {NULL, 0, 0};
  quarry_status status = QUARRY_OK;
  quarry_file file;
  size_t size, i;
  text_put(&permalink, "https://frozen.example/");
  text_repeat(&permalink, 'p', QUARRY_LIMIT_PERMALINK - permalink.size);
  text_repeat(&title, 't', QUARRY_LIMIT_TITLE);
  text_put(&media_type, "text/");
  text_repeat(&media_type, 'm', QUARRY_LIMIT_MEDIA_TYPE - media_type.size);
  memset(&file, 0, sizeof file);
  file.struct_size = sizeof file;
  file.permalink = text_view(&permalink);
  file.title = text_view(&title);
  file.media_type = text_view(&media_type);
  size = permalink.size + title.size + media_type.size + strlen("facts/0000.md");
  for (i = 0; (i + 1) * size <= QUARRY_LIMIT_FILE_FACTS && status == QUARRY_OK; ++i) {
    char path[32];
    snprintf(path, sizeof path, "facts/%04u.md", (unsigned)i);
    file.path = quarry_text_of(path);
    status = tree->add_described(tree, &file, quarry_text_of("x"));
  }
  text_free(&permalink), text_free(&title), text_free(&media_type);
  return status;
}

struct counter {
  quarry_http_sink sink;
  uint32_t headers;
};

static quarry_status count_headers(const quarry_http_sink* self, int32_t status,
                                   uint32_t header_count, const quarry_header* const* headers) {
  struct counter* counter = self->context;
  (void)status, (void)headers;
  counter->headers = header_count;
  return QUARRY_OK;
}

static quarry_status ignore_data(const quarry_http_sink* self, quarry_text bytes) {
  (void)self, (void)bytes;
  return QUARRY_OK;
}

static quarry_http_request get(const char* url) {
  quarry_http_request request;
  memset(&request, 0, sizeof request);
  request.struct_size = sizeof request;
  request.method = quarry_text_of("GET");
  request.url = quarry_text_of(url);
  return request;
}

/* A response with the most headers, and the most requests, which all fail. */
static void report_http(struct instance* self, const quarry_call* call, quarry_text resource,
                        struct text* report) {
  const quarry_http_v1* http = frozen_service(self, QUARRY_HTTP);
  static const quarry_http_request* requests[QUARRY_LIMIT_REQUESTS];
  static const quarry_http_sink* sinks[QUARRY_LIMIT_REQUESTS];
  const quarry_http_request refused = get("http://forbidden.example/");
  struct text url = text_member(resource, "base");
  struct counter counter;
  struct outcome outcome;
  quarry_http_request request;
  unsigned i;
  if (http == NULL) return;
  text_format(&url, "/headers/%u", QUARRY_LIMIT_RESPONSE_HEADERS);
  request = get(url.data);
  memset(&counter, 0, sizeof counter);
  counter.sink.struct_size = sizeof counter.sink;
  counter.sink.context = &counter;
  counter.sink.head = count_headers;
  counter.sink.data = ignore_data;
  outcome_begin(&outcome);
  http->send(http, call, &request, &counter.sink, &outcome.reply);
  text_format(report, "{\"headers\": %u, \"status\": %d}\n", counter.headers, outcome.status);
  outcome_free(&outcome);
  for (i = 0; i < QUARRY_LIMIT_REQUESTS; ++i) requests[i] = &refused;
  outcome_begin(&outcome);
  http->send_all(http, call, QUARRY_LIMIT_REQUESTS, requests, sinks, &outcome.reply);
  text_format(report, "{\"requests\": %d}\n", outcome.status);
  outcome_free(&outcome);
  text_free(&url);
}

static void answer_metadata(const quarry_reply* reply) {
  struct text json = {NULL, 0, 0};
  unsigned i;
  text_put(&json, "{\"notes\": [");
  for (i = 0; i < QUARRY_LIMIT_NOTES; ++i) {
    text_put(&json, i == 0 ? "\"" : ", \"");
    text_repeat(&json, (char)('a' + i), QUARRY_LIMIT_NOTE);
    text_put(&json, "\"");
  }
  text_put(&json, "], \"state\": \"");
  text_repeat(&json, 's', QUARRY_LIMIT_STATE - 2);
  text_put(&json, "\"");
  close_at(&json, QUARRY_LIMIT_VALUE);
  reply->value(reply, text_view(&json));
  text_free(&json);
}

static void fetch(void* instance, const quarry_call* call, quarry_text resource,
                  quarry_text version, quarry_text last, const quarry_tree* tree,
                  const quarry_reply* reply) {
  struct text report = {NULL, 0, 0};
  quarry_status status;
  tell_progress(call);
  text_format(&report, "{\"version\": %d, \"last\": %d}\n", version.size == QUARRY_LIMIT_VERSION,
              last.size > QUARRY_LIMIT_VERSION + QUARRY_LIMIT_STATE);
  report_http(instance, call, resource, &report);
  status = add_paths(tree);
  if (status == QUARRY_OK) status = add_facts(tree);
  if (status == QUARRY_OK)
    status = tree->add_file(tree, quarry_text_of("report.md"), text_view(&report));
  if (status == QUARRY_OK) {
    answer_metadata(reply);
  } else {
    quarry_fail(reply, status, "a limit is lower than in version 1.0", "", "");
  }
  text_free(&report);
}

const quarry_resource_v1 frozen_limits = {
    sizeof(quarry_resource_v1), describe, normalise, resolve, fetch, NULL};
