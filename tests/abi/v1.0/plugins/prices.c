/* A price catalogue of one model. */
#include "frozen.h"

static int is(quarry_text text, const char* word) {
  return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

static void rates(void* instance, const quarry_call* call, quarry_text provider, quarry_text model,
                  const quarry_reply* reply) {
  (void)instance, (void)call;
  if (!is(provider, "frozen-vendor") || !is(model, "frozen-1")) {
    quarry_answer(reply, "null");
    return;
  }
  quarry_answer(reply,
                "{\"source\": \"the frozen catalogue\", \"date\": \"2026-11-01\", \"input\": "
                "\"1\", \"output\": \"10\", \"reasoning\": \"10\", \"cacheRead\": \"0.5\", "
                "\"cacheWrite\": \"2\", \"tiers\": [{\"above\": 200000, \"input\": \"3\"}]}");
}

static void refresh(void* instance, const quarry_call* call, const quarry_reply* reply) {
  (void)instance, (void)call;
  quarry_answer(reply, "{\"changed\": true, \"nextMs\": 86400000}");
}

const quarry_pricing_v1 frozen_prices = {sizeof(quarry_pricing_v1), rates, refresh};
