#include "fuzz/model_stream.h"
#include "model-ollama/decoder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarry;
  fuzz::check_stream<ollama::Decoder>(model_http::Framing::kLines, data, size);
  return 0;
}
