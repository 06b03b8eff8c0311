#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <openssl/evp.h>

namespace quarry::resource_debian {

/// SHA-256 of bytes that arrive in pieces.
class Sha256 {
 public:
  Sha256() : state_(EVP_MD_CTX_new()) { EVP_DigestInit_ex(state_.get(), EVP_sha256(), nullptr); }
  void add(std::string_view bytes) { EVP_DigestUpdate(state_.get(), bytes.data(), bytes.size()); }
  /// The digest in lower-case hexadecimal digits. Once.
  std::string hex() {
    constexpr std::string_view kDigits = "0123456789abcdef";
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_DigestFinal_ex(state_.get(), digest, &size);
    std::string out;
    for (unsigned int i = 0; i < size; ++i) {
      out += {kDigits[digest[i] >> 4U], kDigits[digest[i] & 15U]};
    }
    return out;
  }

 private:
  struct Freer {
    void operator()(EVP_MD_CTX* state) const { EVP_MD_CTX_free(state); }
  };
  std::unique_ptr<EVP_MD_CTX, Freer> state_;
};

inline std::string sha256_of(std::string_view bytes) {
  Sha256 digest;
  digest.add(bytes);
  return digest.hex();
}

}  // namespace quarry::resource_debian
