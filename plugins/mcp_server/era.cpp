#include "era.h"

#include "http_server/media_type.h"
#include "http_server/request.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::mcp {
namespace {

using http_server::equal_ignoring_case;

constexpr std::string_view kParameterPrefix = "mcp-param-";

bool starts_ignoring_case(std::string_view text, std::string_view start) {
  return text.size() >= start.size() && equal_ignoring_case(text.substr(0, start.size()), start);
}

void take_header(RequestHead& head, std::string_view name, std::string_view value) {
  if (equal_ignoring_case(name, "MCP-Protocol-Version")) {
    if (!value.empty()) head.version = value;
  } else if (equal_ignoring_case(name, "Mcp-Method")) {
    head.method = value;
  } else if (equal_ignoring_case(name, "Mcp-Name")) {
    head.name = value;
  } else if (equal_ignoring_case(name, "Mcp-Session-Id")) {
    head.session = value;
  } else if (starts_ignoring_case(name, kParameterPrefix)) {
    head.parameters.emplace_back(name.substr(kParameterPrefix.size()), value);
  }
}

const Json* meta_of(const Message& message) {
  return message.params ? find(*message.params, "_meta") : nullptr;
}

Refused mismatch(std::string message) {
  return {400, {kHeaderMismatch, std::move(message)}};
}

Refused incomplete(std::string message) {
  return {400, {kInvalidParams, std::move(message)}};
}

int digit_of(char c) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t at = kDigits.find(c);
  return at == kDigits.npos ? -1 : static_cast<int>(at);
}

std::optional<std::string> base64_decoded(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out;
  unsigned bits = 0;
  int count = 0;
  const std::size_t end = text.find_last_not_of('=') + 1;
  if (text.size() - end > 2) return std::nullopt;
  for (const char c : text.substr(0, end)) {
    const int digit = digit_of(c);
    if (digit < 0) return std::nullopt;
    bits = bits << 6 | static_cast<unsigned>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xFF);
  }
  return out;
}

/// Decodes a header's value: "=?base64?…?=" encodes what a header cannot contain. Nothing if that
/// is malformed.
std::optional<std::string> decoded(std::string_view value) {
  constexpr std::string_view kStart = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  if (value.size() < kStart.size() + kEnd.size() || !value.starts_with(kStart) ||
      !value.ends_with(kEnd)) {
    return std::string(value);
  }
  value.remove_prefix(kStart.size());
  value.remove_suffix(kEnd.size());
  return base64_decoded(value);
}

/// The member of the params that Mcp-Name repeats; null if this method has none.
const Json* mirrored_name(const Message& message) {
  if (message.method == "resources/read") return find(*message.params, "uri");
  if (message.method != "tools/call" && message.method != "prompts/get") return nullptr;
  return find(*message.params, "name");
}

std::optional<Refused> check_headers(const RequestHead& head, const Message& message,
                                     const std::string& version) {
  if (head.version != version) {
    return mismatch("the header MCP-Protocol-Version must be the version of params._meta");
  }
  if (head.method != message.method) {
    return mismatch("the header Mcp-Method must be the method of the body");
  }
  const Json* const name = mirrored_name(message);
  if (name == nullptr || !name->is_string()) return std::nullopt;
  if (head.name && decoded(*head.name) == name->get<std::string>()) return std::nullopt;
  return mismatch("the header Mcp-Name must be the name of the body");
}

Refused unsupported(const std::string& version) {
  const Json data{{"supported", Json::array({kModernVersion})}, {"requested", version}};
  return {400,
          {kUnsupportedVersion, "the protocol version " + version + " is not supported here",
           dump(data)}};
}

/// Dates sort as texts.
bool is_date(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return text.size() == 10 && text[4] == '-' && text[7] == '-' &&
         std::ranges::count_if(text, is_digit) == 8;
}

/// The text of an argument in a header.
std::string mirrored(const Json& value) {
  return value.is_string() ? value.get<std::string>() : dump(value);
}

}  // namespace

