#include "resource-npm/integrity.h"

#include "package_source/text.h"
#include "resource-npm/version.h"

#include <quarry/base64.hpp>

#include <algorithm>
#include <array>

namespace quarry::resource_npm {
namespace {

using package_source::trimmed;

struct Algorithm {
  std::string_view name;
  std::size_t bytes;
};
/// Strongest first.
constexpr std::array<Algorithm, 4> kAlgorithms = {
    {{"sha512", 64}, {"sha384", 48}, {"sha256", 32}, {"sha1", 20}}};

/// The hash of `text` ("sha512-<base64>?options") in its canonical form, empty when it is not of
/// `algorithm`.
std::string hash_of(std::string_view text, const Algorithm& algorithm) {
  text = text.substr(0, text.find('?'));
  const auto dash = text.find('-');
  if (dash == text.npos || text.substr(0, dash) != algorithm.name) return {};
  const auto bytes = from_base64(text.substr(dash + 1));
  return bytes && bytes->size() == algorithm.bytes ? to_base64(*bytes) : std::string();
}

std::vector<std::string> hashes_of(std::string_view text, const Algorithm& algorithm) {
  std::vector<std::string> out;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::string_view one = text.substr(0, text.find_first_of(" \t\r\n"));
    text.remove_prefix(one.size());
    if (auto hash = hash_of(one, algorithm); !hash.empty()) out.push_back(std::move(hash));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

std::optional<Integrity> Integrity::parse(std::string_view text) {
  for (const Algorithm& algorithm : kAlgorithms) {
    Integrity out;
    out.hashes_ = hashes_of(text, algorithm);
    if (out.hashes_.empty()) continue;
    out.algorithm_ = algorithm.name;
    return out;
  }
  return std::nullopt;
}

std::optional<Integrity> Integrity::of_shasum(std::string_view hexadecimal) {
  std::string bytes;
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  if (hexadecimal.size() != 40) return std::nullopt;
  for (std::size_t i = 0; i < hexadecimal.size(); i += 2) {
    const int high = digit(hexadecimal[i]), low = digit(hexadecimal[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return parse("sha1-" + to_base64(bytes));
}

std::string Integrity::text() const {
  std::string out;
  for (const std::string& hash : hashes_) {
    out += (out.empty() ? "" : " ") + algorithm_ + "-" + hash;
  }
  return out;
}

bool Integrity::admits(std::string_view found) const {
  return std::ranges::any_of(
      hashes_, [&](const std::string& hash) { return found == algorithm_ + "-" + hash; });
}

bool Integrity::agrees_with(const Integrity& other) const {
  return std::ranges::any_of(
      hashes_, [&](const std::string& hash) { return other.admits(algorithm_ + "-" + hash); });
}

}  // namespace quarry::resource_npm
