#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace quarry::package_source {

/// A message digest of bytes that arrive in pieces. One thread.
class Digest {
 public:
  /// `algorithm` as OpenSSL names it ("SHA256", "sha512"). Throws std::runtime_error if this system
  /// cannot compute it.
  explicit Digest(const std::string& algorithm = "SHA256");
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;
  ~Digest();

  void add(std::string_view bytes);
  /// The digest; nothing may be added, and nothing asked for, afterwards.
  [[nodiscard]] std::string bytes();
  /// The same in lower-case hexadecimal digits.
  [[nodiscard]] std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// `bytes` in lower-case hexadecimal digits.
std::string to_hex(std::string_view bytes);

/// The SHA-256 of `bytes` in 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace quarry::package_source
