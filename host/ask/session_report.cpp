#include "ask/session.h"
#include "base/json.h"

// The reports that a session writes at its end: metrics, record, done event.

namespace quarry::ask {
namespace {

std::string whole_milliseconds(std::chrono::nanoseconds duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

using Visit = std::function<void(std::string_view)>;

/// Visits the deltas escaped for a JSON string, one at a time, so that no second copy is held.
void visit_escaped(const EventLog& log, EventType type, const Visit& visit) {
  std::string quoted;
  log.visit_deltas(type, 0, [&](std::string_view delta) {
    quoted.clear();
    append_quoted(quoted, delta);
    visit(std::string_view(quoted).substr(1, quoted.size() - 2));
  });
}

std::size_t escaped_size(const EventLog& log, EventType type) {
  std::size_t out = 0;
  visit_escaped(log, type, [&](std::string_view piece) { out += piece.size(); });
  return out;
}

void append_escaped(std::string& out, const EventLog& log, EventType type) {
  visit_escaped(log, type, [&](std::string_view piece) { out += piece; });
}

/// `count` per second with one decimal, as a JSON number.
std::string rate(std::int64_t count, std::chrono::nanoseconds duration) {
  const std::int64_t milliseconds = std::max<std::int64_t>(duration.count() / 1'000'000, 1);
  const std::int64_t tenths = count * 10'000 / milliseconds;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

}  // namespace

std::string Session::metrics() const {
  const auto total = services_.clock.steady_now() - started_;
  const plugins::Usage& usage = calls_.bill().usage();
  std::string out = R"({"timing":{"totalMs":)" + whole_milliseconds(total) + R"(,"genMs":)" +
                    whole_milliseconds(calls_.generating()) + R"(,"resourcesMs":)" +
                    whole_milliseconds(preparing_);
  if (const auto first = calls_.first_token()) {
    out += R"(,"firstTokenMs":)" + whole_milliseconds(*first - started_);
  }
  out += R"(,"toolsMs":)" + whole_milliseconds(working_) + "}";
  if (usage.output >= 0) {
    out += R"(,"throughput":{"outputTokensPerSecond":)" + rate(usage.output, calls_.generating()) +
           R"(,"totalTokensPerSecond":)" + rate(total_tokens(usage), calls_.generating()) + "}";
  }
  const std::string pricing = calls_.bill().pricing(calls_.candidate());
  if (!pricing.empty()) out += R"(,"pricing":)" + pricing;
  return out + "}";
}

void Session::write_record() {
  if (!services_.record) return;
  Record record{.id = request_.id,
                .thread = request_.thread,
                .bearer = request_.bearer,
                .question = request_.text,
                .named = request_.named,
                .answer = answer_.text(),
                .outcome = *ending_ ? **ending_ : ending_->error().tag,
                .started = asked_at_,
                .duration = services_.clock.steady_now() - started_,
                .calls = calls_.bill().take_calls(),
                .resources = {}};
  for (const auto& item : resources_) record.resources.push_back({item.name, item.version});
  services_.record(record);
}

std::string Session::done_event(const std::vector<std::string>& citations) const {
  const Candidate& model = calls_.candidate();
  const std::string usage = usage_json(calls_.bill().usage());
  std::string rest = R"(,"tools":)" + json_array(tool_items_);
  if (!usage.empty()) rest += R"(,"usage":)" + usage;
  rest += R"(,"metrics":)" + metrics() + R"(,"citations":)" + json_array(citations) +
          R"(,"finishReason":)" + json_string(**ending_) + R"(,"steps":)" + std::to_string(steps_) +
          R"(,"model":{"provider":)" + json_string(model.provider) + R"(,"model":)" +
          json_string(model.name) + "}";
  if (!calls_.failed().empty()) rest += R"(,"fallbacks":)" + fallbacks_json(calls_.failed());
  constexpr std::string_view kText = R"({"type":"done","text":")";
  constexpr std::string_view kReasoning = R"(","reasoning":")";
  std::string out;  // as large as the whole answer: allocated once
  out.reserve(kText.size() + escaped_size(*log_, EventType::kTextDelta) + kReasoning.size() +
              escaped_size(*log_, EventType::kReasoningDelta) + rest.size() + 2);
  out += kText;
  append_escaped(out, *log_, EventType::kTextDelta);
  out += kReasoning;
  append_escaped(out, *log_, EventType::kReasoningDelta);
  out += '"';
  out += rest;
  out += '}';
  return out;
}

}  // namespace quarry::ask
