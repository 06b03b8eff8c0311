// The request parser: for any input, it neither crashes nor depends on how the bytes are cut, which
// the first byte of the input selects.

#include "http_server/parser.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using quarry::http_server::Limits;
using quarry::http_server::RequestParser;

/// The parsed requests as text; a rejection ends it.
std::string meaning(std::string_view bytes, std::size_t piece) {
  static const Limits limits{.header_bytes = 2048, .header_count = 20, .body_bytes = 4096};
  RequestParser parser(limits);
  std::string out;
  while (!bytes.empty()) {
    parser.append(bytes.substr(0, piece));
    bytes.remove_prefix(piece < bytes.size() ? piece : bytes.size());
    for (;;) {
      const RequestParser::Step step = parser.parse();
      if (step == RequestParser::Step::kNeedMore) break;
      if (step == RequestParser::Step::kHead) continue;
      if (step == RequestParser::Step::kRefused) return out + "refused";
      const auto& request = parser.request();
      out.append(request.method).append(" ").append(request.target).append(" ");
      out.append(request.host).append(" ").append(request.body).append("\n");
      parser.forget();
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = meaning(bytes, bytes.size() + 1);
  const std::string cut = meaning(bytes, data[0] % 32U + 1U);
  // The cut affects when buffer limits apply: complete requests agree up to the first rejection.
  const std::string_view shorter = whole.size() < cut.size() ? whole : cut;
  const std::string_view longer = whole.size() < cut.size() ? cut : whole;
  const std::string_view agreed = shorter.substr(0, shorter.rfind('\n') + 1);
  if (!longer.starts_with(agreed)) std::abort();
  return 0;
}
