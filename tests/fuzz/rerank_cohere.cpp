#include "fuzz/exchange_body.h"
#include "rerank-cohere/scores.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarry;
  fuzz::check_body<RerankSink, quarry_rerank_sink>(rerank_cohere::read_scores, data, size);
  return 0;
}
