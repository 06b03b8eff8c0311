#include "ask/session.h"
#include "base/json.h"
#include "base/json_writer.h"

// The reports that a session writes at its end: metrics, record, done event.

namespace quarry::ask {
namespace {

std::int64_t whole_milliseconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

std::size_t escaped_size(const EventLog& log, EventType type) {
  std::size_t out = 0;
  std::string escaped;  // one delta at a time, so that no second copy is held
  log.visit_deltas(type, 0, [&](std::string_view delta) {
    escaped.clear();
    append_escaped(escaped, delta);
    out += escaped.size();
  });
  return out;
}

/// `count` per second with one decimal, as a JSON number.
std::string rate(std::int64_t count, std::chrono::nanoseconds duration) {
  const std::int64_t ms = std::max<std::int64_t>(duration.count() / 1'000'000, 1);
  const std::int64_t tenths = count * 10'000 / ms;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

}  // namespace

std::string Session::metrics() const {
  const plugins::Usage& usage = calls_.bill().usage();
  return json_object([&](JsonWriter& json) {
    json.object("timing", [&] {
      json.member("totalMs", whole_milliseconds(services_.clock.steady_now() - started_));
      json.member("genMs", whole_milliseconds(calls_.generating()));
      json.member("resourcesMs", whole_milliseconds(preparing_));
      if (const auto first = calls_.first_token()) {
        json.member("firstTokenMs", whole_milliseconds(*first - started_));
      }
      json.member("toolsMs", whole_milliseconds(working_));
    });
    if (usage.output >= 0) {
      json.object("throughput", [&] {
        json.raw("outputTokensPerSecond", rate(usage.output, calls_.generating()));
        json.raw("totalTokensPerSecond", rate(total_tokens(usage), calls_.generating()));
      });
    }
    const std::string pricing = calls_.bill().pricing(calls_.candidate());
    if (!pricing.empty()) json.raw("pricing", pricing);
  });
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
                .failed = !*ending_,
                .problem = *ending_ ? std::string() : ending_->error().message,
                .started = asked_at_,
                .duration = services_.clock.steady_now() - started_,
                .calls = calls_.bill().take_calls(),
                .resources = versions_};
  if (const auto first = calls_.first_token()) record.first_token = *first - started_;
  services_.record(record);
}

std::string Session::done_event(const std::vector<std::string>& citations) const {
  const Candidate& model = calls_.candidate();
  const std::string usage = usage_json(calls_.bill().usage());
  std::string rest = json_object([&](JsonWriter& json) {
    json.raw_array("tools", tool_items_);
    if (!usage.empty()) json.raw("usage", usage);
    json.raw("metrics", metrics()).raw_array("citations", citations);
    json.member("finishReason", **ending_).member("steps", steps_);
    json.object("model",
                [&] { json.member("provider", model.provider).member("model", model.name); });
    if (!calls_.failed().empty()) json.raw("fallbacks", fallbacks_json(calls_.failed()));
  });
  if (services_.redact) rest = services_.redact(EventType::kDone, std::move(rest));
  constexpr std::string_view kFrame = R"({"type":"done","text":"","reasoning":""})";
  std::string out;  // as large as the whole answer: allocated once
  out.reserve(kFrame.size() + escaped_size(*log_, EventType::kTextDelta) +
              escaped_size(*log_, EventType::kReasoningDelta) + rest.size());
  JsonWriter json(out);
  json.object([&] {
    json.member("type", "done");
    json.text("text", [&](auto add) { log_->visit_deltas(EventType::kTextDelta, 0, add); });
    json.text("reasoning",
              [&](auto add) { log_->visit_deltas(EventType::kReasoningDelta, 0, add); });
    json.raw_members(rest);
  });
  return out;
}

}  // namespace quarry::ask
