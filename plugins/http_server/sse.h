#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quarry::http_server {

/// Server-sent events as the wire page wants them: a space after each colon, data in one line.
/// Appends only; every function ends its block with an empty line.
void append_event(std::string& out, std::string_view type, std::string_view one_line,
                  std::uint64_t id);
/// An event of the type that is meant where none is named, without an id.
void append_message(std::string& out, std::string_view one_line);
/// A comment of any text: its line breaks become spaces.
void append_comment(std::string& out, std::string_view text);
/// How long a client waits before it comes back.
void append_retry(std::string& out, std::uint32_t milliseconds);

}  // namespace quarry::http_server
