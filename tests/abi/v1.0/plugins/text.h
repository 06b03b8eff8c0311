/* Growing text, JSON, and the outcome of a service's call, for the frozen plugins. */
#ifndef FROZEN_TEXT_H
#define FROZEN_TEXT_H

#include <quarry/json.h>
#include <quarry/plugin.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct text {
  char* data;
  size_t size;
  size_t capacity;
};

static inline void text_add(struct text* text, const char* data, size_t size) {
  if (text->size + size + 1 > text->capacity) {
    text->capacity = 2 * (text->size + size + 1);
    text->data = realloc(text->data, text->capacity);
    if (text->data == NULL) abort();
  }
  if (size != 0) memcpy(text->data + text->size, data, size);
  text->size += size;
  text->data[text->size] = '\0';
}

static inline void text_put(struct text* text, const char* terminated) {
  text_add(text, terminated, strlen(terminated));
}

static inline void text_format(struct text* text, const char* format, ...) {
  char line[512];
  va_list values;
  va_start(values, format);
  vsnprintf(line, sizeof line, format, values);
  va_end(values);
  text_put(text, line);
}

static inline void text_repeat(struct text* text, char c, size_t count) {
  while (count-- != 0) text_add(text, &c, 1);
}

/* Adds a JSON string. */
static inline void text_quote(struct text* text, quarry_text value) {
  size_t i;
  text_put(text, "\"");
  for (i = 0; i < value.size; ++i) {
    const unsigned char c = (unsigned char)value.data[i];
    if (c == '"' || c == '\\') text_put(text, "\\");
    if (c < ' ') {
      text_format(text, "\\u%04x", c);
    } else {
      text_add(text, value.data + i, 1);
    }
  }
  text_put(text, "\"");
}

static inline quarry_text text_view(const struct text* text) {
  quarry_text view;
  view.data = text->data;
  view.size = text->size;
  return view;
}

static inline void text_free(struct text* text) {
  const struct text none = {NULL, 0, 0};
  free(text->data);
  *text = none;
}

/* The member `key` of a JSON object as text, or empty text. */
static inline struct text text_member(quarry_text object, const char* key) {
  struct text found = {NULL, 0, 0};
  quarry_text value = {NULL, 0};
  size_t size = QUARRY_JSON_NONE;
  text_add(&found, "", 0);
  if (object.size == 0 || !quarry_json_member(object, key, &value)) return found;
  text_repeat(&found, ' ', value.size);
  size = quarry_json_string(value, found.data);
  found.size = size == QUARRY_JSON_NONE ? 0 : size;
  found.data[found.size] = '\0';
  return found;
}

/* Finds text in text that has no terminator. */
static inline int text_has(quarry_text text, const char* part) {
  const size_t size = strlen(part);
  size_t at;
  for (at = 0; at + size <= text.size; ++at) {
    if (memcmp(text.data + at, part, size) == 0) return 1;
  }
  return 0;
}

/* A reply that a service uses: its status (-1 before it was used) and copies of its texts. */
struct outcome {
  quarry_reply reply;
  quarry_status status;
  struct text value;
  struct text message;
  struct text hint;
  struct text details;
};

static inline void outcome_value(const quarry_reply* self, quarry_text json) {
  struct outcome* outcome = self->context;
  outcome->status = QUARRY_OK;
  text_add(&outcome->value, json.data, json.size);
}

static inline void outcome_failure(const quarry_reply* self, const quarry_failure* failure) {
  struct outcome* outcome = self->context;
  outcome->status = failure->status;
  text_add(&outcome->message, failure->message.data, failure->message.size);
  text_add(&outcome->hint, failure->hint.data, failure->hint.size);
  text_add(&outcome->details, failure->details.data, failure->details.size);
}

static inline void outcome_begin(struct outcome* outcome) {
  memset(outcome, 0, sizeof *outcome);
  outcome->reply.struct_size = sizeof outcome->reply;
  outcome->reply.context = outcome;
  outcome->reply.value = outcome_value;
  outcome->reply.failure = outcome_failure;
  outcome->status = -1;
  text_add(&outcome->value, "", 0);
  text_add(&outcome->message, "", 0);
  text_add(&outcome->hint, "", 0);
  text_add(&outcome->details, "", 0);
}

static inline void outcome_free(struct outcome* outcome) {
  text_free(&outcome->value);
  text_free(&outcome->message);
  text_free(&outcome->hint);
  text_free(&outcome->details);
}

/* Passes a failed outcome on. */
static inline void outcome_fail(const struct outcome* outcome, const quarry_reply* reply) {
  quarry_fail(reply, outcome->status, outcome->message.data, outcome->hint.data,
              outcome->details.data);
}

#endif
