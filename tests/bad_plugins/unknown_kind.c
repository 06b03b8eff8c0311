/* The plugin hello with a second component, of a kind that no host of this version knows. Its table
 * is none of the contract, and its functions end the process. */
#define quarry_plugin_entry_v1 hello_entry
#include "hello.c"
#undef quarry_plugin_entry_v1

#include <stdlib.h>

static const unsigned char kTable[] = {1, 2, 3, 4, 5, 6, 7, 8};

static void create_nothing(const quarry_host* host, const quarry_call* call,
                           quarry_text configuration, void** instance, const quarry_reply* reply) {
  (void)host, (void)call, (void)configuration, (void)instance, (void)reply;
  abort();
}
static void destroy_nothing(void* instance) {
  (void)instance;
  abort();
}

static const quarry_component kLater = {.struct_size = sizeof kLater,
                                        .kind = "quarry.memory/1",
                                        .name = "hello",
                                        .table = kTable,
                                        .create = create_nothing,
                                        .destroy = destroy_nothing};
static const quarry_component* const kBoth[] = {&kLater, &kComponent};

QUARRY_EXPORT extern const quarry_entry quarry_plugin_entry_v1;
const quarry_entry quarry_plugin_entry_v1 = {.struct_size = sizeof quarry_plugin_entry_v1,
                                             .abi_major = QUARRY_ABI_MAJOR,
                                             .abi_minor = QUARRY_ABI_MINOR,
                                             .minimum_host_minor = 0,
                                             .id = "org.example.unknown-kind",
                                             .version = "1.0.0",
                                             .component_count = 2,
                                             .components = kBoth};
