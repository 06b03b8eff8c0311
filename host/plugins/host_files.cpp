#include "plugins/host_files.h"

#include "base/file.h"
#include "base/text.h"
#include "base/url_host.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::string_view kHome = "~/";

bool is_variable(std::string_view name) {
  const auto known = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::ranges::all_of(name, known);
}

bool is_relative(std::string_view path) {
  const auto is_part = [](std::string_view part) {
    return !part.empty() && part != "." && part != ".." && !part.contains('\0');
  };
  return std::ranges::all_of(split(path, '/'), is_part);
}

/// Empty if the environment does not name it.
std::filesystem::path path_of(const std::string& file, const Environment& environment) {
  const bool in_home = file.starts_with(kHome);
  const char* const value = environment(in_home ? "HOME" : file.c_str() + 1);
  if (value == nullptr || *value == '\0') return {};
  return in_home ? std::filesystem::path(value) / file.substr(kHome.size())
                 : std::filesystem::path(value);
}

void add_hosts(std::string_view text, std::vector<std::string>& hosts) {
  constexpr std::array<std::string_view, 2> kSchemes{"https://", "http://"};
  for (const std::string_view scheme : kSchemes) {
    for (auto at = text.find(scheme); at != text.npos; at = text.find(scheme, at + 1)) {
      const std::string_view url = text.substr(at);
      auto host = host_of_url(url.substr(0, url.find_first_of(" \t\r\n\"'")));
      if (!host.empty()) hosts.push_back(std::move(host));
    }
  }
}

}  // namespace

bool is_host_file(std::string_view text) {
  if (text.starts_with('$')) return is_variable(text.substr(1));
  return text.starts_with(kHome) && is_relative(text.substr(kHome.size()));
}

std::vector<std::string> hosts_in_files(const Permissions& permissions, const Json& configuration,
                                        const Environment& environment) {
  std::vector<std::string> out;
  if (configuration.is_object() && configuration.value("acts_for", Json()) == "project") return out;
  for (const std::string& file : permissions.host_files) {
    const auto path = path_of(file, environment);
    if (path.empty()) continue;
    if (const auto text = read_file(path, kMostBytes)) add_hosts(*text, out);
  }
  return out;
}

}  // namespace quarry::plugins
