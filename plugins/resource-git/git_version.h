#pragma once

#include <quarry/host.hpp>

#include <optional>
#include <string_view>

namespace quarry::resource_git {

/// Why the program that says this of itself, as in "git version 2.39.5", cannot be used; nothing if
/// it can. Before 2.31 (QUARRY_OLDEST_GIT) git ignores GIT_CONFIG_COUNT, and with it every
/// restriction of run_git.
std::optional<Failure> refusal_of(std::string_view said);

/// Asks git for its version, once a process if it can be used. Also fails as run() does.
std::optional<Failure> check_git(const Host& host, const Call& call);

}  // namespace quarry::resource_git
