#include "embedding-openai/vectors.h"
#include "fuzz/exchange_body.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarry;
  fuzz::check_body<EmbeddingSink, quarry_embedding_sink>(embedding_openai::read_vectors, data,
                                                         size);
  return 0;
}
