#pragma once

#include "resource-git/remote.h"
#include "resource-git/settings.h"

#include <quarry/resource.hpp>

#include <string>
#include <string_view>

namespace quarry::resource_git {

/// The resource type for git repositories (<quarry/resource.h> documents each function).
class Source {
 public:
  Source(Host host, Settings settings);

  [[nodiscard]] Outcome<std::string> resolve(const Call& call, std::string_view resource);
  [[nodiscard]] Outcome<std::string> fetch(const Call& call, std::string_view resource,
                                           std::string_view version, Tree& tree);

 private:
  Outcome<std::string> resolve_short_commit(const Call& call, const Fields& fields);
  void continue_branch(const Call& call, Fields& fields, std::string ref);
  Failure missing(const Call& call, const Fields& fields);
  [[nodiscard]] Failure in_time(const TimedCall& call, Failure failure, const Fields& fields) const;

  Host host_;
  Settings settings_;
  Remotes remotes_;
};

}  // namespace quarry::resource_git
