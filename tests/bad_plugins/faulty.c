/* A resource type that works, and misbehaves in the function and in the way that its resource, its
 * configuration or the variable TZ names: "<function>:<fault>", such as "resolve:illegal". TZ is
 * one of the variables that an isolated plugin keeps. */
#define _GNU_SOURCE
#include "attempts.h"
#include "fault.h"

#include <quarry/plugin.h>
#include <quarry/resource.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of another file, in C++: an exception leaves a C function. */
extern void throw_something(void);

static int says(quarry_text text, const char* part) {
  return text.size != 0 && memmem(text.data, text.size, part, strlen(part)) != NULL;
}

static void reply_attempt(quarry_text resource, const quarry_reply* reply) {
  char name[32] = {0};
  const char* found = memmem(resource.data, resource.size, "attempt:", 8);
  for (size_t i = 0; i + 1 < sizeof name && found[8 + i] != '"'; ++i) name[i] = found[8 + i];
  char json[128];
  snprintf(json, sizeof json, "{\"outcome\": \"%s\"}", attempt(name));
  quarry_answer(reply, json);
}

/* Misbehaves if `text` asks for it in `function`. */
static void act(const char* function, quarry_text text) {
  char place[32];
  snprintf(place, sizeof place, "\"%s", function);
  fault_at(place, text.data, text.size);
  char throws[64];
  snprintf(throws, sizeof throws, "\"%s:throw\"", function);
  if (says(text, throws)) throw_something();
}

/* The same for `text` and TZ. Returns 1 once it has replied what it should not. */
static int acted(const char* function, quarry_text text, const quarry_reply* reply) {
  char variable[64];
  const char* const zone = getenv("TZ");
  snprintf(variable, sizeof variable, "\"%s\"", zone == NULL ? "" : zone);
  const quarry_text sources[] = {text, quarry_text_of(variable)};
  for (size_t i = 0; i < 2; ++i) {
    act(function, sources[i]);
    char asked[64];
    snprintf(asked, sizeof asked, "\"%s:fail\"", function);
    if (says(sources[i], asked)) {
      quarry_fail(reply, QUARRY_INTERNAL, "it failed on purpose", "", "");
      return 1;
    }
    snprintf(asked, sizeof asked, "\"%s:nonsense\"", function);
    if (says(sources[i], asked)) {
      quarry_answer(reply, "{nonsense");
      /* The values of these two have no meaning: two of them are wrong. */
      if (strcmp(function, "open") == 0 || strcmp(function, "create") == 0) {
        quarry_answer(reply, "{nonsense");
      }
      return 1;
    }
  }
  return 0;
}

static void open_plugin(const quarry_host* host, const quarry_call* call,
                        const quarry_reply* reply) {
  (void)host, (void)call;
  if (acted("open", quarry_text_of(""), reply)) return;
  quarry_answer(reply, "{}");
}

static void describe(void* instance, const quarry_call* call, const quarry_reply* reply) {
  (void)call;
  if (acted("describe", quarry_text_of(instance), reply)) return;
  quarry_answer(reply,
                "{\"title\": \"Faulty\", \"schema\": {\"type\": \"object\", \"properties\": "
                "{\"do\": {\"type\": \"string\"}, \"files\": {\"type\": \"integer\"}}}}");
}

static void normalise(void* instance, const quarry_call* call, quarry_text resource,
                      const quarry_reply* reply) {
  (void)instance, (void)call;
  if (acted("normalise", resource, reply)) return;
  if (says(resource, "\"silent\"")) return;
  if (says(resource, "attempt:")) {
    reply_attempt(resource, reply);
    return;
  }
  if (says(resource, "\"refused\"")) {
    quarry_fail(reply, QUARRY_INVALID_ARGUMENT, "refused on purpose", "try another",
                "{\"tag\": \"X\", \"fields\": [{\"field\": \"/a\", \"message\": \"bad\"}]}");
    return;
  }
  reply->value(reply, resource);
  if (says(resource, "\"twice\"")) reply->value(reply, resource);
}

static void resolve(void* instance, const quarry_call* call, quarry_text resource, quarry_text last,
                    const quarry_reply* reply) {
  (void)instance, (void)last;
  if (acted("resolve", resource, reply)) return;
  if (says(resource, "\"patient\"")) {
    while (call->state(call) == QUARRY_OK) usleep(1000);
    quarry_fail(reply, call->state(call), "it noticed", "", "");
    return;
  }
  call->progress(call, quarry_text_of("{\"message\": \"resolving\"}"));
  quarry_answer(reply, "{\"id\": \"1\", \"immutable\": true, \"display\": \"the first\"}");
}

