#pragma once

#include "ask/cited_sources.h"
#include "ask/cost.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace quarry::ask {

/// One model call: its usage, and the cost by the model's own rates.
struct CallRecord {
  std::string provider;
  std::string model;
  plugins::Usage usage;
  Cost cost;
  Money charged;               ///< amount that limits in money count, unknown parts included
  std::string source;          ///< of the prices; empty when they are unknown
  std::string catalogue_date;  ///< may be empty
  bool failed = false;
};

struct ResourceVersion {
  std::string name;
  std::string version;
};

/// What is kept of one question: its accounting, and what its client was shown.
struct Record {
  std::string id;
  std::string thread;        ///< may be empty
  std::string bearer;        ///< the caller's token; may be empty
  std::string project = {};  ///< of the caller's token
  std::string question;
  std::vector<std::string> named;  ///< the resources in the client's words; empty = all
  std::string answer;
  std::string outcome;       ///< the finish reason, or the error's tag
  bool failed = false;       ///< with an error
  std::string problem = {};  ///< the error's message
  std::chrono::system_clock::time_point started;
  std::chrono::nanoseconds duration{0};
  /// From the beginning to the first token; none if no model answered.
  std::optional<std::chrono::nanoseconds> first_token = {};
  std::vector<CallRecord> calls;  ///< in their order
  std::vector<ResourceVersion> resources;
  /// JSON object: `model`, `snapshots` and the trace as in the events, and of one that failed its
  /// `error`. Empty for calls without a question.
  std::string details = {};
  std::shared_ptr<const CitedSources> cited = {};  ///< may be null
};

}  // namespace quarry::ask
