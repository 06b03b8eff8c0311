#include "ask/session.h"
#include "base/json.h"

// What a session says about itself at its end.

namespace quarry::ask {
namespace {

std::string whole_milliseconds(std::chrono::nanoseconds duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

/// `count` per second with one decimal, as a JSON number.
std::string rate(std::int64_t count, std::chrono::nanoseconds duration) {
  const std::int64_t milliseconds = std::max<std::int64_t>(duration.count() / 1'000'000, 1);
  const std::int64_t tenths = count * 10'000 / milliseconds;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

}  // namespace

std::string Session::metrics() const {
  const auto total = house_.clock.steady_now() - started_;
  std::string out = R"({"timing":{"totalMs":)" + whole_milliseconds(total) + R"(,"genMs":)" +
                    whole_milliseconds(generating_) + R"(,"resourcesMs":)" +
                    whole_milliseconds(preparing_);
  if (first_token_) out += R"(,"firstTokenMs":)" + whole_milliseconds(*first_token_ - started_);
  out += R"(,"toolsMs":)" + whole_milliseconds(working_) + "}";
  if (usage_.output >= 0) {
    out += R"(,"throughput":{"outputTokensPerSecond":)" + rate(usage_.output, generating_) +
           R"(,"totalTokensPerSecond":)" + rate(total_tokens(usage_), generating_) + "}";
  }
  const auto& [model, provider, name, options, rates, context] = candidate();
  if (rates && total_tokens(usage_) > 0) {
    const auto pricing = pricing_json(*rates, cost_, provider, name);
    if (!pricing.empty()) out += R"(,"pricing":)" + pricing;
  }
  return out + "}";
}

void Session::write_record() {
  if (!house_.record) return;
  Record record{.id = request_.id,
                .thread = request_.thread,
                .question = request_.text,
                .answer = answer_.text(),
                .outcome = error_ ? error_->tag : finish_reason_,
                .started = asked_at_,
                .duration = house_.clock.steady_now() - started_,
                .calls = std::move(calls_),
                .resources = {}};
  for (const auto& item : meta_.prepared) record.resources.push_back({item.name, item.version});
  house_.record(record);
}

std::string Session::done_event(const std::vector<std::string>& citations) const {
  std::string out;
  out.reserve(answer_.text().size() + answer_.reasoning().size() + 1024);
  out += R"({"type":"done","text":)";
  append_quoted(out, answer_.text());
  out += R"(,"reasoning":)";
  append_quoted(out, answer_.reasoning());
  out += R"(,"tools":)" + json_array(tool_items_);
  if (const std::string usage = usage_json(usage_); !usage.empty()) out += R"(,"usage":)" + usage;
  out += R"(,"metrics":)" + metrics() + R"(,"citations":)" + json_array(citations) +
         R"(,"finishReason":)" + json_string(finish_reason_) + R"(,"steps":)" +
         std::to_string(steps_);
  return out + "}";
}

}  // namespace quarry::ask
