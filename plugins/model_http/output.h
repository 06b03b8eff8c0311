#pragma once

#include <quarry/model.hpp>

#include <cstdint>
#include <string_view>
#include <utility>

namespace quarry::model_http {

/// The output of a decoder: a sink that ignores everything after its one end.
class Output {
 public:
  explicit Output(ModelSink& sink, bool& ended) : sink_(sink), ended_(ended) {}

  void text(std::string_view delta) {
    if (!ended_ && !delta.empty()) sink_.text(delta);
  }
  void reasoning(std::string_view delta) {
    if (!ended_ && !delta.empty()) sink_.reasoning(delta);
  }
  /// See ModelSink::tool_call.
  void tool_call(std::uint32_t index, std::string_view id, std::string_view name,
                 std::string_view arguments) {
    if (!ended_) sink_.tool_call(index, id, name, arguments);
  }
  void usage(const quarry_usage& usage) {
    if (!ended_) sink_.usage(usage);
  }
  void keep(std::string_view json) {
    if (!ended_) sink_.keep(json);
  }
  void finish(quarry_finish reason) {
    if (!std::exchange(ended_, true)) sink_.finish(reason);
  }
  /// `http_status` 0 = none, `retry_after_ms` -1 = unknown.
  void error(quarry_status status, std::string_view message, int http_status = 0,
             std::int64_t retry_after_ms = -1) {
    if (!std::exchange(ended_, true)) sink_.error(status, message, http_status, retry_after_ms);
  }
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  ModelSink& sink_;
  bool& ended_;
};

/// Usage without any known count.
inline constexpr quarry_usage kNoUsage{sizeof(quarry_usage), 0, -1, -1, -1, -1, -1};

}  // namespace quarry::model_http
