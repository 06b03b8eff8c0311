#pragma once

#include "ask/cost.h"

#include <chrono>
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

/// The accounting record of one question.
struct Record {
  std::string id;
  std::string thread;  ///< may be empty
  std::string bearer;  ///< the caller's token; may be empty
  std::string question;
  std::vector<std::string> named;  ///< the resources in the client's words; empty = all
  std::string answer;
  std::string outcome;  ///< the finish reason, or the error's tag
  std::chrono::system_clock::time_point started;
  std::chrono::nanoseconds duration{0};
  std::vector<CallRecord> calls;  ///< in their order
  std::vector<ResourceVersion> resources;
};

}  // namespace quarry::ask
