#include "access/session_text.h"

#include "base/hash.h"
#include "base/text.h"

#include <charconv>

namespace quarry::access {
namespace {

std::string signature(std::string_view id, std::string_view expires, std::string_view token,
                      std::string_view key) {
  std::string signed_text(id);
  signed_text += '.';
  signed_text += expires;
  signed_text += '.';
  signed_text += token;
  return hmac_sha256_hex(key, signed_text);
}

/// Compares in a time that does not depend on the position of a difference.
bool same(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    difference |= static_cast<unsigned char>(left[i] ^ right[i]);
  }
  return difference == 0;
}

}  // namespace

std::string write_session(const SessionText& session, std::string_view token,
                          std::string_view key) {
  using std::chrono::seconds;
  const auto at = std::chrono::duration_cast<seconds>(session.expires.time_since_epoch());
  const std::string expires = std::to_string(at.count());
  return session.id + "." + expires + "." + signature(session.id, expires, token, key);
}

std::optional<SessionText> read_session(std::string_view text, std::string_view token,
                                        std::string_view key) {
  const auto parts = split(text, '.');
  if (parts.size() != 3 || !same(parts[2], signature(parts[0], parts[1], token, key))) {
    return std::nullopt;
  }
  std::int64_t seconds = 0;
  std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), seconds);
  return SessionText{std::string(parts[0]), Clock::Wall(std::chrono::seconds(seconds))};
}

}  // namespace quarry::access
