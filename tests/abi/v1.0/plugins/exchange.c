/* A model of the exchange form. The request's body is the chat request; the response is lines, of
 * which the first letter is the function of the sink. Fields are separated by tabs:
 * T text | R text | C index id name arguments | K json | U input output reasoning read write |
 * F reason */
#include "frozen.h"

struct quarry_exchange {
  struct text url, secret, body, rest, retry_after;
  quarry_header headers[QUARRY_LIMIT_REQUEST_HEADERS];
  const quarry_header* list[QUARRY_LIMIT_REQUEST_HEADERS];
  quarry_http_request request;
  int32_t status;
  int ended;
};

static void describe(void* instance, const quarry_call* call, const quarry_reply* reply) {
  struct instance* self = instance;
  struct text endpoint = text_member(text_view(&self->configuration), "base_url");
  struct text json = {NULL, 0, 0};
  (void)call;
  text_put(&json,
           "{\"title\": \"Frozen exchange\", \"needs\": [], \"local\": false, \"vendor\": "
           "\"frozen-vendor\", \"defaultModel\": \"frozen-1\", \"schema\": {\"type\": \"object\", "
           "\"properties\": {\"base_url\": {\"type\": \"string\"}, \"api_key\": {\"type\": "
           "\"string\", \"writeOnly\": true}}}, \"endpoint\": ");
  text_quote(&json, text_view(&endpoint));
  text_put(&json, "}");
  reply->value(reply, text_view(&json));
  text_free(&json), text_free(&endpoint);
}

static void begin(void* instance, const quarry_call* call, quarry_text chat_request,
                  quarry_exchange** exchange, const quarry_reply* reply) {
  struct instance* self = instance;
  quarry_exchange* made;
  (void)call;
  if (text_has(chat_request, "not begun?")) {
    *exchange = NULL;
    quarry_fail(reply, QUARRY_INVALID_ARGUMENT, "this question is not begun", "ask another", "");
    return;
  }
  made = calloc(1, sizeof *made);
  if (made == NULL) abort();
  made->url = text_member(text_view(&self->configuration), "base_url");
  made->secret = text_member(text_view(&self->configuration), "api_key");
  text_put(&made->url, "/step");
  text_add(&made->body, chat_request.data, chat_request.size);
  *exchange = made;
  quarry_answer(reply, "{}");
}

static void set_header(quarry_exchange* self, const char* name, const char* value,
                       quarry_text secret) {
  quarry_header* header = &self->headers[self->request.header_count];
  header->struct_size = sizeof *header;
  header->name = quarry_text_of(name);
  header->value = quarry_text_of(value);
  header->secret = secret;
  self->list[self->request.header_count++] = header;
}

static const quarry_http_request* request(quarry_exchange* self) {
  const quarry_text none = {NULL, 0};
  self->request.struct_size = sizeof self->request;
  self->request.header_count = 0;
  set_header(self, "Content-Type", "application/json", none);
  if (self->secret.size != 0)
    set_header(self, "Authorization", "Bearer ", text_view(&self->secret));
  while (text_has(text_view(&self->body), "most headers?") &&
         self->request.header_count < QUARRY_LIMIT_REQUEST_HEADERS) {
    set_header(self, "X-Frozen", "one of many", none);
  }
  self->request.method = quarry_text_of("POST");
  self->request.url = text_view(&self->url);
  self->request.headers = self->list;
  self->request.body = text_view(&self->body);
  self->status = 0;
  self->rest.size = 0;
  return &self->request;
}

static void head(quarry_exchange* self, int32_t status, uint32_t header_count,
                 const quarry_header* const* headers, const quarry_model_sink* sink) {
  uint32_t i;
  (void)sink;
  self->status = status;
  for (i = 0; i < header_count; ++i) {
    const quarry_text name = headers[i]->name;
    if (name.size == 11 && (name.data[0] | 32) == 'r') { /* Retry-After */
      text_add(&self->retry_after, headers[i]->value.data, headers[i]->value.size);
    }
  }
}

