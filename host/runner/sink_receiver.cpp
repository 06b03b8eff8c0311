#include "runner/sink_receiver.h"

#include <quarry/outcome.hpp>

namespace quarry::runner {

std::optional<quarry_status> SinkReceiver::take(Kind kind, PacketReader& packet, std::string&) {
  switch (kind) {
    case Kind::kText:
      return sink_.text(&sink_, as_text(packet.text()));
    case Kind::kReasoning:
      return sink_.reasoning(&sink_, as_text(packet.text()));
    case Kind::kToolCall:
      return take_tool_call(packet);
    case Kind::kUsage:
      return take_usage(packet);
    case Kind::kKeep:
      return sink_.keep(&sink_, as_text(packet.text()));
    case Kind::kFinish:
      sink_.finish(&sink_, packet.get<quarry_finish>());
      return QUARRY_OK;
    case Kind::kModelError:
      return take_error(packet);
    default:
      return std::nullopt;
  }
}

std::optional<quarry_status> SinkReceiver::take_tool_call(PacketReader& packet) {
  const auto index = packet.get<std::uint32_t>();
  const auto id = as_text(packet.text());
  const auto name = as_text(packet.text());
  return sink_.tool_call(&sink_, index, id, name, as_text(packet.text()));
}

std::optional<quarry_status> SinkReceiver::take_usage(PacketReader& packet) {
  if (packet.get<std::uint8_t>() == 0) return sink_.usage(&sink_, nullptr);
  quarry_usage usage{};
  usage.struct_size = sizeof usage;
  usage.input_tokens = packet.get<std::int64_t>();
  usage.output_tokens = packet.get<std::int64_t>();
  usage.reasoning_tokens = packet.get<std::int64_t>();
  usage.cache_read_tokens = packet.get<std::int64_t>();
  usage.cache_write_tokens = packet.get<std::int64_t>();
  return sink_.usage(&sink_, &usage);
}

std::optional<quarry_status> SinkReceiver::take_error(PacketReader& packet) {
  quarry_model_error error{};
  error.struct_size = sizeof error;
  const bool said = packet.get<std::uint8_t>() != 0;
  if (said) {
    error.status = packet.get<quarry_status>();
    error.http_status = packet.get<std::int32_t>();
    error.retry_after_ms = packet.get<std::int64_t>();
    error.message = as_text(packet.text());
  }
  sink_.error(&sink_, said ? &error : nullptr);
  return QUARRY_OK;
}

void SinkReceiver::fail(const Error& error) {
  const quarry_model_error failed{.struct_size = sizeof failed,
                                  .status = static_cast<quarry_status>(error.code),
                                  .http_status = 0,
                                  .retry_after_ms = -1,
                                  .message = as_text(error.message)};
  sink_.error(&sink_, &failed);
}

}  // namespace quarry::runner
