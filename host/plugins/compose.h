#pragma once

#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>

namespace quarry::plugins {

/// `pattern` with each {} replaced by the next value, formatted by an ostream. (g++ 12 has no
/// std::format.)
template <class... Values>
std::string compose(std::string_view pattern, const Values&... values) {
  std::ostringstream out;
  const auto put = [&](const auto& value) {
    const auto hole = pattern.find("{}");
    out << pattern.substr(0, hole) << value;
    pattern.remove_prefix(hole == std::string_view::npos ? pattern.size() : hole + 2);
  };
  (put(values), ...);
  out << pattern;
  return std::move(out).str();
}

}  // namespace quarry::plugins
