#include "sse.h"

#include "one_line.h"

namespace quarry::http_server {

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
