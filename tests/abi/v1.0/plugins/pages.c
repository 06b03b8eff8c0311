/* A type of resource over HTTP that uses every function of the tree and every service. */
#include "frozen.h"

#define SCHEMA                                                                  \
  "{\"type\": \"object\", \"required\": [\"base\"], \"additionalProperties\": " \
  "false, \"properties\": {\"base\": {\"type\": \"string\"}, \"edition\": "     \
  "{\"type\": [\"string\", \"null\"]}, \"token\": {\"type\": [\"string\", "     \
  "\"null\"], \"writeOnly\": true}, \"specialNotes\": {\"type\": [\"string\", " \
  "\"null\"]}}}"

static void describe(void* instance, const quarry_call* call, const quarry_reply* reply) {
  (void)instance, (void)call;
  quarry_answer(reply,
                "{\"type\": \"frozen-pages\", \"title\": \"Frozen pages\", "
                "\"examples\": [\"frozen-pages:http://127.0.0.1:9/\"], \"schema\": " SCHEMA "}");
}

static void parse_reference(void* instance, const quarry_call* call, quarry_text reference,
                            const quarry_reply* reply) {
  static const char prefix[] = "frozen-pages:";
  struct text json = {NULL, 0, 0};
  (void)instance, (void)call;
  if (reference.size < sizeof prefix || memcmp(reference.data, prefix, sizeof prefix - 1) != 0) {
    quarry_answer(reply, "null");
    return;
  }
  reference.data += sizeof prefix - 1;
  reference.size -= sizeof prefix - 1;
  text_put(&json, "{\"confidence\": 100, \"resource\": {\"name\": \"frozen\", \"base\": ");
  text_quote(&json, reference);
  text_put(&json, "}}");
  reply->value(reply, text_view(&json));
  text_free(&json);
}

static void normalise(void* instance, const quarry_call* call, quarry_text resource,
                      const quarry_reply* reply) {
  struct text edition = text_member(resource, "edition");
  (void)instance, (void)call;
  if (strcmp(edition.data, "lost") == 0) {
    quarry_fail(reply, QUARRY_INVALID_ARGUMENT, "the edition was lost", "name another edition",
                "{\"tag\": \"FrozenError\", \"fields\": [{\"field\": \"/edition\", "
                "\"message\": \"was lost\"}]}");
  } else {
    reply->value(reply, resource);
  }
  text_free(&edition);
}

/* The member `key` of the version or state in `last`. */
static struct text last_member(quarry_text last, const char* part, const char* key) {
  quarry_text value = {NULL, 0};
  if (last.size != 0) quarry_json_member(last, part, &value);
  return text_member(value, key);
}

static void resolve(void* instance, const quarry_call* call, quarry_text resource, quarry_text last,
                    const quarry_reply* reply) {
  struct text url = text_member(resource, "base"), token = text_member(resource, "token");
  struct text etag = last_member(last, "state", "etag"), tag = {NULL, 0, 0}, body = {NULL, 0, 0};
  struct outcome outcome;
  quarry_text version = {NULL, 0};
  call->progress(call, quarry_text_of("{\"message\": \"resolving\", \"done\": 1, \"total\": 2}"));
  text_put(&url, "/version");
  outcome_begin(&outcome);
  frozen_get(instance, call, url.data, etag.data, token.data, &outcome, &body, &tag);
  if (outcome.status != QUARRY_OK) {
    outcome_fail(&outcome, reply);
  } else if (text_has(text_view(&outcome.value), "304") &&
             quarry_json_member(last, "version", &version)) {
    reply->value(reply, version);
  } else if (body.size == 0) {
    quarry_fail(reply, QUARRY_DATA_LOSS, "the version is empty", "", "");
  } else {
    struct text json = {NULL, 0, 0};
    text_put(&json, "{\"id\": ");
    text_quote(&json, text_view(&body));
    text_put(&json,
             ", \"immutable\": true, \"integrity\": \"sha256-frozen\", \"resource\": "
             "{\"edition\": \"first\"}, \"display\": \"the first edition\", \"etag\": ");
    text_quote(&json, text_view(&tag));
    text_put(&json, "}");
    reply->value(reply, text_view(&json));
    text_free(&json);
  }
  outcome_free(&outcome);
  text_free(&url), text_free(&token), text_free(&etag), text_free(&tag), text_free(&body);
}

