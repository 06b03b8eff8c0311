/* quarry.pricing/1: a catalogue of what tokens cost. */
#ifndef QUARRY_PRICING_H
#define QUARRY_PRICING_H

#include <quarry/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_PRICING "quarry.pricing/1"

typedef struct quarry_pricing_v1 {
  uint32_t struct_size;

  /* The rates of one model, or null when the catalogue does not know it:
   *   {"source": "models.dev", "date": "2026-11-01", "input": "0.25", "output": "1.25",
   *    "reasoning": "…", "cacheRead": "…", "cacheWrite": "…",
   *    "tiers": [{"above": 200000, "input": "0.5", …}]}
   * Decimal strings of USD per 1,000,000 tokens; a rate that is not known is left out. A tier holds
   * for the whole request when its input is larger than `above` tokens; a rate it leaves out is the
   * one that holds below. Never touches the network. [any] */
  void (*rates)(void* instance, quarry_text provider, quarry_text model, const quarry_reply* reply);

  /* Optional (NULL): makes the catalogue current. The host calls it before long once prices are
   * wanted; the catalogue knows itself whether it is old enough to be fetched again. The value is
   * {"changed": true, "nextMs": 86400000}: whether prices are other ones now, and when to call
   * again; without nextMs never. After a failure the host calls again some time later. [worker] */
  void (*refresh)(void* instance, const quarry_call* call, const quarry_reply* reply);
} quarry_pricing_v1;

#ifdef __cplusplus
}
#endif

#endif
