#include "resource-pypi/digest.h"

#include <array>

namespace quarry::resource_pypi {
namespace {

struct Algorithm {
  std::string_view name;
  const char* openssl;
  std::size_t digits;
  bool strong;
};

/// The first that an index states is used.
constexpr std::array<Algorithm, 11> kAlgorithms{{
    {"sha256", "SHA256", 64, true},
    {"sha512", "SHA512", 128, true},
    {"sha384", "SHA384", 96, true},
    {"sha3_256", "SHA3-256", 64, true},
    {"sha3_512", "SHA3-512", 128, true},
    {"sha3_384", "SHA3-384", 96, true},
    {"blake2b", "BLAKE2B512", 128, true},
    {"blake2s", "BLAKE2S256", 64, true},
    {"sha224", "SHA224", 56, true},
    {"sha1", "SHA1", 40, false},
    {"md5", "MD5", 32, false},
}};

const Algorithm* algorithm_of(std::string_view name) {
  for (const Algorithm& known : kAlgorithms) {
    if (known.name == name) return &known;
  }
  return nullptr;
}

}  // namespace

bool Hash::is_strong() const {
  const Algorithm* known = algorithm_of(algorithm);
  return known != nullptr && known->strong;
}

std::optional<Hash> Hash::make(std::string_view algorithm, std::string_view hex) {
  const Algorithm* known = algorithm_of(algorithm);
  if (known == nullptr || hex.size() != known->digits) return std::nullopt;
  Hash out{std::string(algorithm), {}};
  for (const char c : hex) {
    const char low = c >= 'A' && c <= 'F' ? static_cast<char>(c | 0x20) : c;
    if (!((low >= '0' && low <= '9') || (low >= 'a' && low <= 'f'))) return std::nullopt;
    out.hex += low;
  }
  return out;
}

std::optional<Hash> Hash::parse(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  return make(text.substr(0, equals), text.substr(equals + 1));
}

std::optional<Hash> best_of(const std::map<std::string, std::string>& hashes) {
  for (const Algorithm& known : kAlgorithms) {
    const auto found = hashes.find(std::string(known.name));
    if (found == hashes.end()) continue;
    if (auto hash = Hash::make(known.name, found->second)) return hash;
  }
  return std::nullopt;
}

std::string openssl_name_of(std::string_view name) {
  const Algorithm* known = algorithm_of(name);
  return known == nullptr ? std::string(name) : known->openssl;
}

}  // namespace quarry::resource_pypi
