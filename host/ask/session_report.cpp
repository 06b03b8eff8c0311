#include "ask/session.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/utf8.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

// The reports that a session writes at its end: metrics, record, done event.

namespace quarry::ask {
namespace {

// Of what is kept with a turn.
constexpr std::size_t kMostOutputBytes = 16u << 10;
constexpr std::size_t kMostReasoningBytes = 256u << 10;

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

/// `item` of a tool call with at most kMostOutputBytes of its output.
std::string kept_item(const std::string& item) {
  if (item.size() <= kMostOutputBytes) return item;
  auto value = parse_json(item);
  if (!value || !(*value)["state"].is_object()) return item;
  for (const char* const member : {"output", "error"}) {
    const auto found = (*value)["state"].find(member);
    if (found == (*value)["state"].end() || !found->is_string()) continue;
    auto& text = found->get_ref<std::string&>();
    if (text.size() <= kMostOutputBytes) continue;
    text = std::string(utf8_prefix(text, kMostOutputBytes)) + "\n…";
  }
  return to_text(*value);
}

/// `count` per second with one decimal, as a JSON number. A count is what a server says.
std::string rate(std::int64_t count, std::chrono::nanoseconds duration) {
  constexpr std::int64_t kTenths = 10'000;  // per thousand milliseconds
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / kTenths;
  const std::int64_t ms = std::max<std::int64_t>(duration.count() / 1'000'000, 1);
  const std::int64_t tenths = std::min(count, kMost) * kTenths / ms;
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
                .project = request_.project,
                .question = request_.text,
                .named = request_.named,
                .answer = answer_.text(),
                .outcome = *ending_ ? **ending_ : ending_->error().tag,
                .failed = !*ending_,
                .problem = *ending_ ? std::string() : ending_->error().message,
                .started = asked_at_,
                .duration = services_.clock.steady_now() - started_,
                .calls = calls_.bill().take_calls(),
                .resources = versions_,
                .details = details(),
                .cited = cited_};
  if (const auto first = calls_.first_token()) record.first_token = *first - started_;
  services_.record(record);
}

void Session::add_models(JsonWriter& json) const {
  const Candidate& model = calls_.candidate();
  json.member("steps", steps_);
  json.object("model",
              [&] { json.member("provider", model.provider).member("model", model.name); });
  if (!calls_.failed().empty()) json.raw("fallbacks", fallbacks_json(calls_.failed()));
}

std::string Session::details() const {
  const std::string usage = usage_json(calls_.bill().usage());
  std::vector<std::string> tools;
  for (const std::string& item : tool_items_) tools.push_back(kept_item(item));
  return json_object([&](JsonWriter& json) {
    json.member("reasoning",
                utf8_prefix(log_->text_of(EventType::kReasoningDelta), kMostReasoningBytes));
    json.raw_array("tools", tools);
    if (!usage.empty()) json.raw("usage", usage);
    if (!metrics_.empty()) json.raw("metrics", metrics_);
    add_models(json);
    if (!snapshots_.empty()) json.raw("snapshots", snapshots_);
    if (!*ending_) json.raw("error", redacted_error());
  });
}

/// As the error event: its words are redacted, too, which those of sources and models are not.
std::string Session::redacted_error() const {
  std::string json = error_json(ending_->error());
  return services_.redact ? services_.redact(EventType::kError, std::move(json)) : json;
}

std::string Session::done_event(const std::vector<std::string>& citations) const {
  const std::string usage = usage_json(calls_.bill().usage());
  std::string rest = json_object([&](JsonWriter& json) {
    json.raw_array("tools", tool_items_);
    if (!usage.empty()) json.raw("usage", usage);
    json.raw("metrics", metrics_).raw_array("citations", citations);
    json.member("finishReason", **ending_);
    add_models(json);
  });
  if (services_.redact) rest = services_.redact(EventType::kDone, std::move(rest));
  constexpr std::string_view kFrame = R"({"type":"done","text":"","reasoning":""})";
  std::string out;  // as large as the whole answer: allocated once
  out.reserve(kFrame.size() + escaped_size(*log_, EventType::kTextDelta) +
              escaped_size(*log_, EventType::kReasoningDelta) + rest.size());
  JsonWriter json(out);
  json.object([&] {
    json.member("type", name_of(EventType::kDone));
    json.text("text", [&](auto add) { log_->visit_deltas(EventType::kTextDelta, 0, add); });
    json.text("reasoning",
              [&](auto add) { log_->visit_deltas(EventType::kReasoningDelta, 0, add); });
    json.raw_members(rest);
  });
  return out;
}

}  // namespace quarry::ask
