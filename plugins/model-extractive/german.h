#pragma once

#include <string>
#include <string_view>

namespace quarry::extractive {

/// A German question about software in English words, where they are known: "Wo sind die
/// Fehlermeldungen?" is "error messages". Compounds are split. Empty if the question has none of
/// the words that German sentences are made of.
[[nodiscard]] std::string in_english(std::string_view question);

}  // namespace quarry::extractive
