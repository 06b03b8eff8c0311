#pragma once

#include <bitset>
#include <optional>
#include <string_view>

namespace quarry::corpus {

/// Parses a class of bytes such as "[a-z_]", "[!0-9]", "[]x]" or "[[:space:]]" at the start of
/// `rest`, which begins with '[', and removes it. nullopt, and `rest` unchanged, if its ']' is
/// missing or it names an unknown [:class:].
std::optional<std::bitset<256>> take_character_class(std::string_view& rest);

}  // namespace quarry::corpus
