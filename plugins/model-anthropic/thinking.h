#pragma once

#include <quarry/outcome.hpp>

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace quarry::anthropic {

/// How much the model thinks before it answers, as the option `thinking` says: a number of tokens,
/// for models before Claude Opus 4.7; "adaptive", or an effort, for those since Claude 4.6; "off".
class Thinking {
 public:
  /// As the model does it by itself.
  Thinking() = default;
  static Outcome<Thinking> read(const nlohmann::json& option);
  /// Of the option, for a JSON Schema.
  static nlohmann::json schema();

  /// Whether the request asks for thinking, which goes with no temperature.
  [[nodiscard]] bool is_asked_for() const { return budget_ > 0 || adaptive_; }
  /// Adds the members; the budget comes on top of `max_tokens`, so that the answer keeps its room.
  void put_into(nlohmann::json& request) const;

 private:
  std::int64_t budget_ = 0;  // tokens; 0 = none
  bool adaptive_ = false;
  bool off_ = false;
  std::string effort_;
};

}  // namespace quarry::anthropic
