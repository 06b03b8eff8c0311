#pragma once

#include "ask/tool_names.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::ask {

/// A tool call that a model wrote as text.
struct TextCall {
  std::string name;
  std::string arguments;  ///< a JSON object
};

/// The parts of a text in which a model wrote tool calls, because its server does not read them.
struct TextCalls {
  std::vector<TextCall> calls;
  std::string text;        ///< outside of the calls
  std::string reasoning;   ///< of channels that are not for the reader
  bool malformed = false;  ///< there is the markup of a call, and none can be read
};

/// Reads the forms of Hermes and Qwen (<tool_call>), Qwen Coder and Llama (<function=…>), Llama
/// (<|python_tag|>), Mistral ([TOOL_CALLS]), gpt-oss (channels), Kimi, DeepSeek, <invoke>, and an
/// object that is the whole text. An object alone must name one of `tools`.
TextCalls read_text_calls(std::string_view text, const ToolNames& tools);

/// Position of the first markup of a call in `text`, which is not in code; npos if there is none.
/// `partial`: set to where markup may begin that is not complete.
std::size_t find_call_markup(std::string_view text, std::size_t& partial);

/// The answer to whether `text`, the beginning of a step, begins an object that is a call.
enum class Beginning { kNo, kPerhaps, kYes };
Beginning begins_as_call(std::string_view text);

}  // namespace quarry::ask
