#pragma once

#include <string_view>

namespace quarry::corpus {

/// True if `text` contains a private key in PEM format (RFC 7468, OpenSSH, PGP) at any place: on
/// lines of its own, indented, or within a string literal or a JSON value with its newlines as
/// "\n". The header alone, as in a program that reads keys, is not enough: key material must
/// follow. [any thread]
[[nodiscard]] bool holds_private_key(std::string_view text);

}  // namespace quarry::corpus
