#include "engine/replication/messages.h"

#include "base/json.h"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr std::array<std::pair<ask::StopReason, std::string_view>, 3> kReasons{{
    {ask::StopReason::kAsked, "asked"},
    {ask::StopReason::kWithdrawn, "withdrawn"},
    {ask::StopReason::kShutdown, "shutdown"},
}};

/// The part of `text` before the first space, which is removed from it with the space.
std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

Error unreadable(std::string_view what) {
  return {Code::kInvalidArgument, "the replaced process sent " + std::string(what), ""};
}

}  // namespace

Message read_message(std::string_view line) {
  Message out;
  out.word = take_word(line);
  if (out.word != "question") out.id = take_word(line);
  out.rest = line;
  return out;
}

std::string question_line(const QuestionHeader& header) {
  const Json value = {
      {"id", header.id}, {"bearer", header.bearer}, {"keepMs", header.keep.count()}};
  return "question " + to_text(value) + '\n';
}

Result<QuestionHeader> read_question_header(std::string_view json) {
  const auto value = parse_json(json);
  if (!value || !value->is_object()) return unreadable("a question that is no JSON object");
  const auto id = value->find("id");
  const auto bearer = value->find("bearer");
  const auto keep = value->find("keepMs");
  const bool complete = id != value->end() && id->is_string() && bearer != value->end() &&
                        bearer->is_string() && keep != value->end() && keep->is_number_integer();
  if (!complete) return unreadable("a question without id, bearer and keepMs");
  return QuestionHeader{*id, *bearer, std::chrono::milliseconds(keep->get<std::int64_t>())};
}

void add_event_line(std::string& out, std::string_view id, std::string_view type,
                    std::string_view json) {
  for (const std::string_view part : {std::string_view("event"), id, type}) {
    out.append(part).append(1, ' ');
  }
  out.append(json).append(1, '\n');
}

Result<LoggedEvent> read_event(std::string_view type_and_json) {
  const std::string_view name = take_word(type_and_json);
  const auto type = event_named(name);
  if (!type) return unreadable("an event of an unknown type");
  if (!is_delta(*type)) return LoggedEvent{*type, std::string(type_and_json)};
  const auto value = parse_json(type_and_json);
  const bool complete =
      value && value->is_object() && value->contains("delta") && value->at("delta").is_string();
  if (!complete) return unreadable("a delta without its text");
  return LoggedEvent{*type, value->at("delta").get<std::string>()};
}

std::string cited_line(std::string_view id, const std::vector<ask::CitedSource>& sources) {
  Json value = Json::array();
  for (const ask::CitedSource& source : sources) {
    value.push_back(
        {{"citation", source.citation}, {"firstLine", source.first_line}, {"lines", source.lines}});
  }
  return "cited " + std::string(id) + ' ' + to_text(value) + '\n';
}

Result<std::vector<ask::CitedSource>> read_cited(std::string_view json) {
  const auto value = parse_json(json);
  if (!value || !value->is_array()) return unreadable("citations that are no JSON array");
  std::vector<ask::CitedSource> out;
  for (const Json& one : *value) {
    const bool complete = one.is_object() && one.contains("citation") &&
                          one["citation"].is_string() && one.contains("firstLine") &&
                          one["firstLine"].is_number_unsigned() && one.contains("lines") &&
                          one["lines"].is_array() &&
                          std::ranges::all_of(one["lines"], &Json::is_string);
    if (!complete) return unreadable("a citation without its lines");
    out.push_back({one["citation"], one["firstLine"], one["lines"]});
  }
  return out;
}

std::string stop_line(std::string_view id, ask::StopReason reason) {
  const auto* const row =
      std::ranges::find(kReasons, reason, &decltype(kReasons)::value_type::first);
  const std::string_view word = row == kReasons.end() ? kReasons.front().second : row->second;
  return "stop " + std::string(id) + ' ' + std::string(word) + '\n';
}

ask::StopReason read_reason(std::string_view word) {
  const auto* const row =
      std::ranges::find(kReasons, word, &decltype(kReasons)::value_type::second);
  return row == kReasons.end() ? ask::StopReason::kAsked : row->first;
}

}  // namespace quarry::engine
