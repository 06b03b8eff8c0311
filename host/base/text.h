#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry {

/// The candidate nearest to `name` by edit distance, if near enough to be a likely typo (at most a
/// third of the length of the longer one). Ignores case.
[[nodiscard]] std::optional<std::string> nearest(std::string_view name,
                                                 std::span<const std::string> candidates);

/// `parts` with `separator` between.
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);

/// ASCII lower case; other bytes are unchanged.
[[nodiscard]] std::string to_lower(std::string_view text);

/// `text` without ASCII white space at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);

/// `text` with each percent-encoded byte ("%5D") decoded; malformed triples are unchanged.
[[nodiscard]] std::string percent_decoded(std::string_view text);

/// Parts of `text` between the separators, empty ones included.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// `text` quoted as one word of a shell command line.
std::string shell_word(std::string_view text);

}  // namespace quarry
