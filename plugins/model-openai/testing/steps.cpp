#include "model-openai/testing/steps.h"

namespace quarry::openai::testing {

Json three_steps(const Json& first_kept, const Json& second_kept) {
  Json request = Json::parse(R"json({
    "model": "m",
    "system": "Answer from the files.",
    "messages": [
      {"role": "user", "text": "How?"},
      {"role": "assistant", "text": "", "reasoning": "Two files.", "toolCalls": [
        {"id": "call_1", "name": "read", "arguments": {"path": "docs/a.md"}},
        {"id": "call_2", "name": "list", "arguments": {}}]},
      {"role": "tool", "toolCallId": "call_1", "name": "read", "text": "one\ntwo", "failed": false},
      {"role": "tool", "toolCallId": "call_2", "name": "list", "text": "no such folder",
       "failed": true},
      {"role": "assistant", "text": "Once more.", "reasoning": "Where?", "toolCalls": [
        {"id": "call_3", "name": "list", "arguments": {"path": "docs"}}]},
      {"role": "tool", "toolCallId": "call_3", "name": "list", "text": "a.md", "failed": false}],
    "tools": [{"name": "list", "description": "Lists a folder.",
               "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}],
    "maxOutputTokens": 8192,
    "toolsAllowed": true,
    "options": {}
  })json");
  if (!first_kept.empty()) request["messages"][1]["kept"] = first_kept;
  if (!second_kept.empty()) request["messages"][4]["kept"] = second_kept;
  return request;
}

}  // namespace quarry::openai::testing
