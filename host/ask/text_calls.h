#pragma once

#include "ask/function_calls.h"
#include "ask/tool_names.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::ask {

/// The parts of a text in which a model wrote tool calls, because its server does not read them.
struct TextCalls {
  std::vector<TextCall> calls;
  std::string text;        ///< outside of the calls
  std::string reasoning;   ///< of channels that are not for the reader
  bool malformed = false;  ///< there is the markup of a call, and none can be read
};

/// Reads the forms of Hermes and Qwen (<tool_call>), Qwen Coder, Seed and Llama (<function=…>),
/// Llama (<|python_tag|>, and calls as in Python), Mistral ([TOOL_CALLS]), gpt-oss (channels),
/// Kimi, DeepSeek (with DSML), GLM and LongCat (<arg_key>), MiniMax and Step (<invoke>), Command,
/// Gemma, Nemotron, LFM, Apertus, InternLM, Solar, LM Studio ([TOOL_REQUEST]), Cline
/// (<use_mcp_tool>), and of the whole text, which must name one of `tools`: an object, a list,
/// Functionary (>>>), GigaChat, and an action with its input.
TextCalls read_text_calls(std::string_view text, const ToolNames& tools);

/// Reads calls in a thought that no answer follows. Only those that are certain: in markup that is
/// not in code, of one of `tools`. `text` is the thought before them.
TextCalls read_thought_calls(std::string_view thought, const ToolNames& tools);

}  // namespace quarry::ask
