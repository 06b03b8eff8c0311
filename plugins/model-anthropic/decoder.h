#pragma once

#include "model_http/exchange.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace quarry::anthropic {

/// Reads the events of a message (Messages API, version 2023-06-01). Thinking blocks are kept
/// unchanged, each with its position; see kept.h.
class Decoder final : public model_http::Decoder {
 public:
  void message(std::string_view name, std::string_view data, model_http::Output& output) override;
  void over(model_http::Output& output) override;
  void quiet(model_http::Output& output) override { over(output); }

 private:
  using Json = nlohmann::json;

  /// An open block of a kind whose end matters.
  struct Block {
    Json content;
    std::uint32_t call = 0;  // number of a tool call
    bool has_arguments = false;
  };

  struct Event {
    std::string_view name;
    void (Decoder::*take)(const Json&, model_http::Output&);
  };
  /// Null for an unknown name.
  static const Event* find_event(std::string_view name);

  void take_whole(const Json& message, model_http::Output& output);
  void start(const Json& event, model_http::Output& output);
  void begin_block(const Json& event, model_http::Output& output);
  void begin_call(Block& block, model_http::Output& output);
  void add_to_block(const Json& event, model_http::Output& output);
  void end_block(const Json& event, model_http::Output& output);
  void change(const Json& event, model_http::Output& output);
  void stop(const Json& event, model_http::Output& output);
  void fail(const Json& event, model_http::Output& output);

  Block* open_block(const Json& event, std::string_view type);
  void say(std::string_view text, model_http::Output& output);
  void count(const Json& usage, model_http::Output& output);

  std::map<std::int64_t, Block> open_;  // by index
  std::size_t text_bytes_ = 0;
  std::uint32_t calls_ = 0;
  std::string stop_reason_;

  // -1 = not reported
  std::int64_t input_ = -1;
  std::int64_t cache_read_ = -1;
  std::int64_t cache_write_ = -1;
  std::int64_t output_ = -1;
  std::int64_t thinking_ = -1;
};

}  // namespace quarry::anthropic
