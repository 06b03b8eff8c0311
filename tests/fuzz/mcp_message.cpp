// JSON-RPC messages and their dispatch: for any input, it neither crashes nor answers with invalid
// JSON, and an id is returned unchanged.

#include "mcp_server/era.h"
#include "mcp_server/message.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace {

using namespace quarry::mcp;

void expect(bool holds) {
  if (!holds) std::abort();
}

void check(const Message& message, std::string_view text) {
  expect(text.find(message.id) != text.npos || message.id == "null");
  const std::string answer = error_message(message.id, message.problem);
  expect(bool(parse_json(answer)));
  if (message.kind == Message::Kind::kInvalid) expect(!message.problem.message.empty());
  if (message.kind != Message::Kind::kRequest) return;
  expect(message.params != nullptr && message.params->is_structured());
  for (const bool over_http : {false, true}) {
    const RequestHead head;
    const Era era = era_of(head, message);
    static_cast<void>(check_message(head, message, era, over_http));
    if (era == Era::kModern) static_cast<void>(check_modern(head, message, over_http));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Messages messages = parse_messages(text);
  if (messages.problem) expect(!messages.problem->message.empty());
  for (const Message& message : messages.all) check(message, text);
  // A parsed value survives writing and parsing again.
  if (const auto value = parse_json(text)) {
    const auto again = parse_json(dump(*value.value));
    expect(again && *again.value == *value.value);
  }
  return 0;
}
