#include "plugins/reply_slot.h"

#include "base/code_names.h"
#include "base/utf8.h"
#include "plugins/compose.h"
#include "plugins/json_members.h"

#include <quarry/limits.h>

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

std::string sentence(quarry_text text) {
  return to_utf8(as_view(text).substr(0, QUARRY_LIMIT_SENTENCE));
}

/// Matches ^[A-Z][A-Za-z]{0,63}$ (quarry_failure.details).
bool is_tag(std::string_view text) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_letter = [&](char c) { return is_upper(c) || (c >= 'a' && c <= 'z'); };
  return !text.empty() && text.size() <= 64 && is_upper(text.front()) &&
         std::ranges::all_of(text, is_letter);
}

void read_fields(const Json& details, Error& error) {
  const auto fields = details.find("fields");
  if (fields == details.end() || !fields->is_array()) return;
  for (const Json& field : *fields) {
    if (error.details.size() == QUARRY_LIMIT_FIELDS) return;
    if (!field.is_object()) continue;
    const auto where = field.find("field");
    const auto message = field.find("message");
    if (where == field.end() || message == field.end()) continue;
    if (!where->is_string() || !message->is_string()) continue;
    error.details.push_back({where->get<std::string>(), message->get<std::string>()});
  }
}

void read_details(std::string_view text, Error& error) {
  if (text.empty() || text.size() > QUARRY_LIMIT_DETAILS) return;
  const auto details = parse_json(text);
  if (!details || !details->is_object()) return;
  if (auto tag = string_member(*details, "tag"); is_tag(tag)) error.tag = std::move(tag);
  read_fields(*details, error);
}

}  // namespace

Error error_of(const quarry_failure& failure) {
  Error error;
  error.code = code_of_status(failure.status);
  error.message = sentence(failure.message);
  if (error.message.empty()) error.message = "the plugin failed without a message";
  error.hint = sentence(failure.hint);
  read_details(as_view(failure.details), error);
  return error;
}

ReplySlot::ReplySlot()
    : reply_{.struct_size = sizeof(quarry_reply),
             .context = this,
             .value =
                 [](const quarry_reply* self, quarry_text json) {
                   auto& slot = *static_cast<ReplySlot*>(self->context);
                   if (json.size > QUARRY_LIMIT_VALUE) {
                     slot.settle(Error(Code::kInternal,
                                       compose("the plugin answered {} bytes, more than {}",
                                               json.size, QUARRY_LIMIT_VALUE)));
                   } else {
                     slot.settle(std::string(as_view(json)));
                   }
                 },
             .failure =
                 [](const quarry_reply* self, const quarry_failure* failure) {
                   auto& slot = *static_cast<ReplySlot*>(self->context);
                   const bool said = failure != nullptr && QUARRY_HAS(failure, details);
                   slot.settle(said
                                   ? error_of(*failure)
                                   : Error(Code::kInternal, "the plugin failed without a failure"));
                 }} {}

void ReplySlot::settle(Result<std::string> outcome) {
  if (count_++ == 0) outcome_ = std::move(outcome);
}

Result<std::string> ReplySlot::take() {
  if (count_ == 0) return Error(Code::kInternal, "the plugin returned without an outcome");
  if (count_ > 1) return Error(Code::kInternal, "the plugin reported more than one outcome");
  return std::move(outcome_);
}

Result<Json> json_object(Result<std::string> value) {
  if (!value) return std::move(value.error());
  auto json = parse_json(*value);
  if (!json) {
    return Error(Code::kInternal, "the plugin's reply is not JSON: " + json.error().message);
  }
  if (!json->is_object()) return Error(Code::kInternal, "the plugin's reply is not a JSON object");
  return json;
}

}  // namespace quarry::plugins
