#pragma once

#include <string>
#include <string_view>

namespace quarry::anthropic::testing {

/// One event as the provider sends it, with the type first in its JSON.
inline std::string event(std::string_view type, std::string_view members = {}) {
  std::string out =
      "event: " + std::string(type) + "\ndata: {\"type\":\"" + std::string(type) + '"';
  if (!members.empty()) out.append(",").append(members);
  return out + "}\n\n";
}

inline std::string message_start(std::string_view usage) {
  return event("message_start", R"("message":{"id":"msg_01","type":"message","role":"assistant",)"
                                R"("model":"claude-haiku-4-5-20251001","content":[],"stop_reason":)"
                                R"(null,"stop_sequence":null,"usage":)" +
                                    std::string(usage) + "}");
}

inline std::string block(int index, std::string_view content) {
  return event("content_block_start",
               "\"index\":" + std::to_string(index) + ",\"content_block\":" + std::string(content));
}

/// `member` with its value: "text_delta", R"("text":"Hi")".
inline std::string delta(int index, std::string_view type, std::string_view member) {
  return event("content_block_delta", "\"index\":" + std::to_string(index) +
                                          ",\"delta\":{\"type\":\"" + std::string(type) + "\"," +
                                          std::string(member) + "}");
}

inline std::string block_stop(int index) {
  return event("content_block_stop", "\"index\":" + std::to_string(index));
}

inline std::string text_block(int index, std::string_view text) {
  return block(index, R"({"type":"text","text":""})") +
         delta(index, "text_delta", "\"text\":\"" + std::string(text) + '"') + block_stop(index);
}

inline std::string message_end(std::string_view stop_reason,
                               std::string_view usage = R"({"output_tokens":5})") {
  return event("message_delta", R"("delta":{"stop_reason":")" + std::string(stop_reason) +
                                    R"(","stop_sequence":null},"usage":)" + std::string(usage)) +
         event("message_stop");
}

}  // namespace quarry::anthropic::testing
