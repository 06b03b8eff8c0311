// Control data of Debian (deb822): stanzas of fields, separated by empty lines.
#pragma once

#include "resource-debian/text.h"

#include <functional>

namespace quarry::resource_debian {

/// The value of the field `name` (any case) of a stanza, continuation lines joined by '\n', without
/// blanks around it; empty when there is none. A name that occurs twice has its first value.
std::string field(std::string_view stanza, std::string_view name);

/// Splits a stream of control data into stanzas.
class StanzaReader {
 public:
  /// Receives one stanza; returns false to end.
  using Take = std::function<bool(std::string_view stanza)>;
  explicit StanzaReader(Take take) : take_(std::move(take)) {}

  /// False when a stanza is too large, or no more is wanted.
  bool feed(std::string_view bytes);
  /// Passes on the last stanza.
  bool end();
  [[nodiscard]] bool too_large() const { return too_large_; }

 private:
  bool give();

  Take take_;
  std::string pending_;
  bool too_large_ = false;
};

/// A file as a list of checksums names it.
struct Listed {
  std::string name;
  std::uint64_t size = 0;
  std::string sha256;
};

/// The files of a field Checksums-Sha256 (or SHA256): "<digest> <size> <name>" per line. Empty
/// when a line is malformed, or there is none.
std::vector<Listed> listed_files(std::string_view value);

/// Reads a number of bytes; nullopt when `text` is not one below 2^63.
std::optional<std::uint64_t> as_size(std::string_view text);

/// True for 64 hexadecimal digits.
bool is_sha256(std::string_view text);

}  // namespace quarry::resource_debian