RequestHead read_head(const http_server::Request& request) {
  RequestHead head;
  for (const auto& [name, value] : request.headers) {
    if (!starts_ignoring_case(name, "mcp-")) continue;
    head.shows_mcp = true;
    take_header(head, name, value);
  }
  const std::string accept = request.list("Accept");
  head.takes_json = http_server::accepts(accept, "application/json") != http_server::Accepts::kNot;
  head.takes_events =
      http_server::accepts(accept, "text/event-stream") == http_server::Accepts::kByName;
  head.shows_mcp |= head.takes_events;
  return head;
}

Era era_of(const RequestHead& head, const Message& message) {
  const Json* const meta = meta_of(message);
  if (meta != nullptr && find(*meta, kMetaVersion) != nullptr) return Era::kModern;
  if (head.version && is_modern_version(*head.version) && head.session.empty()) {
    return Era::kModern;
  }
  const bool shows_mcp = head.shows_mcp || meta != nullptr || message.method == "initialize" ||
                         message.method.starts_with("notifications/");
  return shows_mcp ? Era::kLegacy : Era::kInterface;
}

std::string_view negotiate(std::string_view requested) {
  const auto found = std::ranges::find(kLegacyVersions, requested);
  return found == kLegacyVersions.end() ? kLegacyVersions.front() : *found;
}

bool is_modern_version(std::string_view version) {
  return is_date(version) && version >= kModernVersion;
}

bool is_version(std::string_view version) {
  constexpr std::string_view kFirst = "2024-10-07";
  return version.starts_with("DRAFT-") || (is_date(version) && version >= kFirst);
}

std::optional<Refused> check_message(const RequestHead& head, const Message& message, Era era,
                                     bool in_batch) {
  const auto refused = [](std::string why) {
    return Refused{400, {kInvalidRequest, std::move(why)}};
  };
  if (message.kind == Message::Kind::kInvalid) return Refused{400, message.problem};
  if (message.kind == Message::Kind::kResponse) return std::nullopt;
  if (in_batch && (era == Era::kModern || message.method == "initialize")) {
    return refused("this method is not allowed in a batch");
  }
  if (era == Era::kLegacy && head.version && message.method != "initialize" &&
      !is_version(*head.version)) {
    return refused(*head.version + " is no version of the protocol");
  }
  if (message.kind == Message::Kind::kNotification) {
    if (message.method.starts_with("notifications/")) return std::nullopt;
    return refused("the request has no id");
  }
  if (era != Era::kInterface && !message.has_plain_id) {
    return refused("id must be a string or a whole number");
  }
  return std::nullopt;
}

std::optional<Refused> check_modern(const RequestHead& head, const Message& message,
                                    bool over_http) {
  const Json* const meta = meta_of(message);
  if (meta == nullptr || !meta->is_object()) return incomplete("params._meta is missing");
  const Json* const version = find(*meta, kMetaVersion);
  if (version == nullptr || !version->is_string()) {
    return incomplete("params._meta lacks " + std::string(kMetaVersion));
  }
  const auto said = version->get<std::string>();
  if (over_http) {
    if (auto refused = check_headers(head, message, said)) return refused;
  }
  if (said != kModernVersion) return unsupported(said);
  const Json* const capabilities = find(*meta, kMetaCapabilities);
  if (capabilities == nullptr || !capabilities->is_object()) {
    return incomplete("params._meta lacks " + std::string(kMetaCapabilities));
  }
  return std::nullopt;
}

std::optional<Refused> check_parameters(const RequestHead& head, const Json& properties,
                                        const Json& arguments) {
  if (!properties.is_object()) return std::nullopt;
  for (const auto& [argument, schema] : properties.items()) {
    const std::string name = find_string(schema, "x-mcp-header");
    const Json* const value = find(arguments, argument);
    if (name.empty() || value == nullptr || value->is_null()) continue;
    const auto header = std::ranges::find_if(
        head.parameters, [&](const auto& one) { return equal_ignoring_case(one.first, name); });
    if (header == head.parameters.end() || decoded(header->second) != mirrored(*value)) {
      return mismatch("the header Mcp-Param-" + name + " must be the argument " + argument);
    }
  }
  return std::nullopt;
}

}  // namespace quarry::mcp
