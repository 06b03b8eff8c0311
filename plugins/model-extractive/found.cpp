#include "model-extractive/found.h"

#include <optional>
#include <regex>

#include <nlohmann/json.hpp>

namespace quarry::extractive {
namespace {

constexpr std::size_t kMostHeaderBytes = 2000;

std::optional<Found> header_of(std::string_view line) {
  static const std::regex pattern(R"(^(\S.*):(\d{1,9})-(\d{1,9})(\s.*|)$)");
  std::smatch parts;
  const std::string text(line);
  if (text.size() > kMostHeaderBytes || !std::regex_match(text, parts, pattern)) {
    return std::nullopt;
  }
  const auto number = [&](int i) { return static_cast<std::uint32_t>(std::stoul(parts[i])); };
  return Found{parts[1], number(2), number(3), std::string(trimmed(parts[4].str())), {}};
}

/// The position of "/  12 files" in a line of a listing.
std::size_t count_of_files(std::string_view line) {
  return line.rfind("/  ");
}

}  // namespace

std::vector<Found> passages_in(std::string_view output) {
  std::vector<Found> out;
  for (const std::string_view line : line_views(output)) {
    if (auto found = header_of(line)) {
      out.push_back(std::move(*found));
    } else if (!out.empty()) {
      for (NumberedLine& one : numbered_lines(line)) out.back().lines.push_back(std::move(one));
    }
  }
  return out;
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
    if (!line.substr(end).starts_with("/  0 ")) return false;
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
