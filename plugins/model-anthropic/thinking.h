#pragma once

#include <quarry/outcome.hpp>

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace quarry::anthropic {

/// The amount of thinking before an answer, from the option `thinking`: a number of tokens, for
/// models before Claude Opus 4.7; "adaptive", or an effort, for those since Claude 4.6; "off".
class Thinking {
 public:
  /// The model's default.
  Thinking() = default;
  static Outcome<Thinking> read(const nlohmann::json& option);

  /// True if the request enables thinking, which excludes a temperature.
  [[nodiscard]] bool is_asked_for() const { return budget_ > 0 || adaptive_; }
  /// Adds the members; adds the budget to `max_tokens`, so that it does not shorten the answer.
  void put_into(nlohmann::json& request) const;

 private:
  std::int64_t budget_ = 0;  // tokens; 0 = none
  bool adaptive_ = false;
  bool off_ = false;
  std::string effort_;
};

}  // namespace quarry::anthropic
