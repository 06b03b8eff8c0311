/* A complete resource plugin in C: a resource type with one greeting. */
#include <quarry/resource.h>

#include <string.h>

static quarry_text text(const char* terminated) {
  quarry_text view = {terminated, strlen(terminated)};
  return view;
}
static void answer(const quarry_reply* reply, const char* json) {
  reply->value(reply, text(json));
}

static void describe(void* instance, const quarry_call* call, const quarry_reply* reply) {
  (void)instance, (void)call;
  answer(reply,
         "{\"type\": \"hello\", \"title\": \"Greeting\", \"examples\": [],"
         " \"schema\": {\"type\": \"object\", \"additionalProperties\": false}}");
}

static void normalise(void* instance, const quarry_call* call, quarry_text resource,
                      const quarry_reply* reply) {
  (void)instance, (void)call;
  reply->value(reply, resource);
}

static void resolve(void* instance, const quarry_call* call, quarry_text resource, quarry_text last,
                    const quarry_reply* reply) {
  (void)instance, (void)call, (void)resource, (void)last;
  answer(reply, "{\"id\": \"1\", \"immutable\": true, \"display\": \"the first greeting\"}");
}

static void fetch(void* instance, const quarry_call* call, quarry_text resource,
                  quarry_text version, quarry_text last, const quarry_tree* tree,
                  const quarry_reply* reply) {
  static const quarry_failure kRefused = {
      .struct_size = sizeof kRefused,
      .status = QUARRY_CANCELLED,
      .message = {"the greeting was not accepted", sizeof "the greeting was not accepted" - 1}};
  (void)instance, (void)call, (void)resource, (void)version, (void)last;
  if (tree->add_file(tree, text("hello.md"), text("# Hello\n\nWelcome to the quarry.\n")) ==
      QUARRY_OK) {
    answer(reply, "{}");
  } else {
    reply->failure(reply, &kRefused);
  }
}

static const quarry_resource_v1 kHello = {.struct_size = sizeof kHello,
                                          .describe = describe,
                                          .normalise = normalise,
                                          .resolve = resolve,
                                          .fetch = fetch};

static void create(const quarry_host* host, const quarry_call* call, quarry_text configuration,
                   void** instance, const quarry_reply* reply) {
  (void)host, (void)call, (void)configuration;
  *instance = NULL; /* no state */
  answer(reply, "{}");
}
static void destroy(void* instance) {
  (void)instance;
}

static const quarry_component kComponent = {.struct_size = sizeof kComponent,
                                            .kind = QUARRY_RESOURCE,
                                            .name = "hello",
                                            .table = &kHello,
                                            .create = create,
                                            .destroy = destroy};
static const quarry_component* const kComponents[] = {&kComponent};

QUARRY_EXPORT extern const quarry_entry quarry_plugin_entry_v1;
const quarry_entry quarry_plugin_entry_v1 = {.struct_size = sizeof quarry_plugin_entry_v1,
                                             .abi_major = QUARRY_ABI_MAJOR,
                                             .abi_minor = QUARRY_ABI_MINOR,
                                             .minimum_host_minor = 0,
                                             .id = "org.example.hello",
                                             .version = "1.0.0",
                                             .component_count = 1,
                                             .components = kComponents};
