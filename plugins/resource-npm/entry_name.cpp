#include "resource-npm/entry_name.h"

#include "resource-npm/integrity.h"

namespace quarry::resource_npm {

std::string entry_name(std::string_view kind, std::string_view text) {
  constexpr std::size_t kLongEnough = 32;  // 192 bits
  Hasher hasher("sha256");
  hasher.add(text);
  std::string hash = hasher.finish().substr(sizeof "sha256-" - 1, kLongEnough);
  for (char& c : hash) {
    if (c == '/') c = '_';
    if (c == '+') c = '-';
  }
  return std::string(kind) + "-" + hash;
}

}  // namespace quarry::resource_npm
