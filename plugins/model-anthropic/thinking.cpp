#include "model-anthropic/thinking.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace quarry::anthropic {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kSmallestBudget = 1024;
constexpr std::int64_t kLargestBudget = 1'000'000;
constexpr std::array<const char*, 7> kWords = {"off",  "adaptive", "low", "medium",
                                               "high", "xhigh",    "max"};

}  // namespace

Outcome<Thinking> Thinking::read(const Json& option) {
  Thinking out;
  if (option.is_number_integer() && option >= kSmallestBudget && option <= kLargestBudget) {
    out.budget_ = option.get<std::int64_t>();
    return out;
  }
  const bool known =
      option.is_string() && std::ranges::any_of(kWords, [&](auto word) { return option == word; });
  if (!known) {
    return field_failure("/thinking",
                         "must be a number of tokens, at least 1024, or one of off, adaptive, low, "
                         "medium, high, xhigh and max");
  }
  out.off_ = option == "off";
  out.adaptive_ = !out.off_;
  if (out.adaptive_ && option != "adaptive") out.effort_ = option;
  return out;
}

void Thinking::put_into(Json& request) const {
  if (budget_ > 0) {
    request["thinking"] = {{"type", "enabled"}, {"budget_tokens", budget_}};
    request["max_tokens"] = request.at("max_tokens").get<std::int64_t>() + budget_;
  } else if (adaptive_) {
    request["thinking"] = {{"type", "adaptive"}, {"display", "summarized"}};
  } else if (off_) {
    request["thinking"] = {{"type", "disabled"}};
  }
  if (!effort_.empty()) request["output_config"] = {{"effort", effort_}};
}

}  // namespace quarry::anthropic
