#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <openssl/evp.h>

namespace quarry::resource_archive {

class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  /// 64 hexadecimal digits; nothing may be added afterwards.
  [[nodiscard]] std::string digits();

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

std::string sha256(std::string_view bytes);

}  // namespace quarry::resource_archive
