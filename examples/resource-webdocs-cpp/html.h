/// Tags, attributes and character references of HTML.
#ifndef WEBDOCS_HTML_H
#define WEBDOCS_HTML_H

#include <optional>
#include <string>
#include <string_view>

namespace webdocs {

inline constexpr std::string_view kSpace = " \t\r\n\f";

bool is_space(char c);
bool is_letter(char c);  ///< of ASCII

/// The position of `wanted`, given in lower case, at or after `from`; npos when there is none.
std::size_t find_any_case(std::string_view text, std::string_view wanted, std::size_t from);

struct Tag {
  std::string name;  ///< lower case
  bool closing = false;
  std::string_view attributes;

  [[nodiscard]] bool empty_element() const { return attributes.ends_with('/'); }
};

/// Reads the tag at `at`, which leads to '<', and moves `at` behind it; nullopt when it is none.
/// One that never ends takes the rest of the text, as in a browser.
std::optional<Tag> read_tag(std::string_view html, std::size_t& at);

/// The value of the attribute `name`, given in lower case; empty when there is none.
std::string attribute(const Tag& tag, std::string_view name);

/// The content of the first element `name`; nullopt when there is none.
std::optional<std::string_view> element(std::string_view html, const std::string& name);

/// Replaces character references: the numeric ones, and the names that are usual in documents.
std::string decode_entities(std::string_view text);

}  // namespace webdocs

#endif
