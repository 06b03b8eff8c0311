#include "fuzz/model_stream.h"
#include "model-gemini/decoder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarry;
  fuzz::check_stream<gemini::Decoder>(model_http::Framing::kEvents, data, size);
  return 0;
}
