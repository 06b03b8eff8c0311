#include "percent.h"

#include <quarry/percent.hpp>

namespace quarry::http_server {

std::optional<std::string> percent_decoded(std::string_view text) {
  auto out = from_percent_encoded(text);
  if (out && out->find('\0') != std::string::npos) return std::nullopt;
  return out;
}

}  // namespace quarry::http_server
