/* The components of the frozen plugin, and the services that they share. */
#ifndef FROZEN_H
#define FROZEN_H

#include "text.h"

#include <quarry/limits.h>
#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>
#include <quarry/services.h>

extern const quarry_resource_v1 frozen_pages, frozen_folder, frozen_limits;
extern const quarry_model_v1 frozen_generate, frozen_exchange;
extern const quarry_pricing_v1 frozen_prices;

/* An instance of any component but the price catalogue. */
struct instance {
  const quarry_host* host;
  const quarry_clock_v1* clock;
  const quarry_log_v1* log;
  const quarry_work_v1* work;
  struct text configuration;
  quarry_loop* loop;
  int stopped;
  int rounds; /* of the loop */
};

void frozen_create(const quarry_host* host, const quarry_call* call, quarry_text configuration,
                   void** instance, const quarry_reply* reply);
void frozen_create_with_loop(const quarry_host* host, const quarry_call* call,
                             quarry_text configuration, void** instance, const quarry_reply* reply);
void frozen_destroy(void* instance);

/* The service `id` of the instance's host. */
const void* frozen_service(const struct instance* self, const char* id);

/* services.c: uses each service once, and writes a line of JSON for each to `report`. */
void frozen_report_services(struct instance* self, const quarry_call* call, quarry_text resource,
                            const quarry_tree* tree, struct text* report);

/* http.c: GET `base` + `path` with the headers "If-None-Match: etag" and the secret that `token`
 * names, each unless empty. The body is in `body`, the ETag of the response in `tag`. */
void frozen_get(struct instance* self, const quarry_call* call, const char* url, const char* etag,
                const char* token, struct outcome* outcome, struct text* body, struct text* tag);
void frozen_report_http(struct instance* self, const quarry_call* call, quarry_text resource,
                        struct text* report);

#endif
