#include "base/seal.h"

#include "base/hash.h"
#include "base/octets.h"
#include "base/random.h"

#include <cstddef>
#include <memory>
#include <optional>

#include <openssl/evp.h>

namespace quarry {
namespace {

constexpr std::size_t kKey = 32;
constexpr std::size_t kNonce = 12;
constexpr std::size_t kTag = 16;

using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit_of(text[i]);
    const int low = digit_of(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

Result<std::string> key_of(std::string_view text) {
  if (text.size() == 2 * kKey) {
    if (auto key = from_hex(text)) return std::move(*key);
  }
  return Error{Code::kInvalidArgument, "a key must be 64 hexadecimal digits in lower case",
               "Make one: openssl rand -hex 32"};
}

Error not_ours() {
  return {Code::kPermissionDenied, "it was sealed with another key, or was changed"};
}

}  // namespace

Result<std::string> seal(std::string_view key, std::string_view text, std::string_view context) {
  const auto secret = key_of(key);
  if (!secret) return secret.error();
  const std::string nonce = from_hex(random_hex(kNonce)).value();
  std::string out(text.size(), '\0');
  std::string tag(kTag, '\0');
  int size = 0;
  const Cipher cipher(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  const bool done = cipher &&
                    EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, octets(*secret),
                                       octets(nonce)) == 1 &&
                    EVP_EncryptUpdate(cipher.get(), nullptr, &size, octets(context),
                                      static_cast<int>(context.size())) == 1 &&
                    EVP_EncryptUpdate(cipher.get(), octets(out), &size, octets(text),
                                      static_cast<int>(text.size())) == 1 &&
                    EVP_EncryptFinal_ex(cipher.get(), octets(tag), &size) == 1 &&
                    EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTag, tag.data()) == 1;
  if (!done) return Error{Code::kInternal, "OpenSSL could not encrypt"};
  return to_hex(nonce + out + tag);
}

Result<std::string> unseal(std::string_view key, std::string_view sealed,
                           std::string_view context) {
  const auto secret = key_of(key);
  if (!secret) return secret.error();
  const auto bytes = from_hex(sealed);
  if (!bytes || bytes->size() < kNonce + kTag) return not_ours();
  const std::string nonce = bytes->substr(0, kNonce);
  const std::string text = bytes->substr(kNonce, bytes->size() - kNonce - kTag);
  std::string tag = bytes->substr(bytes->size() - kTag);
  std::string out(text.size() + kTag, '\0');
  int size = 0;
  int rest = 0;
  const Cipher cipher(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  const bool done =
      cipher &&
      EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, octets(*secret),
                         octets(nonce)) == 1 &&
      EVP_DecryptUpdate(cipher.get(), nullptr, &rest, octets(context),
                        static_cast<int>(context.size())) == 1 &&
      EVP_DecryptUpdate(cipher.get(), octets(out), &size, octets(text),
                        static_cast<int>(text.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTag, tag.data()) == 1 &&
      EVP_DecryptFinal_ex(cipher.get(), octets(out) + size, &rest) == 1;
  if (!done) return not_ours();
  out.resize(static_cast<std::size_t>(size));
  return out;
}

}  // namespace quarry
