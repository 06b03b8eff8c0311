// Small operations on text that several parts of the plugin need.
#pragma once

#include "package_source/left_out.h"
#include "package_source/text.h"

#include <quarry/host.hpp>
#include <quarry/outcome.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_debian {

using package_source::lower;
using package_source::shown;
using package_source::trimmed;
using quarry::Call;
using quarry::Failure;
using quarry::Host;
using quarry::Outcome;

/// A failure, or nothing.
using Problem = std::optional<Failure>;

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// Removes the next line from `text`, and returns it without its line end.
inline std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// The words of `text`, separated by blanks and by the characters of `also`.
inline std::vector<std::string_view> words(std::string_view text, std::string_view also = {}) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  const auto separates = [&](char c) {
    return is_blank(c) || also.find(c) != std::string_view::npos;
  };
  while (begin < text.size()) {
    if (separates(text[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < text.size() && !separates(text[end])) ++end;
    out.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return out;
}

// The words are views: those of a temporary would dangle.
std::vector<std::string_view> words(std::string&& text, std::string_view also = {}) = delete;

template <class Range>
std::string joined(const Range& texts, std::string_view between) {
  std::string out;
  for (const auto& text : texts) {
    if (!out.empty()) out += between;
    out += text;
  }
  return out;
}

inline Failure failure(quarry_status status, std::string message, std::string hint = {}) {
  return {status, std::move(message), std::move(hint), {}};
}

}  // namespace quarry::resource_debian
