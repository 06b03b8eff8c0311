#pragma once

#include "model_http/exchange.h"

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::openai {

/// Reads the events of a response. Their type is in the data; unknown ones are ignored.
class ResponsesDecoder final : public model_http::Decoder {
 public:
  /// `most_tokens` is the requested limit; 0 = none.
  explicit ResponsesDecoder(std::int64_t most_tokens) : most_tokens_(most_tokens) {}

  void message(std::string_view name, std::string_view data, model_http::Output& output) override;

 private:
  struct Call {
    std::string item_id;
    std::int64_t output_index = -1;
    bool has_arguments = false;
  };
  using Event = nlohmann::json;
  using Take = void (ResponsesDecoder::*)(const Event& event, model_http::Output& output);
  static Take take_of(std::string_view type);

  void take_whole(const Event& event, model_http::Output& output);
  void take_output(const Event& event, model_http::Output& output);
  void take_text(const Event& event, model_http::Output& output);
  void end_text(const Event& event, model_http::Output& output);
  void take_parts(const Event& item, model_http::Output& output);
  void take_refusal(const Event& event, model_http::Output& output);
  void take_reasoning(const Event& event, model_http::Output& output);
  void take_summary_part(const Event& event, model_http::Output& output);
  void take_arguments(const Event& event, model_http::Output& output);
  void take_all_arguments(const Event& event, model_http::Output& output);
  void begin_item(const Event& event, model_http::Output& output);
  void end_item(const Event& event, model_http::Output& output);
  void complete(const Event& event, model_http::Output& output);
  void incomplete(const Event& event, model_http::Output& output);
  void fail(const Event& event, model_http::Output& output);

  Call* find_call(std::string_view item_id, std::int64_t output_index);
  Call* begin_call(const Event& item, std::int64_t output_index, model_http::Output& output);
  void give(Call& call, std::string_view arguments, model_http::Output& output);
  void keep(const Event& item, model_http::Output& output) const;
  [[nodiscard]] quarry_finish finish_of(const Event& event) const;

  const std::int64_t most_tokens_;
  std::vector<Call> calls_;
  bool has_text_ = false;
  bool item_has_text_ = false;  ///< the item that has begun
  bool part_is_whole_ = false;  ///< the latest
  bool refused_ = false;
};

}  // namespace quarry::openai
