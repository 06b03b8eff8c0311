/* Helpers for plugins in C. A convenience compiled into the plugin, not part of the contract. */
#ifndef QUARRY_PLUGIN_H
#define QUARRY_PLUGIN_H

#include <quarry/abi.h>

#include <string.h>

/* The oldest minor of a host that this plugin works with; quarry_add_plugin defines it (MINIMUM).
 */
#ifndef QUARRY_MINIMUM_HOST_MINOR
#define QUARRY_MINIMUM_HOST_MINOR 0u
#endif

#ifdef __cplusplus
extern "C" {
#endif

static inline quarry_text quarry_text_of(const char* terminated) {
  quarry_text text;
  text.data = terminated;
  text.size = strlen(terminated);
  return text;
}

static inline void quarry_answer(const quarry_reply* reply, const char* json) {
  reply->value(reply, quarry_text_of(json));
}

/* `details` as quarry_failure.details; may be "". */
static inline void quarry_fail(const quarry_reply* reply, quarry_status status, const char* message,
                               const char* hint, const char* details) {
  quarry_failure failure;
  memset(&failure, 0, sizeof failure); /* fields of later minors too */
  failure.struct_size = sizeof failure;
  failure.status = status;
  failure.message = quarry_text_of(message);
  failure.hint = quarry_text_of(hint);
  failure.details = quarry_text_of(details);
  reply->failure(reply, &failure);
}

/* create and destroy of a component without state. */
static inline void quarry_create_nothing(const quarry_host* host, const quarry_call* call,
                                         quarry_text configuration, void** instance,
                                         const quarry_reply* reply) {
  (void)host, (void)call, (void)configuration;
  *instance = NULL;
  quarry_answer(reply, "{}");
}
static inline void quarry_destroy_nothing(void* instance) {
  (void)instance;
}

/* Defines the entry of a plugin of one component, at file scope. */
#define QUARRY_PLUGIN_OF_ONE(plugin_id, plugin_version, component)                  \
  static const quarry_component* const quarry_plugin_components[] = {&(component)}; \
  QUARRY_EXPORT extern const quarry_entry quarry_plugin_entry_v1;                   \
  const quarry_entry quarry_plugin_entry_v1 = {sizeof(quarry_entry),                \
                                               QUARRY_ABI_MAJOR,                    \
                                               QUARRY_ABI_MINOR,                    \
                                               QUARRY_MINIMUM_HOST_MINOR,           \
                                               plugin_id,                           \
                                               plugin_version,                      \
                                               NULL,                                \
                                               NULL,                                \
                                               1,                                   \
                                               quarry_plugin_components}

#ifdef __cplusplus
}
#endif

#endif
