/// Names as definitions show them.
#ifndef QUARRY_SYMBOLS_TREE_SITTER_NAME_H
#define QUARRY_SYMBOLS_TREE_SITTER_NAME_H

#include <initializer_list>
#include <string>
#include <string_view>

namespace quarry::symbols_tree_sitter {

/// A name without quotation marks or a symbol's colon, white space as one space: empty if it has no
/// character left or more than 1,024 bytes.
std::string written_name(std::string_view text);

/// The text with white space as one space, none at its ends; empty beyond 1,024 bytes.
std::string one_line(std::string_view text);

/// True if `word` is one of `words`.
bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words);

/// True for a byte within an identifier, also within a UTF-8 sequence.
bool is_word(char c);

}  // namespace quarry::symbols_tree_sitter

#endif
