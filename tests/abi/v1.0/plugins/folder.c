/* A type of resource that is read in place, without parse_reference. */
#include "frozen.h"

static void describe(void* instance, const quarry_call* call, const quarry_reply* reply) {
  (void)instance, (void)call;
  quarry_answer(reply,
                "{\"title\": \"Frozen folder\", \"inPlace\": true, \"schema\": {\"type\": "
                "\"object\", \"required\": [\"path\"], \"properties\": {\"path\": {\"type\": "
                "\"string\"}}}}");
}

static void normalise(void* instance, const quarry_call* call, quarry_text resource,
                      const quarry_reply* reply) {
  (void)instance, (void)call;
  reply->value(reply, resource);
}

static void resolve(void* instance, const quarry_call* call, quarry_text resource, quarry_text last,
                    const quarry_reply* reply) {
  (void)instance, (void)call, (void)resource, (void)last;
  quarry_answer(reply, "{\"id\": \"now\", \"immutable\": false, \"display\": \"now\"}");
}

static void fetch(void* instance, const quarry_call* call, quarry_text resource,
                  quarry_text version, quarry_text last, const quarry_tree* tree,
                  const quarry_reply* reply) {
  struct text path = text_member(resource, "path");
  const quarry_status status = tree->use_in_place(tree, text_view(&path));
  (void)instance, (void)call, (void)version, (void)last;
  if (status == QUARRY_OK) {
    quarry_answer(reply, "{}");
  } else {
    quarry_fail(reply, status, "the folder was refused", "", "");
  }
  text_free(&path);
}

const quarry_resource_v1 frozen_folder = {
    sizeof(quarry_resource_v1), describe, normalise, resolve, fetch, NULL};
