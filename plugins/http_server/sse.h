#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quarry::http_server {

/// Server-sent events as docs/http-api.md describes them: a space after each colon, data in one
/// line, as append_one_line writes it. The functions append; each ends its block with an empty
/// line.
void append_event(std::string& out, std::string_view type, std::string_view one_line,
                  std::uint64_t id);
/// An event of the default type "message", without an id.
void append_message(std::string& out, std::string_view one_line);
/// A comment in one line.
void append_comment(std::string& out, std::string_view text);
/// Time that a client waits before it reconnects.
void append_retry(std::string& out, std::uint32_t milliseconds);

}  // namespace quarry::http_server
