#pragma once

#include "runner/connection.h"

#include <quarry/model.h>

namespace quarry::runner {

/// Passes the output of a model in a runner to the host's sink.
class SinkReceiver final : public Receiver {
 public:
  explicit SinkReceiver(const quarry_model_sink& sink) : sink_(sink) {}

  std::optional<quarry_status> take(Kind kind, PacketReader& packet, std::string& answer) override;
  /// Ends the step because of the runner, unless it has ended.
  void fail(const Error& error);

 private:
  std::optional<quarry_status> take_tool_call(PacketReader& packet);
  std::optional<quarry_status> take_usage(PacketReader& packet);
  std::optional<quarry_status> take_error(PacketReader& packet);

  const quarry_model_sink& sink_;
};

}  // namespace quarry::runner
