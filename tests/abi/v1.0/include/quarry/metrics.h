/* quarry.metrics/1: Prometheus metrics for the operator. The host adds a prefix to names, and may
 * add labels: those named "le", "plugin" or beginning with "__" or "quarry_" are the host's.
 * Plugins that use one name share its kind, which is the first; the label "plugin" keeps their
 * amounts apart. Amounts are finite and not negative; a call that breaks a rule is ignored. */
#ifndef QUARRY_METRICS_H
#define QUARRY_METRICS_H

#include <quarry/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_METRICS "quarry.metrics/1"

typedef struct quarry_metrics_v1 quarry_metrics_v1;
struct quarry_metrics_v1 {
  uint32_t struct_size;
  void* context;
  /* Adds to a counter. `name`: ^[a-z][a-z0-9_]*$; `labels`: `route="/",code="200"` or empty. [any]
   */
  void (*count)(const quarry_metrics_v1* self, quarry_text name, quarry_text labels, double amount);
  /* Sets a gauge. [any] */
  void (*gauge)(const quarry_metrics_v1* self, quarry_text name, quarry_text labels, double value);
  /* Adds a duration in seconds to a histogram. [any] */
  void (*observe)(const quarry_metrics_v1* self, quarry_text name, quarry_text labels,
                  double seconds);
};

#ifdef __cplusplus
}
#endif

#endif
