#pragma once

#include "model_http/half_characters.h"

#include <quarry/model.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace quarry::model_http {

/// State of the output of one response.
struct OutputState {
  bool ended = false;
  std::size_t given = 0;  ///< calls of the sink, but for counts of tokens
  HalfJoiner text;
  HalfJoiner reasoning;
  HalfJoiner arguments;
};

/// The output of a decoder: a sink that ignores everything after its one end, and gets whole
/// characters.
class Output {
 public:
  explicit Output(ModelSink& sink, OutputState& state) : sink_(sink), state_(state) {}

  void text(std::string_view delta) {
    if (state_.ended) return;
    state_.given += delta.empty() ? 0 : 1;
    if (const auto whole = state_.text.join(delta); !whole.empty()) sink_.text(whole);
  }
  void reasoning(std::string_view delta) {
    if (state_.ended) return;
    state_.given += delta.empty() ? 0 : 1;
    if (const auto whole = state_.reasoning.join(delta); !whole.empty()) sink_.reasoning(whole);
  }
  /// See ModelSink::tool_call.
  void tool_call(std::uint32_t index, std::string_view id, std::string_view name,
                 std::string_view arguments) {
    if (state_.ended) return;
    ++state_.given;
    sink_.tool_call(index, id, name, state_.arguments.join(arguments));
  }
  void usage(const quarry_usage& usage) {
    if (!state_.ended) sink_.usage(usage);
  }
  void keep(std::string_view json) {
    if (state_.ended) return;
    HalfJoiner whole;
    sink_.keep(whole.join(json));
  }
  void finish(quarry_finish reason) {
    give_halves();
    if (!std::exchange(state_.ended, true)) sink_.finish(reason);
  }
  /// `http_status` 0 = none, `retry_after_ms` -1 = unknown.
  void error(quarry_status status, std::string_view message, int http_status = 0,
             std::int64_t retry_after_ms = -1) {
    give_halves();
    if (!std::exchange(state_.ended, true)) {
      sink_.error(status, message, http_status, retry_after_ms);
    }
  }
  [[nodiscard]] bool ended() const { return state_.ended; }

 private:
  void give_halves() {
    if (state_.ended) return;
    if (const auto half = state_.reasoning.rest(); !half.empty()) sink_.reasoning(half);
    if (const auto half = state_.text.rest(); !half.empty()) sink_.text(half);
  }

  ModelSink& sink_;
  OutputState& state_;
};

/// Usage without any known count.
inline constexpr quarry_usage kNoUsage{sizeof(quarry_usage), 0, -1, -1, -1, -1, -1};

}  // namespace quarry::model_http
