#pragma once

#include "base/error.h"
#include "runner/packet.h"
#include "runner/request.h"

#include <quarry/model.h>
#include <quarry/outcome.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace quarry::runner {

// Pass the values common to the sinks of all kinds to one.

template <class Sink>
quarry_status take_usage(const Sink& sink, PacketReader& packet) {
  if (packet.get<std::uint8_t>() == 0) return sink.usage(&sink, nullptr);
  quarry_usage usage{};
  usage.struct_size = sizeof usage;
  usage.input_tokens = packet.get<std::int64_t>();
  usage.output_tokens = packet.get<std::int64_t>();
  usage.reasoning_tokens = packet.get<std::int64_t>();
  usage.cache_read_tokens = packet.get<std::int64_t>();
  usage.cache_write_tokens = packet.get<std::int64_t>();
  return sink.usage(&sink, &usage);
}

template <class Sink>
quarry_status take_model_error(const Sink& sink, PacketReader& packet) {
  quarry_model_error error{};
  error.struct_size = sizeof error;
  const bool said = packet.get<std::uint8_t>() != 0;
  if (said) {
    error.status = packet.get<quarry_status>();
    error.http_status = packet.get<std::int32_t>();
    error.retry_after_ms = packet.get<std::int64_t>();
    error.message = as_text(packet.text());
  }
  sink.error(&sink, said ? &error : nullptr);
  return QUARRY_OK;
}

/// Ends a request because of the runner, unless it has ended.
template <class Sink>
void fail_sink(const Sink& sink, const Error& error) {
  const quarry_model_error failed{.struct_size = sizeof failed,
                                  .status = static_cast<quarry_status>(error.code),
                                  .http_status = 0,
                                  .retry_after_ms = -1,
                                  .message = as_text(error.message)};
  sink.error(&sink, &failed);
}

/// Passes the output of a model in a runner to the host's sink.
class SinkReceiver final : public Receiver {
 public:
  explicit SinkReceiver(const quarry_model_sink& sink) : sink_(sink) {}

  std::optional<quarry_status> take(Kind kind, PacketReader& packet, std::string& answer) override;
  bool restart() override { return !has_taken_; }
  /// Ends the step because of the runner, unless it has ended.
  void fail(const Error& error) { fail_sink(sink_, error); }

 private:
  std::optional<quarry_status> take_tool_call(PacketReader& packet);

  const quarry_model_sink& sink_;
  bool has_taken_ = false;
};

}  // namespace quarry::runner
