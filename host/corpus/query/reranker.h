#pragma once

#include "base/error.h"

#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// Scores how well documents answer a query.
class Reranker {
 public:
  virtual ~Reranker() = default;
  /// One finite score for each of `documents` (UTF-8, none empty), in their order; higher is
  /// better. Scores of different calls are comparable only if the query is the same. Blocks until
  /// they are there, `stop` is requested (kCancelled), or it fails: kResourceExhausted if a quota
  /// is used up, kInvalidArgument if a text itself is refused, kUnavailable or another code for the
  /// rest. [any thread]
  virtual Result<std::vector<double>> score(std::string_view query,
                                            std::span<const std::string_view> documents,
                                            std::stop_token stop) = 0;
};

}  // namespace quarry::corpus
