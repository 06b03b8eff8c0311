#include "model-extractive/found.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::extractive {
namespace {

constexpr std::string_view kRemark = "-- ";

/// Takes a number from the begin of `text`.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// The part of a line behind its path.
struct Numbered {
  NumberedLine line;
  std::uint32_t last = 0;  ///< of the passage, if it goes on behind its lines
};

/// Reads "12: text" and "12-40: text".
std::optional<Numbered> numbered(std::string_view text) {
  Numbered out{};
  const auto number = take_number(text);
  if (!number) return std::nullopt;
  if (text.starts_with('-')) {
    text.remove_prefix(1);
    const auto last = take_number(text);
    if (!last) return std::nullopt;
    out.last = *last;
  }
  if (text != ":" && !text.starts_with(": ")) return std::nullopt;
  out.line = {*number, std::string(text.substr(std::min<std::size_t>(text.size(), 2)))};
  return out;
}

/// The position behind the path that `line` begins with; 0 without one.
std::size_t end_of_path(std::string_view line) {
  for (auto at = line.find(':'); at != line.npos; at = line.find(':', at + 1)) {
    if (at > 0 && numbered(line.substr(at + 1))) return at;
  }
  return 0;
}

/// Adds lines to the passages that they belong to.
class PassageReader {
 public:
  void read(std::string_view line) {
    if (line.starts_with(kRemark)) {
      heading_ = line.substr(kRemark.size(), line.find(", cite [") - kRemark.size());
      begins_ = true;
      return;
    }
    auto found = numbered(line);
    if (!found) {
      const std::size_t end = end_of_path(line);
      if (end == 0) return;
      path_ = line.substr(0, end);
      found = numbered(line.substr(end + 1));
      begins_ = true;
    }
    if (path_.empty()) return;
    add(std::move(*found));
  }
  [[nodiscard]] std::vector<Found> passages() && { return std::move(passages_); }

 private:
  void add(Numbered found) {
    const std::uint32_t number = found.line.number;
    if (begins_ || found.last != 0 || number != passages_.back().lines.back().number + 1) {
      passages_.push_back({path_, number, 0, std::exchange(heading_, {}), {}});
      begins_ = false;
    }
    Found& passage = passages_.back();
    passage.last = std::max({passage.last, found.last, number});
    passage.lines.push_back(std::move(found.line));
  }

  std::vector<Found> passages_;
  std::string path_;
  std::string heading_;
  bool begins_ = true;  // with the next line
};

/// The position of "/ 12 files" in a line of a listing.
std::size_t count_of_files(std::string_view line) {
  return line.rfind("/ ");
}

}  // namespace

std::vector<Found> passages_in(std::string_view output) {
  PassageReader reader;
  for (const std::string_view line : line_views(output)) reader.read(line);
  return std::move(reader).passages();
}

std::vector<std::string> names_in_listing(std::string_view listing) {
  std::vector<std::string> out;
  for (const std::string_view line : line_views(listing)) {
    const std::size_t end = count_of_files(line);
    if (end != std::string_view::npos && end > 0) out.emplace_back(line.substr(0, end));
  }
  return out;
}

bool is_empty_listing(std::string_view listing) {
  bool any = false;
  for (const std::string_view line : line_views(listing)) {
    const std::size_t end = count_of_files(line);
    if (end == std::string_view::npos || end == 0) continue;
    any = true;
    if (!line.substr(end).starts_with("/ 0 ")) return false;
  }
  return any;
}

std::string argument(const ToolOutcome& outcome, const char* name) {
  const auto arguments = nlohmann::json::parse(outcome.arguments, nullptr, false);
  if (!arguments.is_object()) return {};
  const auto found = arguments.find(name);
  return found != arguments.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace quarry::extractive
