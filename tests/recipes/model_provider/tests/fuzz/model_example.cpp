#include "fuzz/model_stream.h"
#include "model-example/decoder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarry;
  fuzz::check_stream<example::Decoder>(model_http::Framing::kLines, data, size);
  return 0;
}
