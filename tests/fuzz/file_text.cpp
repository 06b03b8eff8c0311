// The text of files: any bytes are binary, or UTF-8 without NUL, which decoding leaves as it is.

#include "base/utf8.h"
#include "corpus/text/composed.h"
#include "corpus/text/decode.h"
#include "corpus/text/notebook.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace quarry::corpus;  // NOLINT(google-build-using-namespace)

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const char* path : {"a.txt", "a.ipynb"}) {
    std::string storage;
    const auto text = decode_file(path, bytes, storage);
    if (text) require(quarry::is_utf8(*text) && text->find('\0') == text->npos);
  }
  const std::string name = composed(bytes);
  require(composed(name) == name);
  return 0;
}
