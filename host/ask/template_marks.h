#pragma once

#include <cstddef>
#include <string_view>

namespace quarry::ask {

// What the templates of models put around reasoning and answers, and servers leave in the text.

/// Size of markup that is not complete: more text may tell.
inline constexpr std::size_t kPartial = std::string_view::npos;

/// A tag around reasoning: "<think>", "[/REASONING]", "<|end_of_thought|>", "<ns:thinking a="b">".
struct ThoughtTag {
  std::size_t size = 0;  ///< 0 = there is none, kPartial
  bool ends = false;
};
[[nodiscard]] ThoughtTag thought_tag_at(std::string_view text);

/// Position of the first tag in `text` that ends reasoning; npos if there is none. `partial`: set
/// to where a tag may begin that is not complete. `begins` is raised by the tags before it that
/// begin reasoning.
std::size_t find_thought_end(std::string_view text, std::size_t& partial, std::size_t& begins);

/// Size of the mark at the beginning of an answer, such as "<|begin_of_text|>"; 0 or kPartial.
[[nodiscard]] std::size_t size_of_first_mark(std::string_view text);

/// What `text` is, of the marks after an answer, such as "<|im_end|>": all of it, or their
/// beginning.
enum class Ends { kNo, kPerhaps, kYes };
[[nodiscard]] Ends ends_in(std::string_view text);

/// Size of `tag`, in lower case, at the beginning of `text`, with its attributes if it is an
/// element; 0 or kPartial.
[[nodiscard]] std::size_t size_of_tag(std::string_view text, std::string_view tag);

}  // namespace quarry::ask
