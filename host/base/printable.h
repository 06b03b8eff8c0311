#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry {

// Text from outside (sources, models, plugins, servers) made safe for a terminal or a log.
// Characters that control a terminal or reorder displayed text become escapes such as "\u{9b}":
// controls (C0 except tab, newline and a CR before a newline; DEL; C1 including NEL), U+2028 and
// U+2029, and the bidirectional controls. Bytes that are not UTF-8 become U+FFFD. [any thread]

[[nodiscard]] std::string printable(std::string_view text);

/// The same on one line: a newline is the escape "\n".
[[nodiscard]] std::string printable_line(std::string_view text);

/// The same, with each line after the first indented by `columns`, so that no line of `text` can be
/// mistaken for program output.
[[nodiscard]] std::string printable_indented(std::string_view text, std::size_t columns);

/// `text` on one line for a person who must review it: newlines, tabs and invisible characters are
/// escaped too, all in TOML's notation, "\u009B".
[[nodiscard]] std::string printable_exact(std::string_view text);

/// The same, truncated to at most `most` code points, followed by "…" if truncated.
[[nodiscard]] std::string printable_exact(std::string_view text, std::size_t most);

/// JSON text of the same value, with these characters as JSON escapes within its strings.
[[nodiscard]] std::string printable_json(std::string_view json);

}  // namespace quarry
