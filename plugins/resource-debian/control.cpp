#include "resource-debian/control.h"

#include <charconv>

namespace quarry::resource_debian {
namespace {

constexpr std::size_t kLargestStanza = std::size_t{8} << 20;

bool continues(std::string_view rest) {
  return !rest.empty() && (rest.front() == ' ' || rest.front() == '\t');
}

bool is_empty_line(std::string_view line) {
  return trimmed(line).empty();
}

}  // namespace

std::string field(std::string_view stanza, std::string_view name) {
  while (!stanza.empty()) {
    const std::string_view line = next_line(stanza);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || continues(line)) continue;
    if (colon != name.size() || lower(line.substr(0, colon)) != lower(name)) continue;
    std::string value(trimmed(line.substr(colon + 1)));
    while (continues(stanza)) {
      value += '\n';
      value += trimmed(next_line(stanza));
    }
    return std::string(trimmed(value));
  }
  return {};
}

bool StanzaReader::give() {
  const bool more = is_empty_line(pending_) || take_(pending_);
  pending_.clear();
  return more;
}

bool StanzaReader::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const bool whole = end != std::string_view::npos;
    // An empty line ends the stanza: the pending text ends in a line end, and this is one as well.
    if (whole && is_empty_line(bytes.substr(0, end)) &&
        (pending_.empty() || pending_.back() == '\n')) {
      bytes.remove_prefix(end + 1);
      if (!give()) return false;
      continue;
    }
    const std::size_t taken = whole ? end + 1 : bytes.size();
    if (pending_.size() + taken > kLargestStanza) {
      too_large_ = true;
      return false;
    }
    pending_ += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
  }
  return true;
}

bool StanzaReader::end() {
  return give();
}

std::optional<std::uint64_t> as_size(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size() ||
      number < 0) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(number);
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
         });
}

std::vector<Listed> listed_files(std::string_view value) {
  std::vector<Listed> out;
  while (!value.empty()) {
    const auto parts = words(next_line(value));
    if (parts.empty()) continue;
    const auto size = parts.size() == 3 ? as_size(parts[1]) : std::nullopt;
    if (!size || !is_sha256(parts[0])) return {};
    out.push_back({std::string(parts[2]), *size, lower(parts[0])});
  }
  return out;
}

}  // namespace quarry::resource_debian
