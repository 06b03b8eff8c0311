#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/query/remembered_calls.h"
#include "corpus/snapshot/encoding.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// Encodes the questions of searches, and remembers the last ones. Thread-safe.
class QuestionEncoder {
 public:
  using Awaited = AwaitedCall<std::vector<float>>;

  /// `threads` runs the calls of the encoder.
  QuestionEncoder(std::shared_ptr<Encoding> encoding, Executor& threads)
      : encoding_(std::move(encoding)), calls_("the encoder", threads) {}

  /// Requests running and later calls to stop; does not wait for them.
  void stop() { calls_.stop(); }
  [[nodiscard]] const Encoding& encoding() const { return *encoding_; }
  /// Begins to encode `question`, unless that was done before. Does not block. kUnavailable if the
  /// encoder has another identity by now, or too many calls have not returned. [any thread]
  Result<std::shared_ptr<Awaited>> begin(const std::string& identity, std::string_view question);

 private:
  const std::shared_ptr<Encoding> encoding_;
  RememberedCalls<std::vector<float>> calls_;
};

}  // namespace quarry::corpus
