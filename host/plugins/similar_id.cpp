#include "plugins/similar_id.h"

#include <utility>

namespace quarry::plugins {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// The same text for all ids that look alike.
std::string appearance(std::string_view id) {
  std::string out(id);
  for (const auto& [from, to] : {std::pair{"0", "o"},
                                 {"1", "l"},
                                 {"i", "l"},
                                 {"5", "s"},
                                 {"-", ""},
                                 {".", ""},
                                 {"rn", "m"},
                                 {"vv", "w"},
                                 {"cl", "d"}}) {
    replace_all(out, from, to);
  }
  return out;
}

}  // namespace

bool looks_alike(std::string_view left, std::string_view right) {
  return left != right && appearance(left) == appearance(right);
}

}  // namespace quarry::plugins
