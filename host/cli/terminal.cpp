#include "cli/terminal.h"

#include "base/utf8.h"

#include <cstdlib>
#include <unistd.h>

namespace quarry::cli {
namespace {

/// Text from outside without control characters, so that it cannot steer the terminal.
std::string printable(std::string_view text) {
  std::string out = to_utf8(text);
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f) c = ' ';
  }
  return out;
}

}  // namespace

Terminal::Terminal()
    : out_is_terminal_(::isatty(STDOUT_FILENO) == 1),
      error_is_terminal_(::isatty(STDERR_FILENO) == 1) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  colour_ = error_is_terminal_ && (no_colour == nullptr || *no_colour == '\0') &&
            (terminal == nullptr || std::string_view(terminal) != "dumb");
}

bool Terminal::out(std::string_view text) {
  clear_status();
  if (text.empty()) return true;
  const std::string safe = out_is_terminal_ ? printable(text) : std::string(text);
  out_at_line_start_ = safe.back() == '\n';
  return std::fwrite(safe.data(), 1, safe.size(), stdout) == safe.size() &&
         std::fflush(stdout) == 0;
}

void Terminal::note(std::string_view line) {
  clear_status();
  if (out_is_terminal_ && error_is_terminal_ && !out_at_line_start_) {
    out("\n");
  }
  std::fprintf(stderr, "%s\n",
               (error_is_terminal_ && !colour_ ? printable(line) : std::string(line)).c_str());
}

void Terminal::status(std::string_view line) {
  if (!error_is_terminal_) return;
  clear_status();
  const std::string safe = printable(line);
  std::fprintf(stderr, "%s", dim(utf8_prefix(safe, 100)).c_str());
  std::fflush(stderr);
  status_shown_ = true;
}

void Terminal::error(const Error& error) {
  std::string text = paint("1;31", "error:") + " " + printable(error.message);
  if (error.details.size() > 1) {
    for (const FieldError& detail : error.details) {
      if (error.message.find(detail.message) == std::string::npos) {
        text += "\n  " + printable(detail.field) + ": " + printable(detail.message);
      }
    }
  }
  if (!error.hint.empty()) text += "\n" + paint("1", "hint:") + " " + printable(error.hint);
  clear_status();
  if (out_is_terminal_ && !out_at_line_start_) out("\n");
  std::fprintf(stderr, "%s\n", text.c_str());
}

std::string Terminal::paint(std::string_view code, std::string_view text) const {
  if (!colour_) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

void Terminal::clear_status() {
  if (!status_shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  status_shown_ = false;
}

}  // namespace quarry::cli
