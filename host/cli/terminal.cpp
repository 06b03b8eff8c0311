#include "cli/terminal.h"

#include "base/printable.h"
#include "cli/hyperlink.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <unistd.h>

#include <sys/ioctl.h>
#include <utf8proc.h>

namespace quarry::cli {
namespace {

constexpr std::size_t kIndent = 2;      // of continuation lines
constexpr std::size_t kTab = 8;         // columns at most
constexpr std::string_view kDim = "2";  // SGR

}  // namespace

Terminal::Terminal()
    : out_is_terminal_(::isatty(STDOUT_FILENO) == 1),
      error_is_terminal_(::isatty(STDERR_FILENO) == 1) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  redraws_ = error_is_terminal_ && (terminal == nullptr || std::string_view(terminal) != "dumb");
  colour_ = redraws_ && (no_colour == nullptr || *no_colour == '\0');
}

bool Terminal::out(std::string_view text) {
  return write(out_is_terminal_ ? printable(text) : std::string(text));
}

bool Terminal::out_line(std::string_view line) {
  return write(printable_line(line) + "\n");
}

bool Terminal::out_json(std::string_view json) {
  return write((out_is_terminal_ ? printable_json(json) : std::string(json)) + "\n");
}

bool Terminal::write(const std::string& safe) {
  clear_status();
  if (safe.empty()) return true;
  out_at_line_start_ = safe.back() == '\n';
  const bool whole =
      std::fwrite(safe.data(), 1, safe.size(), stdout) == safe.size() && std::fflush(stdout) == 0;
  if (!whole && write_failure_ == 0) write_failure_ = errno;
  return whole;
}

void Terminal::note(std::string_view line, Style style) {
  const std::string safe = printable_indented(line, kIndent);
  note_drawn(style == Style::kDim ? paint(kDim, safe) : safe);
}

void Terminal::note_drawn(const std::string& drawn) {
  clear_status();
  if (out_is_terminal_ && error_is_terminal_ && !out_at_line_start_) {
    out("\n");
  }
  std::fprintf(stderr, "%s\n", drawn.c_str());
}

std::string Terminal::link(std::string_view text, std::string_view url) const {
  const std::string safe = printable_line(text);
  return colour_ ? hyperlink(safe, url) : safe;
}

void Terminal::status(const std::vector<std::string>& lines) {
  if (!redraws_) return;
  const auto [width, height] = size();
  const std::size_t shown = std::min(lines.size(), height);
  std::string drawn;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string line = printable_line(lines[i]);
    drawn += (i == 0 ? "" : "\n") + paint(kDim, first_columns(line, width));
  }
  // One write, to avoid flicker.
  std::fputs((status_cleared() + drawn).c_str(), stderr);
  std::fflush(stderr);
  status_lines_ = shown;
}

Terminal::Size Terminal::size() const {
  winsize now{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &now) != 0 || now.ws_col < 2 || now.ws_row < 2) return {};
  return {now.ws_col - 1u, now.ws_row - 1u};
}

void Terminal::error(const Error& error) {
  std::string text = paint("1;31", "error:") + " " + printable_indented(error.message, kIndent);
  if (error.details.size() > 1) {
    for (const FieldError& detail : error.details) {
      if (error.message.find(detail.message) == std::string::npos) {
        text += "\n  " + printable_line(detail.field) + ": " +
                printable_indented(detail.message, 2 * kIndent);
      }
    }
  }
  if (!error.hint.empty())
    text += "\n" + paint("1", "hint:") + " " + printable_indented(error.hint, kIndent);
  clear_status();
  if (out_is_terminal_ && !out_at_line_start_) out("\n");
  std::fprintf(stderr, "%s\n", text.c_str());
}

std::string Terminal::paint(std::string_view code, std::string_view text) const {
  return colour_ ? styled(code, text) : std::string(text);
}

std::string_view first_columns(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  for (std::size_t taken = 0; at < text.size();) {
    utf8proc_int32_t character = 0;
    const auto bytes =
        ::utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                           static_cast<utf8proc_ssize_t>(text.size() - at), &character);
    taken += character == '\t' ? kTab : static_cast<std::size_t>(::utf8proc_charwidth(character));
    if (at > 0 && taken > columns) break;
    at += static_cast<std::size_t>(std::max<utf8proc_ssize_t>(bytes, 1));
  }
  return text.substr(0, at);
}

std::string styled(std::string_view codes, std::string_view text) {
  return "\x1b[" + std::string(codes) + "m" + std::string(text) + "\x1b[0m";
}

std::string Terminal::status_cleared() const {
  std::string out;
  for (std::size_t line = 0; line < status_lines_; ++line)
    out += line == 0 ? "\r\x1b[K" : "\x1b[A\x1b[K";
  return out;
}

void Terminal::clear_status() {
  if (status_lines_ == 0) return;
  std::fputs(status_cleared().c_str(), stderr);
  std::fflush(stderr);
  status_lines_ = 0;
}

}  // namespace quarry::cli
