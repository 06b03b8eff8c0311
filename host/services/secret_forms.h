#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace quarry::services {

/// A place in a text that has a secret, or a part of one.
struct FoundSecret {
  std::size_t begin;
  std::size_t end;
  std::size_t secret;  ///< as it was added
};

/// Finds secrets in texts, however they are written there: as they are, encoded once or several
/// times (decoded), in base64 after a user's name, in hexadecimal digits, in another case, over
/// several lines of a header, or cut, when at least half of the secret or 16 bytes are left.
///
/// A time proportional to the text, however many secrets there are. Reads from several threads.
class SecretForms {
 public:
  /// Shorter ones are found by their first bytes, of which there must be enough.
  static constexpr std::size_t kShortest = 8;

  /// `value` has at least kShortest bytes.
  void add(std::string_view value, std::size_t secret);
  /// Every place, in no order; places may overlap.
  [[nodiscard]] std::vector<FoundSecret> find(std::string_view text) const;

 private:
  /// Bytes of a form by which it is looked for.
  struct Handle {
    std::size_t form;
    std::size_t offset;
  };
  struct Form {
    std::string bytes;
    std::size_t secret;
  };

  void add_form(std::string_view bytes, std::size_t secret);
  void add_handle(std::size_t form, std::size_t offset);
  [[nodiscard]] static std::uint64_t load(const char* bytes);
  [[nodiscard]] static std::size_t slot(std::uint64_t bytes);
  /// In a canonical text.
  [[nodiscard]] std::vector<FoundSecret> find_in(std::string_view text) const;
  /// The secret, or the part of it, whose handle is at text[at].
  [[nodiscard]] std::optional<FoundSecret> place_of(std::string_view text, std::size_t at,
                                                    const Handle& handle) const;

  std::vector<Form> forms_;
  std::unordered_multimap<std::uint64_t, Handle> handles_;
  std::bitset<std::size_t{1} << 16> slots_;  ///< of the handles
};

}  // namespace quarry::services
