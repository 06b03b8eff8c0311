#pragma once

#include "config/check.h"
#include "config/config.h"
#include "config/layers.h"

#include <vector>

namespace quarry::config {

/// Everything that can be read, with every mistake. For verbs that explain the configuration; the
/// program runs with the result of load() only.
struct Inspection {
  Config config;    ///< of the values without mistakes
  Document merged;  ///< the same values with their places
  std::vector<Mistake>
      mistakes;  ///< violations of the schema, wrong amounts, secrets in plain text
  std::vector<UnreadFile> unread;
};

/// Reads what can be read. Fields of components are not checked.
Inspection inspect(const Sources& sources);

}  // namespace quarry::config
