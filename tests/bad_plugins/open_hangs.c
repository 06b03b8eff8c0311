/* A resource type and a model provider of a plugin whose open does not return. */
#define _GNU_SOURCE
#include "fault.h"

#include <quarry/model.h>
#include <quarry/resource.h>

/* Never called, since nothing is created before open has returned. */
static void describe(void* instance, const quarry_call* call, const quarry_reply* reply) {
  (void)instance, (void)call, (void)reply;
}
static void normalise(void* instance, const quarry_call* call, quarry_text resource,
                      const quarry_reply* reply) {
  (void)resource, describe(instance, call, reply);
}
static void resolve(void* instance, const quarry_call* call, quarry_text resource, quarry_text last,
                    const quarry_reply* reply) {
  (void)resource, (void)last, describe(instance, call, reply);
}
static void fetch(void* instance, const quarry_call* call, quarry_text resource,
                  quarry_text version, quarry_text last, const quarry_tree* tree,
                  const quarry_reply* reply) {
  (void)resource, (void)version, (void)last, (void)tree, describe(instance, call, reply);
}
static void generate(void* instance, const quarry_call* call, quarry_text request,
                     const quarry_model_sink* sink) {
  (void)instance, (void)call, (void)request, (void)sink;
}
static void create(const quarry_host* host, const quarry_call* call, quarry_text configuration,
                   void** instance, const quarry_reply* reply) {
  (void)host, (void)configuration, describe(*instance, call, reply);
}
static void destroy(void* instance) {
  (void)instance;
}
static void open_plugin(const quarry_host* host, const quarry_call* call,
                        const quarry_reply* reply) {
  (void)host, (void)call, (void)reply;
  hang();
}

static const quarry_resource_v1 kResource = {.struct_size = sizeof kResource,
                                             .describe = describe,
                                             .normalise = normalise,
                                             .resolve = resolve,
                                             .fetch = fetch};
static const quarry_model_v1 kModel = {
    .struct_size = sizeof kModel, .describe = describe, .generate = generate};
static const quarry_component kResourceType = {.struct_size = sizeof kResourceType,
                                               .kind = QUARRY_RESOURCE,
                                               .name = "open-hangs",
                                               .table = &kResource,
                                               .create = create,
                                               .destroy = destroy};
static const quarry_component kProvider = {.struct_size = sizeof kProvider,
                                           .kind = QUARRY_MODEL,
                                           .name = "open-hangs",
                                           .table = &kModel,
                                           .create = create,
                                           .destroy = destroy};
static const quarry_component* const kComponents[] = {&kResourceType, &kProvider};

QUARRY_EXPORT extern const quarry_entry quarry_plugin_entry_v1;
const quarry_entry quarry_plugin_entry_v1 = {.struct_size = sizeof quarry_plugin_entry_v1,
                                             .abi_major = QUARRY_ABI_MAJOR,
                                             .abi_minor = QUARRY_ABI_MINOR,
                                             .minimum_host_minor = 0,
                                             .id = "org.example.open-hangs",
                                             .version = "1.0.0",
                                             .open = open_plugin,
                                             .component_count = 2,
                                             .components = kComponents};
