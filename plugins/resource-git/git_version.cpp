#include "resource-git/git_version.h"

#include <quarry/process.hpp>

#include <atomic>
#include <charconv>
#include <string>
#include <utility>

namespace quarry::resource_git {
namespace {

/// Major and minor version at the beginning of `text`; -1 for what is not there.
std::pair<int, int> read_version(std::string_view text) {
  std::pair<int, int> version{-1, -1};
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.first);
  if (major.ec == std::errc() && major.ptr != end && *major.ptr == '.') {
    std::from_chars(major.ptr + 1, end, version.second);
  }
  return version;
}

}  // namespace

std::optional<Failure> refusal_of(std::string_view said) {
  constexpr std::string_view kBegin = "git version ";
  std::string_view rest = said.substr(0, said.find('\n'));
  const bool is_git = rest.starts_with(kBegin);
  if (is_git) rest.remove_prefix(kBegin.size());
  const auto version = is_git ? read_version(rest) : std::pair(-1, -1);
  if (version >= read_version(QUARRY_OLDEST_GIT)) return std::nullopt;
  const std::string named(rest);
  return Failure{QUARRY_UNAVAILABLE,
                 version.first < 0
                     ? "the program git does not say its version, but \"" + named + "\""
                     : "git " + named + " is too old",
                 "Install git " QUARRY_OLDEST_GIT " or later, first in PATH.",
                 {}};
}

std::optional<Failure> check_git(const Host& host, const Call& call) {
  static std::atomic<bool> usable = false;
  if (usable) return std::nullopt;
  std::string said;
  const auto take = [&](std::string_view bytes) {
    said += bytes;
    return true;
  };
  const Process process{"git", {"version"}, {"LC_ALL=C"}, "/", {}, 4096};
  if (const auto end = run(host, call, process, take, nullptr); !end) return end.failure();
  auto refused = refusal_of(said);
  usable = !refused;
  return refused;
}

}  // namespace quarry::resource_git
