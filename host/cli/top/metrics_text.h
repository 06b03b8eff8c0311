#pragma once

#include "base/error.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::cli {

/// Numbers of Prometheus's text format, version 0.0.4.
class MetricsText {
 public:
  using Labels = std::map<std::string, std::string, std::less<>>;

  /// kInvalidArgument names the line that cannot be read; lines of later versions of the format are
  /// among these.
  static Result<MetricsText> parse(std::string_view text);

  /// The sum of the series with this name and, if given, a label of this value; 0 if there is none.
  [[nodiscard]] double sum(std::string_view name, std::string_view label = {},
                           std::string_view value = {}) const;
  /// The same for each combination of values of these labels; a label that is missing is empty.
  [[nodiscard]] std::map<std::vector<std::string>, double> sums(
      std::string_view name, const std::vector<std::string>& labels) const;

 private:
  struct Series {
    Labels labels;
    double value = 0;
  };
  std::map<std::string, std::vector<Series>, std::less<>> series_;  // by name
};

}  // namespace quarry::cli
