#pragma once

#include <string>
#include <string_view>

namespace quarry::package_source {

/// ASCII letters in lower case; other bytes are unchanged.
inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return out;
}

/// ASCII white space, as of HTML and Python.
inline bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// `text` without white space at its ends.
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace quarry::package_source
