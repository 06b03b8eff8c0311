#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry {

// Text from outside (sources, models, plugins, servers) as it may reach a terminal or a log. What
// steers a terminal or reorders what is shown stands there as an escape, "\u{9b}": controls (C0
// but tab and newline, with a CR before it, DEL, C1 with NEL), U+2028 and U+2029, and the
// bidirectional controls. Bytes that are not UTF-8 become U+FFFD. [any thread]

[[nodiscard]] std::string printable(std::string_view text);

/// The same on one line: a newline is the escape "\n".
[[nodiscard]] std::string printable_line(std::string_view text);

/// The same, with each line behind the first indented by `columns`, so that no line of `text` can
/// be taken for one of the program.
[[nodiscard]] std::string printable_indented(std::string_view text, std::size_t columns);

/// `text` on one line for a person who is to judge it: newlines, tabs and characters that nobody
/// sees are escapes too, all as TOML writes them, "\u009B".
[[nodiscard]] std::string printable_exact(std::string_view text);

/// The same cut to at most `most` code points, "…" behind them where something is left out.
[[nodiscard]] std::string printable_exact(std::string_view text, std::size_t most);

/// JSON text of the same value, with these characters as JSON escapes within its strings.
[[nodiscard]] std::string printable_json(std::string_view json);

}  // namespace quarry
