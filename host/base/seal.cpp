#include "base/seal.h"

#include "base/hash.h"
#include "base/octets.h"
#include "base/random.h"

#include <cstddef>
#include <optional>

#include <nettle/gcm.h>
#include <nettle/memops.h>

namespace quarry {
namespace {

constexpr std::size_t kKey = 32;
constexpr std::size_t kNonce = 12;
constexpr std::size_t kTag = 16;

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

/// Before the text; `context` is what is authenticated beside it.
gcm_aes256_ctx cipher_of(std::string_view key, std::string_view nonce, std::string_view context) {
  gcm_aes256_ctx cipher;
  gcm_aes256_set_key(&cipher, octets(key));
  gcm_aes256_set_iv(&cipher, nonce.size(), octets(nonce));
  gcm_aes256_update(&cipher, context.size(), octets(context));
  return cipher;
}

/// Of the text that went through the cipher.
std::string tag_of(gcm_aes256_ctx& cipher) {
  std::string tag(kTag, '\0');
  gcm_aes256_digest(&cipher, tag.size(), octets(tag));
  return tag;
}

Error not_ours() {
  return {Code::kPermissionDenied, "it was sealed with another key, or was changed"};
}

}  // namespace

Result<std::string> seal(std::string_view key, std::string_view text, std::string_view context) {
  const auto secret = key_of(key);
  if (!secret) return secret.error();
  const std::string nonce = from_hex(random_hex(kNonce)).value();
  auto cipher = cipher_of(*secret, nonce, context);
  std::string out(text.size(), '\0');
  gcm_aes256_encrypt(&cipher, out.size(), octets(out), octets(text));
  return to_hex(nonce + out + tag_of(cipher));
}

Result<std::string> unseal(std::string_view key, std::string_view sealed,
                           std::string_view context) {
  const auto secret = key_of(key);
  if (!secret) return secret.error();
  const auto bytes = from_hex(sealed);
  if (!bytes || bytes->size() < kNonce + kTag) return not_ours();
  const std::string_view all = *bytes;
  const auto text = all.substr(kNonce, all.size() - kNonce - kTag);
  auto cipher = cipher_of(*secret, all.substr(0, kNonce), context);
  std::string out(text.size(), '\0');
  gcm_aes256_decrypt(&cipher, out.size(), octets(out), octets(text));
  const std::string tag = tag_of(cipher);
  if (memeql_sec(tag.data(), all.substr(all.size() - kTag).data(), kTag) == 0) return not_ours();
  return out;
}

}  // namespace quarry