/* The field after the next tab of a line; the rest of the line is left in it. */
static quarry_text next_field(quarry_text* line) {
  quarry_text field = *line;
  size_t at = 0;
  while (at < line->size && line->data[at] != '\t') ++at;
  field.size = at;
  line->data += at == line->size ? at : at + 1;
  line->size -= at == line->size ? at : at + 1;
  return field;
}

static int64_t next_number(quarry_text* line) {
  const quarry_text field = next_field(line);
  char digits[24] = {0};
  memcpy(digits, field.data, field.size < sizeof digits - 1 ? field.size : sizeof digits - 1);
  return strtoll(digits, NULL, 10);
}

static void take_usage(quarry_text line, const quarry_model_sink* sink) {
  quarry_usage usage;
  memset(&usage, 0, sizeof usage);
  usage.struct_size = sizeof usage;
  usage.input_tokens = next_number(&line);
  usage.output_tokens = next_number(&line);
  usage.reasoning_tokens = next_number(&line);
  usage.cache_read_tokens = next_number(&line);
  usage.cache_write_tokens = next_number(&line);
  sink->usage(sink, &usage);
}

static void take_line(quarry_exchange* self, quarry_text line, const quarry_model_sink* sink) {
  const quarry_text kind = next_field(&line);
  const char letter = kind.size == 1 ? kind.data[0] : ' ';
  if (letter == 'T') sink->text(sink, line);
  if (letter == 'R') sink->reasoning(sink, line);
  if (letter == 'K') sink->keep(sink, line);
  if (letter == 'U') take_usage(line, sink);
  if (letter == 'C') {
    const uint32_t index = (uint32_t)next_number(&line);
    const quarry_text id = next_field(&line), name = next_field(&line);
    sink->tool_call(sink, index, id, name, line);
  }
  if (letter == 'F') {
    self->ended = 1;
    sink->finish(sink, (quarry_finish)next_number(&line));
  }
}

static void data(quarry_exchange* self, quarry_text bytes, const quarry_model_sink* sink) {
  size_t begin = 0, at;
  text_add(&self->rest, bytes.data, bytes.size);
  if (self->status != 200) return; /* the body is a message */
  for (at = 0; at < self->rest.size; ++at) {
    if (self->rest.data[at] == '\n') {
      quarry_text line;
      line.data = self->rest.data + begin;
      line.size = at - begin;
      take_line(self, line, sink);
      begin = at + 1;
    }
  }
  memmove(self->rest.data, self->rest.data + begin, self->rest.size - begin);
  self->rest.size -= begin;
}

static void end(quarry_exchange* self, quarry_end reason, const quarry_model_sink* sink) {
  quarry_model_error error;
  if (self->ended) return;
  memset(&error, 0, sizeof error);
  error.struct_size = sizeof error;
  error.status = self->status == 401   ? QUARRY_UNAUTHENTICATED
                 : self->status == 403 ? QUARRY_PERMISSION_DENIED
                                       : QUARRY_UNAVAILABLE;
  error.http_status = self->status;
  error.retry_after_ms =
      self->retry_after.size == 0 ? -1 : 1000 * strtoll(self->retry_after.data, NULL, 10);
  error.message = reason == QUARRY_END_CUT        ? quarry_text_of("the response was cut")
                  : reason != QUARRY_END_COMPLETE ? quarry_text_of("an unknown end")
                                                  : text_view(&self->rest);
  sink->error(sink, &error);
}

static void destroy_exchange(quarry_exchange* self) {
  text_free(&self->url), text_free(&self->secret), text_free(&self->body);
  text_free(&self->rest), text_free(&self->retry_after);
  free(self);
}

const quarry_model_v1 frozen_exchange = {
    sizeof(quarry_model_v1), describe, NULL, begin, request, head, data, end,
    destroy_exchange,        NULL};
