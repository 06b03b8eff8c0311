/* Reads the JSON that a host passes to a plugin, without a library. A convenience compiled into the
 * plugin, not part of the contract. The host passes well-formed JSON only; for other text the
 * results are meaningless, but no function reads beyond its end. Nothing is allocated. */
#ifndef QUARRY_JSON_H
#define QUARRY_JSON_H

#include <quarry/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_JSON_NONE ((size_t)-1)

static inline size_t quarry_json_space(quarry_text json, size_t at) {
  while (at < json.size && (json.data[at] == ' ' || json.data[at] == '\t' ||
                            json.data[at] == '\r' || json.data[at] == '\n')) {
    ++at;
  }
  return at;
}

/* The offset just after the value at `at`. */
static inline size_t quarry_json_end(quarry_text json, size_t at) {
  size_t depth = 0;
  while (at < json.size) {
    const char c = json.data[at++];
    if (c == '"') {
      while (at < json.size && json.data[at] != '"') at += json.data[at] == '\\' ? 2 : 1;
      at = at < json.size ? at + 1 : json.size;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return at - 1;
      --depth;
    } else if (depth == 0) { /* a number or a literal ends where something else begins */
      if (c == ',' || c == ':' || c <= ' ') return at - 1;
      continue;
    }
    if (depth == 0) return at;
  }
  return json.size;
}

/* Walks over an array or an object: set `json`, and `at` to 0. */
typedef struct quarry_json_walk {
  quarry_text json;
  size_t at;
} quarry_json_walk;

/* The next member, as JSON text; `key` is its key between the quotes, as written (empty in an
 * array). Returns 0 after the last member, and for text that is neither array nor object. */
static inline int quarry_json_next(quarry_json_walk* walk, quarry_text* key, quarry_text* value) {
  const quarry_text json = walk->json;
  size_t at = quarry_json_space(json, walk->at);
  key->data = NULL;
  key->size = 0;
  if (at >= json.size) return 0;
  if (walk->at == 0 ? json.data[at] != '{' && json.data[at] != '[' : json.data[at] != ',') return 0;
  at = quarry_json_space(json, at + 1);
  value->data = json.data + at;
  value->size = quarry_json_end(json, at) - at;
  walk->at = quarry_json_space(json, at + value->size);
  if (walk->at < json.size && json.data[walk->at] == ':') {
    key->data = value->data + 1;
    key->size = value->size < 2 ? 0 : value->size - 2;
    at = quarry_json_space(json, walk->at + 1);
    value->data = json.data + at;
    value->size = quarry_json_end(json, at) - at;
    walk->at = at + value->size;
  }
  return value->size != 0;
}

/* Finds the member `key` of an object; returns 0 when it has none. */
static inline int quarry_json_member(quarry_text object, const char* key, quarry_text* value) {
  quarry_json_walk walk;
  quarry_text found;
  walk.json = object;
  walk.at = 0;
  while (quarry_json_next(&walk, &found, value)) {
    size_t i = 0;
    while (i < found.size && key[i] != '\0' && key[i] == found.data[i]) ++i;
    if (i == found.size && key[i] == '\0') return 1;
  }
  return 0;
}

static inline uint32_t quarry_json_hex4(quarry_text json, size_t at) {
  uint32_t code = 0;
  size_t i;
  for (i = at; i < at + 4 && i < json.size; ++i) {
    const char c = json.data[i];
    code = code * 16 + (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return code;
}

static inline size_t quarry_json_put(uint32_t code, char* out) {
  const uint32_t lead = code < 0x80 ? 0 : code < 0x800 ? 0xC0 : code < 0x10000 ? 0xE0 : 0xF0;
  const size_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  size_t i;
  out[0] = (char)(lead | (code >> (6 * more)));
  for (i = 1; i <= more; ++i) out[i] = (char)(0x80 | ((code >> (6 * (more - i))) & 0x3F));
  return more + 1;
}

/* Decodes the JSON string `value` into `out`, which must hold value.size bytes. Returns the number
 * of bytes written, without a terminator; QUARRY_JSON_NONE when `value` is not a string. */
static inline size_t quarry_json_string(quarry_text value, char* out) {
  static const char kNames[] = "bfnrt", kMeant[] = "\b\f\n\r\t";
  size_t at, i, size = 0;
  if (value.size < 2 || value.data[0] != '"') return QUARRY_JSON_NONE;
  for (at = 1; at + 1 < value.size; ++at) {
    char c = value.data[at];
    if (c == '\\') {
      c = value.data[++at];
      if (c == 'u') {
        uint32_t code = quarry_json_hex4(value, at + 1);
        at += 4;
        if (code >= 0xD800 && code < 0xDC00 && at + 6 < value.size) { /* half of a pair */
          code = 0x10000 + ((code - 0xD800) << 10) + (quarry_json_hex4(value, at + 3) - 0xDC00);
          at += 6;
        }
        size += quarry_json_put(code, out + size);
        continue;
      }
      for (i = 0; i < 5; ++i) {
        if (c == kNames[i]) {
          c = kMeant[i];
          break;
        }
      }
    }
    out[size++] = c;
  }
  return size;
}

#ifdef __cplusplus
}
#endif

#endif
