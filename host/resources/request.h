#pragma once

#include "resources/fetch_queue.h"
#include "resources/library.h"
#include "resources/refresh.h"
#include "resources/sources.h"
#include "services/log_scope.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace quarry::resources {

/// Key of a version, with its integrity: files of one id may be checked against another integrity.
inline std::string identity_of(const plugins::ResourceVersion& version) {
  return version.integrity.empty() ? version.id : version.id + '\n' + version.integrity;
}

/// Input of one run.
struct Order {
  Json resource;          ///< without the host's own members
  std::string key;        ///< of its run: the source, and the locked version if any
  bool in_place = false;  ///< its type reads folders in place and waits for no other host
  std::optional<plugins::ResourceVersion> locked;
  std::shared_ptr<Source> source;
  std::string project = {};  ///< PrepareOptions::project
  /// Of the lines of the run: what the first who waits for it works for; may be null.
  std::shared_ptr<const services::LogSubject> subject = services::LogScope::current();
};

/// One call of Library::prepare.
struct Request {
  Order order;
  Freshness freshness = Freshness::kPolicy;
  Refresh refresh;
  Claim claim;
  std::stop_token stop;
  Library::OnProgress progress;
  Library::OnPrepared done;
};

}  // namespace quarry::resources
