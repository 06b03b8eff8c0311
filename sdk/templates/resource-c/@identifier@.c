/* A complete resource plugin in C: a note written in the configuration becomes a file. */
#include "schema.json.h"

#include <quarry/json.h>
#include <quarry/plugin.h>
#include <quarry/resource.h>

#include <stdlib.h>

static void describe(void* self, const quarry_call* call, const quarry_reply* reply) {
  (void)self, (void)call;
  quarry_answer(reply, "{\"title\": \"@Name@\", \"examples\": [], \"schema\": " SCHEMA_JSON "}");
}

static void normalise(void* self, const quarry_call* call, quarry_text resource,
                      const quarry_reply* reply) {
  quarry_text note = {NULL, 0};
  (void)self, (void)call;
  if (quarry_json_member(resource, "text", &note) && note.size > 2) {
    reply->value(reply, resource);
  } else {
    quarry_fail(reply, QUARRY_INVALID_ARGUMENT, "text is empty", "write the note",
                "{\"fields\": [{\"field\": \"/text\", \"message\": \"is empty\"}]}");
  }
}

/* The note is part of the resource, so one resource has one version. */
static void resolve(void* self, const quarry_call* call, quarry_text resource, quarry_text last,
                    const quarry_reply* reply) {
  (void)self, (void)call, (void)resource, (void)last;
  quarry_answer(reply, "{\"id\": \"1\", \"immutable\": true, \"display\": \"as configured\"}");
}

static void fetch(void* self, const quarry_call* call, quarry_text resource, quarry_text version,
                  quarry_text last, const quarry_tree* tree, const quarry_reply* reply) {
  quarry_text note = {NULL, 0}, bytes = {NULL, 0};
  char* buffer;
  (void)self, (void)call, (void)version, (void)last;
  quarry_json_member(resource, "text", &note);
  buffer = malloc(note.size + 1);
  bytes.data = buffer;
  if (buffer != NULL) bytes.size = quarry_json_string(note, buffer);
  if (buffer != NULL && bytes.size != QUARRY_JSON_NONE &&
      tree->add_file(tree, quarry_text_of("note.md"), bytes) == QUARRY_OK) {
    quarry_answer(reply, "{}");
  } else {
    quarry_fail(reply, QUARRY_RESOURCE_EXHAUSTED, "the note was not accepted", "", "");
  }
  free(buffer);
}

static const quarry_resource_v1 kType = {sizeof kType, describe, normalise, resolve, fetch, NULL};
static const quarry_component kComponent = {
    sizeof kComponent,     0, QUARRY_RESOURCE, "@name@", &kType, quarry_create_nothing,
    quarry_destroy_nothing};
QUARRY_PLUGIN_OF_ONE("@id@", "1.0.0", kComponent);
