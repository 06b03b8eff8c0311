#include "resources/refresh.h"

#include "base/schema.h"

#include <charconv>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace quarry::resources {
namespace {

using std::chrono::seconds;

constexpr std::string_view kRefresh = "refresh";
constexpr std::string_view kInBackground = "refreshInBackground";

std::optional<seconds> unit_of(char letter) {
  switch (letter) {
    case 's':
      return seconds(1);
    case 'm':
      return seconds(60);
    case 'h':
      return seconds(3600);
    case 'd':
      return seconds(86'400);
    default:
      return std::nullopt;
  }
}

/// Parses a text such as "15m".
std::optional<seconds> period_of(std::string_view text) {
  if (text.size() < 2 || text.size() > 7) return std::nullopt;
  const auto unit = unit_of(text.back());
  text.remove_suffix(1);
  std::uint32_t count = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (!unit || failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return count * *unit;
}

Error mistake(std::string_view member, std::string message) {
  return invalid("the resource", "ConfigError", {{"/" + std::string(member), std::move(message)}});
}

}  // namespace

bool Refresh::is_due(Clock::Wall current_at, Clock::Wall now) const {
  if (current_at == Clock::Wall()) return true;
  if (!after) return false;
  return current_at > now || now - current_at >= *after;
}

Result<Refresh> refresh_of(const Json& resource) {
  Refresh refresh;
  if (const auto found = resource.find(kRefresh); found != resource.end()) {
    const std::string text = found->is_string() ? found->get<std::string>() : std::string();
    const auto period = text == "always" ? seconds(0) : period_of(text);
    if (!period && text != "never") {
      return mistake(kRefresh, R"(must be "always", "never", or a time such as "15m")");
    }
    refresh.after = period;
  }
  if (const auto found = resource.find(kInBackground); found != resource.end()) {
    if (!found->is_boolean()) return mistake(kInBackground, "must be true or false");
    refresh.in_background = found->get<bool>();
  }
  return refresh;
}

Json host_members(const Json& resource) {
  Json members = Json::object();
  for (const auto member : {kRefresh, kInBackground}) {
    const auto found = resource.find(member);
    if (found != resource.end() && !found->is_null()) members[std::string(member)] = *found;
  }
  return members;
}

Json without_host_members(Json resource) {
  for (const auto member : {kRefresh, kInBackground}) resource.erase(std::string(member));
  return resource;
}

}  // namespace quarry::resources
