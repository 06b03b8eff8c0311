#pragma once

#include <string_view>

namespace quarry::corpus {

/// `text` holds a private key in the PEM form (RFC 7468, OpenSSH, PGP), at any place: on lines of
/// its own, indented, or within a string literal or a JSON value with its newlines as "\n". The
/// words alone, as in a program that reads keys, are none: key material must follow. [any thread]
[[nodiscard]] bool holds_private_key(std::string_view text);

}  // namespace quarry::corpus
