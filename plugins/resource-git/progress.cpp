#include "resource-git/progress.h"

#include <quarry/json.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace quarry::resource_git {
namespace {

constexpr std::size_t kLongestLine = 4096;
constexpr std::size_t kMostKept = 64 << 10;

/// Reads digits from the front of `text`.
bool take_number(std::string_view& text, std::uint64_t& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return true;
}

std::string_view without_trailing_blanks(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\x1b')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string progress_of(std::string_view line) {
  constexpr std::string_view kRemote = "remote: ";
  const bool remote = line.starts_with(kRemote);
  if (remote) line.remove_prefix(kRemote.size());
  const auto colon = line.find(": ");
  const auto open = line.find("% (");
  if (colon == line.npos || colon == 0 || open == line.npos || open < colon) return "";
  std::string_view rest = line.substr(open + 3);
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  if (!take_number(rest, done) || !rest.starts_with('/')) return "";
  rest.remove_prefix(1);
  if (!take_number(rest, total) || !rest.starts_with(')')) return "";
  rest.remove_prefix(1);
  std::string message(line.substr(0, colon));
  message[0] = static_cast<char>(message[0] | 0x20);
  if (remote) message = "the remote is " + message;
  if (rest.starts_with(", ")) {
    const auto bytes =
        without_trailing_blanks(rest.substr(2, std::min(rest.find(" |"), rest.size()) - 2));
    if (bytes.ends_with("iB") || bytes.ends_with("bytes")) message.append(", ").append(bytes);
  }
  return "{\"message\":" + json::quoted(message) + ",\"done\":" + std::to_string(done) +
         ",\"total\":" + std::to_string(total) + "}";
}

std::uint64_t received_bytes(std::string_view line) {
  constexpr std::string_view kUnits[] = {" bytes", " KiB", " MiB", " GiB"};
  if (!line.starts_with("Receiving objects:")) return 0;
  const auto at = line.find("), ");
  if (at == line.npos) return 0;
  line.remove_prefix(at + 3);
  std::uint64_t whole = 0;
  std::uint64_t hundredths = 0;
  if (!take_number(line, whole)) return 0;
  if (line.starts_with('.')) {
    line.remove_prefix(1);
    if (!take_number(line, hundredths)) return 0;
  }
  for (unsigned power = 0; power < std::size(kUnits); ++power) {
    if (!line.starts_with(kUnits[power])) continue;
    const std::uint64_t unit = std::uint64_t{1} << (10 * power);
    return whole * unit + hundredths * unit / 100;
  }
  return 0;
}

void Progress::take(std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\n' || c == '\r') {
      take_line();
    } else if (line_.size() < kLongestLine) {
      line_ += c;
    }
  }
}

std::string Progress::finish() {
  take_line();
  return std::exchange(rest_, {});
}

void Progress::take_line() {
  const std::string line(without_trailing_blanks(std::exchange(line_, {})));
  if (line.empty()) return;
  received_ = std::max(received_, received_bytes(line));
  all_received_ = all_received_ || line.starts_with("Receiving objects: 100%") ||
                  line.starts_with("Resolving deltas:");
  std::string json = progress_of(line);
  if (!json.empty()) {
    if (json != last_ && report_) report_(json);
    last_ = std::move(json);
    return;
  }
  rest_.append(line) += '\n';
  if (rest_.size() > kMostKept) rest_.erase(0, rest_.size() - kMostKept);
}

}  // namespace quarry::resource_git
