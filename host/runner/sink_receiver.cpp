#include "runner/sink_receiver.h"

namespace quarry::runner {

std::optional<quarry_status> SinkReceiver::take(Kind kind, PacketReader& packet, std::string&) {
  has_taken_ = true;
  switch (kind) {
    case Kind::kText:
      return sink_.text(&sink_, as_text(packet.text()));
    case Kind::kReasoning:
      return sink_.reasoning(&sink_, as_text(packet.text()));
    case Kind::kToolCall:
      return take_tool_call(packet);
    case Kind::kUsage:
      return take_usage(sink_, packet);
    case Kind::kKeep:
      return sink_.keep(&sink_, as_text(packet.text()));
    case Kind::kFinish:
      sink_.finish(&sink_, packet.get<quarry_finish>());
      return QUARRY_OK;
    case Kind::kModelError:
      return take_model_error(sink_, packet);
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

}  // namespace quarry::runner
