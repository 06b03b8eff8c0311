#include "authoring/trial_sink.h"

namespace quarry::authoring {
namespace {

Error failure_of(const plugins::ModelError& error) {
  Error out(error.code, error.message);
  if (error.http_status != 0) out.message += " (status " + std::to_string(error.http_status) + ")";
  return out;
}

const char* finish_name(plugins::Finish reason) {
  switch (reason) {
    case plugins::Finish::kLength:
      return "length";
    case plugins::Finish::kToolCalls:
      return "tool_calls";
    case plugins::Finish::kContentFilter:
      return "content_filter";
    case plugins::Finish::kStop:
      break;
  }
  return "stop";
}

/// Numbers that the provider reported.
Json usage_json(const plugins::Usage& usage) {
  Json out = Json::object();
  const auto add = [&](const char* name, std::int64_t count) {
    if (count >= 0) out[name] = count;
  };
  add("input", usage.input);
  add("output", usage.output);
  add("reasoning", usage.reasoning);
  add("cacheRead", usage.cache_read);
  add("cacheWrite", usage.cache_write);
  return out;
}

}  // namespace

bool TrialSink::text(std::string_view delta) {
  text_ += delta;
  on_text_(delta, false);
  return wanted();
}

bool TrialSink::reasoning(std::string_view delta) {
  on_text_(delta, true);
  return wanted();
}

bool TrialSink::tool_call(std::uint32_t, std::string_view, std::string_view name,
                          std::string_view) {
  if (!name.empty()) tools_.emplace(name);
  return wanted();
}

bool TrialSink::usage(const plugins::Usage& usage) {
  usage_ = usage;
  return wanted();
}

bool TrialSink::keep(std::string_view) {
  return wanted();
}

Result<Json> TrialSink::value() const {
  if (error_) return failure_of(*error_);
  if (!finish_) return Error(Code::kInternal, "the provider sent neither a finish nor an error");
  return Json{{"text", text_},
              {"finish", finish_name(*finish_)},
              {"toolCalls", tools_},
              {"usage", usage_ ? usage_json(*usage_) : Json()}};
}

}  // namespace quarry::authoring
