/* The entry of the frozen plugin: every kind that can be isolated. */
#include "frozen.h"

static const quarry_host* opened_host;

static void open_plugin(const quarry_host* host, const quarry_call* call,
                        const quarry_reply* reply) {
  const quarry_log_v1* log = host->service(host, QUARRY_LOG);
  struct text line = {NULL, 0, 0};
  if (host->abi_major != QUARRY_ABI_MAJOR || !QUARRY_HAS(host, close_call) ||
      !QUARRY_HAS(call, progress) || call->state(call) != QUARRY_OK ||
      (log != NULL && !QUARRY_HAS(log, enabled))) {
    quarry_fail(reply, QUARRY_UNSUPPORTED, "this host is of another contract", "", "");
    return;
  }
  opened_host = host;
  text_put(&line, "opened by ");
  text_add(&line, host->version.data, host->version.size);
  text_format(&line, ", contract %u.%u", host->abi_major, host->abi_minor);
  if (log != NULL && log->enabled(log, QUARRY_LOG_DEBUG)) {
    log->write(log, QUARRY_LOG_DEBUG, text_view(&line));
  }
  text_free(&line);
  quarry_answer(reply, "{}");
}

static void close_plugin(void) {
  const quarry_log_v1* log = opened_host->service(opened_host, QUARRY_LOG);
  if (log != NULL) log->write(log, QUARRY_LOG_DEBUG, quarry_text_of("closed"));
  opened_host = NULL;
}

const void* frozen_service(const struct instance* self, const char* id) {
  return self->host->service(self->host, id);
}

static quarry_status state_of(void* context) {
  struct instance* self = context;
  return __atomic_load_n(&self->stopped, __ATOMIC_ACQUIRE) ? QUARRY_CANCELLED : QUARRY_OK;
}

/* Counts rounds until the instance is destroyed. */
static void run_loop(void* context) {
  struct instance* self = context;
  const quarry_call* call = self->host->open_call(self->host, NULL, INT64_MAX, state_of, self);
  while (call != NULL && call->state(call) == QUARRY_OK) {
    __atomic_add_fetch(&self->rounds, 1, __ATOMIC_RELEASE);
    self->clock->sleep(self->clock, call, 20);
  }
  self->host->close_call(self->host, call);
}

static struct instance* new_instance(const quarry_host* host, quarry_text configuration) {
  struct instance* self = calloc(1, sizeof *self);
  if (self == NULL) abort();
  self->host = host;
  self->clock = frozen_service(self, QUARRY_CLOCK);
  self->log = frozen_service(self, QUARRY_LOG);
  self->work = frozen_service(self, QUARRY_WORK);
  text_add(&self->configuration, configuration.data, configuration.size);
  return self;
}

void frozen_create(const quarry_host* host, const quarry_call* call, quarry_text configuration,
                   void** instance, const quarry_reply* reply) {
  (void)call;
  *instance = new_instance(host, configuration);
  quarry_answer(reply, "{}");
}

void frozen_create_with_loop(const quarry_host* host, const quarry_call* call,
                             quarry_text configuration, void** instance,
                             const quarry_reply* reply) {
  struct text greeting = text_member(configuration, "greeting");
  struct instance* self = new_instance(host, configuration);
  const int refused = strcmp(greeting.data, "none") == 0;
  (void)call;
  text_free(&greeting);
  if (refused) {
    frozen_destroy(self);
    quarry_fail(reply, QUARRY_INVALID_ARGUMENT, "there is no greeting", "set another one",
                "{\"fields\": [{\"field\": \"/greeting\", \"message\": \"is none\"}]}");
    return;
  }
  if (self->work != NULL && self->clock != NULL) {
    self->loop = self->work->start_loop(self->work, "frozen", run_loop, self);
  }
  *instance = self;
  quarry_answer(reply, "{}");
}

void frozen_destroy(void* instance) {
  struct instance* self = instance;
  __atomic_store_n(&self->stopped, 1, __ATOMIC_RELEASE);
  if (self->loop != NULL) self->work->join_loop(self->loop);
  text_free(&self->configuration);
  free(self);
}

static const quarry_component pages = {
    sizeof(quarry_component), QUARRY_SERIAL, QUARRY_RESOURCE, "frozen-pages", &frozen_pages,
    frozen_create_with_loop,  frozen_destroy};
static const quarry_component folder = {sizeof(quarry_component),
                                        0,
                                        QUARRY_RESOURCE,
                                        "frozen-folder",
                                        &frozen_folder,
                                        frozen_create,
                                        frozen_destroy};
static const quarry_component limits = {sizeof(quarry_component),
                                        0,
                                        QUARRY_RESOURCE,
                                        "frozen-limits",
                                        &frozen_limits,
                                        frozen_create,
                                        frozen_destroy};
static const quarry_component generate = {sizeof(quarry_component),
                                          0,
                                          QUARRY_MODEL,
                                          "frozen-generate",
                                          &frozen_generate,
                                          frozen_create,
                                          frozen_destroy};
static const quarry_component exchange = {sizeof(quarry_component),
                                          0,
                                          QUARRY_MODEL,
                                          "frozen-exchange",
                                          &frozen_exchange,
                                          frozen_create,
                                          frozen_destroy};
static const quarry_component prices = {sizeof(quarry_component), 0,
                                        QUARRY_PRICING,           "frozen-prices",
                                        &frozen_prices,           quarry_create_nothing,
                                        quarry_destroy_nothing};
#ifdef FROZEN_LATER_KIND /* of a later version, whose hosts know a table for it */
static const quarry_component later = {sizeof(quarry_component),
                                       0,
                                       "quarry.later/1",
                                       "frozen-later",
                                       &frozen_folder,
                                       frozen_create,
                                       frozen_destroy};
#endif
static const quarry_component* const components[] = {
#ifdef FROZEN_LATER_KIND
    &later,
#endif
    &pages, &folder, &limits, &generate, &exchange, &prices};

QUARRY_EXPORT extern const quarry_entry quarry_plugin_entry_v1;
const quarry_entry quarry_plugin_entry_v1 = {sizeof(quarry_entry),
                                             QUARRY_ABI_MAJOR,
                                             QUARRY_ABI_MINOR,
                                             QUARRY_MINIMUM_HOST_MINOR,
                                             "org.example.frozen",
                                             "1.0.0",
                                             open_plugin,
                                             close_plugin,
                                             sizeof components / sizeof components[0],
                                             components};
