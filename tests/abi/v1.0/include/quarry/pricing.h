/* quarry.pricing/1: a catalogue of token prices. */
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
   * Decimal strings of USD per 1,000,000 tokens; unknown rates are left out. A tier applies to the
   * whole request when its input is larger than `above` tokens; a rate that it leaves out is the
   * one below that tier. Never uses the network. [any] */
  void (*rates)(void* instance, const quarry_call* call, quarry_text provider, quarry_text model,
                const quarry_reply* reply);

  /* Optional (NULL): updates the catalogue. The host calls it soon after prices are first needed;
   * the catalogue decides by its age to fetch again. The value is {"changed": true, "nextMs":
   * 86400000}: true if prices changed, and the delay until the next call; without nextMs there is
   * none. After a failure the host calls again later. [worker] */
  void (*refresh)(void* instance, const quarry_call* call, const quarry_reply* reply);
} quarry_pricing_v1;

#ifdef __cplusplus
}
#endif

#endif