/* Adds {"files": <count>} small files, or until the host wants no more. */
static void add_files(quarry_text resource, const quarry_tree* tree) {
  const char* count = memmem(resource.data, resource.size, "\"files\":", 8);
  const long wanted = count == NULL ? 1 : strtol(count + 8, NULL, 10);
  for (long i = 0; i < wanted; ++i) {
    char path[32];
    snprintf(path, sizeof path, "d/%ld.md", i);
    if (tree->add_file(tree, quarry_text_of(path), quarry_text_of("# Hello\n")) != QUARRY_OK)
      return;
  }
}

static void add_described(const quarry_tree* tree) {
  const quarry_file file = {.struct_size = sizeof file,
                            .path = quarry_text_of("titled.md"),
                            .permalink = quarry_text_of("https://faulty.example/titled"),
                            .title = quarry_text_of("Titled")};
  tree->add_described(tree, &file, quarry_text_of("text"));
  if (tree->keep_file(tree, quarry_text_of("kept.md")) == QUARRY_NOT_FOUND) {
    tree->add_file(tree, quarry_text_of("new.md"), quarry_text_of("text"));
  }
}

static void fetch(void* instance, const quarry_call* call, quarry_text resource,
                  quarry_text version, quarry_text last, const quarry_tree* tree,
                  const quarry_reply* reply) {
  (void)instance, (void)version, (void)last;
  add_files(resource, tree);
  /* Until the last snapshot has the file "go". */
  while (says(resource, "\"waits\"") && call->state(call) == QUARRY_OK &&
         tree->keep_file(tree, quarry_text_of("go")) == QUARRY_NOT_FOUND) {
    usleep(1000);
  }
  if (acted("fetch", resource, reply)) return;
  if (says(resource, "\"all\"")) {
    tree->add_large(tree, quarry_text_of("large.bin"), (uint64_t)1 << 40);
    tree->add_link(tree, quarry_text_of("link"));
    add_described(tree);
  }
  if (says(resource, "add:/etc")) tree->add_directory(tree, quarry_text_of("/etc"));
  if (says(resource, "in place:/etc")) tree->use_in_place(tree, quarry_text_of("/etc"));
  quarry_answer(reply, "{\"notes\": [\"a note\"]}");
}

static void parse_reference(void* instance, const quarry_call* call, quarry_text reference,
                            const quarry_reply* reply) {
  (void)instance, (void)call;
  char text[64];
  snprintf(text, sizeof text, "\"%.*s\"", (int)reference.size, reference.data);
  act("parse_reference", quarry_text_of(text));
  quarry_answer(reply, "{\"resource\": {\"name\": \"parsed\"}}");
}

static const quarry_resource_v1 kTable = {.struct_size = sizeof kTable,
                                          .describe = describe,
                                          .normalise = normalise,
                                          .resolve = resolve,
                                          .fetch = fetch,
                                          .parse_reference = parse_reference};

static void create(const quarry_host* host, const quarry_call* call, quarry_text configuration,
                   void** instance, const quarry_reply* reply) {
  (void)host, (void)call;
  if (acted("create", configuration, reply)) return;
  *instance = strndup(configuration.data, configuration.size);
  quarry_answer(reply, "{}");
}

static void destroy(void* instance) {
  act("destroy", quarry_text_of(instance));
  free(instance);
}

static const quarry_component kComponent = {.struct_size = sizeof kComponent,
                                            .kind = QUARRY_RESOURCE,
                                            .name = "faulty",
                                            .table = &kTable,
                                            .create = create,
                                            .destroy = destroy};

static const quarry_component* const kComponents[] = {&kComponent};
QUARRY_EXPORT extern const quarry_entry quarry_plugin_entry_v1;
const quarry_entry quarry_plugin_entry_v1 = {.struct_size = sizeof(quarry_entry),
                                             .abi_major = QUARRY_ABI_MAJOR,
                                             .abi_minor = QUARRY_ABI_MINOR,
                                             .minimum_host_minor = QUARRY_MINIMUM_HOST_MINOR,
                                             .id = "org.example.faulty",
                                             .version = "1.0.0",
                                             .open = open_plugin,
                                             .close = NULL,
                                             .component_count = 1,
                                             .components = kComponents};
