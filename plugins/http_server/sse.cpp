#include "sse.h"

namespace quarry::http_server {
namespace {

/// Between JSON tokens a line break equals a space; inside a string it cannot occur unescaped.
void append_one_line(std::string& out, std::string_view text) {
  if (text.find('\n') == text.npos && text.find('\r') == text.npos) {
    out += text;
    return;
  }
  for (const char c : text) out += c == '\n' || c == '\r' ? ' ' : c;
}

}  // namespace

void append_event(std::string& out, std::string_view type, std::string_view one_line,
                  std::uint64_t id) {
  out += "event: ";
  out += type;
  out += "\ndata: ";
  append_one_line(out, one_line);
  out += "\nid: ";
  out += std::to_string(id);
  out += "\n\n";
}

void append_message(std::string& out, std::string_view one_line) {
  out += "event: message\ndata: ";
  append_one_line(out, one_line);
  out += "\n\n";
}

void append_comment(std::string& out, std::string_view text) {
  out += ": ";
  append_one_line(out, text);
  out += "\n\n";
}

void append_retry(std::string& out, std::uint32_t milliseconds) {
  out += "retry: ";
  out += std::to_string(milliseconds);
  out += "\n\n";
}

}  // namespace quarry::http_server
