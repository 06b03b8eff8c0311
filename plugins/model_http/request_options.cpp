#include "model_http/request_options.h"

#include "model_http/json_text.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace quarry::model_http {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostTokens = 1'000'000'000;

/// Headers that carry the key or belong to the transfer.
constexpr std::array<std::string_view, 7> kOurs = {
    "authorization",  "x-api-key", "x-goog-api-key",   "content-type",
    "content-length", "host",      "transfer-encoding"};

bool is_token(std::string_view text) {  // RFC 9110
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

bool is_ours(std::string_view name) {
  const std::vector<HttpHeader> said = {{std::string(name), "yes", {}}};
  return std::ranges::any_of(kOurs,
                             [&](std::string_view ours) { return !header(said, ours).empty(); });
}

bool is_line(const Json& value) {
  return value.is_string() && std::ranges::none_of(value.get_ref<const std::string&>(), [](char c) {
           return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
         });
}

/// The error in one header; empty when it is valid.
std::string_view mistake(std::string_view name, const Json& value) {
  if (!is_token(name)) return "is no name of a header";
  if (is_ours(name)) return "cannot be set: the key goes to api_key, the rest is the host's";
  return is_line(value) ? "" : "must be one line of text";
}

}  // namespace

Json take_member(Json& members, const char* name) {
  Json out = members.value(name, Json());
  members.erase(name);
  return out;
}

std::optional<Failure> take_count(Json& members, const char* name, std::int64_t most,
                                  std::int64_t& count) {
  if (!members.contains(name)) return std::nullopt;
  const std::int64_t given = count_member(members, name);
  if (given < 1 || given > most) {
    return field_failure(std::string("/") + name,
                         "must be an integer from 1 to " + std::to_string(most));
  }
  count = given;
  members.erase(name);
  return std::nullopt;
}

Outcome<RequestOptions> RequestOptions::take(Json& members) {
  RequestOptions out;
  if (const Json value = take_member(members, "temperature"); !value.is_null()) {
    if (!value.is_number() || value < 0 || value > 2) {
      return field_failure("/temperature", "must be a number from 0 to 2");
    }
    out.temperature = value.get<double>();
  }
  if (const Json value = take_member(members, "max_output_tokens"); !value.is_null()) {
    if (!value.is_number_integer() || value < 1 || value > kMostTokens) {
      return field_failure("/max_output_tokens", "must be a number of tokens, at least 1");
    }
    out.max_output_tokens = value.get<std::int64_t>();
  }
  if (Json value = take_member(members, "body"); !value.is_null()) {
    if (!value.is_object()) return field_failure("/body", "must be a table");
    out.body = std::move(value);
  }
  const Json headers = take_member(members, "headers");
  if (!headers.is_null() && !headers.is_object()) {
    return field_failure("/headers", "must be a table of strings");
  }
  for (const auto& [name, value] : headers.items()) {
    if (const auto wrong = mistake(name, value); !wrong.empty()) {
      return field_failure("/headers", "has \"" + name + "\", which " + std::string(wrong));
    }
    out.headers.push_back({name, value, {}});
  }
  return out;
}

std::optional<Failure> unknown_member(const Json& members) {
  if (members.empty()) return std::nullopt;
  return field_failure("/" + members.begin().key(), "is not known to this provider");
}

}  // namespace quarry::model_http