/* A folder in the fetch's scratch directory with one file. */
static quarry_status add_scratch(const quarry_tree* tree) {
  const quarry_bytes scratch = tree->scratch(tree);
  struct text path = {NULL, 0, 0};
  quarry_status status = QUARRY_INTERNAL;
  FILE* file;
  text_add(&path, scratch.data, scratch.size);
  text_put(&path, "/from-scratch.md");
  file = fopen(path.data, "w");
  if (file != NULL) {
    fputs("# Scratch\n", file);
    fclose(file);
    status = tree->add_directory(tree, scratch);
  }
  text_free(&path);
  return status;
}

static quarry_status add_described(const quarry_tree* tree) {
  quarry_file file;
  memset(&file, 0, sizeof file);
  file.struct_size = sizeof file;
  file.reserved = 0;
  file.path = quarry_text_of("described.md");
  file.permalink = quarry_text_of("https://frozen.example/described#{start}-{end}");
  file.title = quarry_text_of("The described file");
  file.media_type = quarry_text_of("text/markdown");
  return tree->add_described(tree, &file, quarry_text_of("# Described\n"));
}

/* The file of the last snapshot, or a new one. */
static quarry_status add_kept(const quarry_tree* tree, struct text* report) {
  quarry_status status = tree->keep_file(tree, quarry_text_of("kept.md"));
  text_format(report, "{\"keep_file\": %d}\n", status);
  if (status == QUARRY_NOT_FOUND) {
    status = tree->add_file(tree, quarry_text_of("kept.md"), quarry_text_of("# Kept\n"));
  }
  return status;
}

static quarry_status add_files(const struct instance* self, const quarry_tree* tree,
                               struct text* report) {
  struct text readme = text_member(text_view(&self->configuration), "greeting");
  quarry_status status;
  text_put(&readme, "\n# Zebras\n\nThe frozen zebra is striped by default.\n");
  status = tree->add_file(tree, quarry_text_of("README.md"), text_view(&readme));
  if (status == QUARRY_OK) status = add_scratch(tree);
  if (status == QUARRY_OK) status = add_described(tree);
  if (status == QUARRY_OK) status = add_kept(tree, report);
  if (status == QUARRY_OK)
    status = tree->add_large(tree, quarry_text_of("large.bin"), tree->file_limit + 1);
  if (status == QUARRY_OK) status = tree->add_link(tree, quarry_text_of("link"));
  text_free(&readme);
  return status;
}

static void fetch(void* instance, const quarry_call* call, quarry_text resource,
                  quarry_text version, quarry_text last, const quarry_tree* tree,
                  const quarry_reply* reply) {
  struct instance* self = instance;
  struct text report = {NULL, 0, 0}, edition = text_member(resource, "edition");
  struct text etag = text_member(version, "etag"), json = {NULL, 0, 0};
  quarry_status status = QUARRY_OK;
  text_format(&report, "{\"last\": %s}\n", last.size == 0 ? "false" : "true");
  if (!QUARRY_HAS(tree, keep_file)) status = QUARRY_UNSUPPORTED;
  if (strcmp(edition.data, "outside") == 0) {
    status = tree->add_file(tree, quarry_text_of("../outside"), quarry_text_of("x"));
  }
  if (status == QUARRY_OK) status = add_files(self, tree, &report);
  frozen_report_services(self, call, resource, tree, &report);
  if (status == QUARRY_OK)
    status = tree->add_file(tree, quarry_text_of("report.md"), text_view(&report));
  if (status == QUARRY_OK) {
    text_put(&json,
             "{\"permalink\": \"https://frozen.example/{version}/{path}#L{start}-L{end}\", "
             "\"notes\": [\"The frozen pages are not complete.\"], \"generated\": "
             "[\"report.md\"], \"state\": {\"etag\": ");
    text_quote(&json, text_view(&etag));
    text_put(&json, "}}");
    reply->value(reply, text_view(&json));
  } else {
    quarry_fail(reply, status, "a file was refused", "", "");
  }
  text_free(&report), text_free(&edition), text_free(&etag), text_free(&json);
}

const quarry_resource_v1 frozen_pages = {
    sizeof(quarry_resource_v1), describe, normalise, resolve, fetch, parse_reference};
