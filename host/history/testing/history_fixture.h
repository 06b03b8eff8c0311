#pragma once

#include "base/file.h"
#include "history/history.h"
#include "history/schema.h"

#include <quarry_test.h>

#include <gmock/gmock.h>

namespace quarry::history {

/// A fixture with its own directory for every test.
class InDirectory : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return root_ / "history.db"; }
  /// Content of the file and its companions.
  [[nodiscard]] std::string bytes() const {
    std::string out;
    for (const auto& entry : std::filesystem::directory_iterator(root_)) {
      out += read_file(entry.path()).value_or("");
    }
    return out;
  }

  const std::filesystem::path root_ = test_directory();
};

inline Time at(std::int64_t seconds) {
  return Time(std::chrono::seconds(seconds));
}

inline Call call(std::string model, std::int64_t input, std::int64_t output, std::int64_t nanos) {
  return {.provider = "openai",
          .model = std::move(model),
          .input = input,
          .output = output,
          .reasoning = {},
          .cache_read = {},
          .cache_write = {},
          .cost = {nanos},
          .charged = {},
          .unpriced = {},
          .source = "static",
          .catalogue_date = "2026-11-01"};
}

inline Question question(std::string id, Time started, std::vector<Call> calls,
                         std::vector<Resource> resources = {{"docs", "v1"}}) {
  return {.id = std::move(id),
          .thread = "",
          .outcome = "stop",
          .started = started,
          .duration = std::chrono::seconds(1),
          .calls = std::move(calls),
          .resources = std::move(resources)};
}

}  // namespace quarry::history
