#pragma once

#include "base/error.h"
#include "runner/answer.h"
#include "runner/packet.h"
#include "runner/protocol.h"

#include <quarry/abi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace quarry::runner {

/// Receives what a call streams before its outcome, on the calling thread.
class Receiver {
 public:
  virtual ~Receiver() = default;
  /// Takes one frame, in order. A status other than QUARRY_OK ends the stream; empty if the call
  /// does not expect the frame. `answer` is sent back for frames that ask.
  virtual std::optional<quarry_status> take(Kind kind, PacketReader& packet,
                                            std::string& answer) = 0;
};

/// One call into a plugin.
struct Request {
  Function function;
  std::uint32_t instance = 0;
  const quarry_call* call = nullptr;  ///< null: nothing but the limit ends it
  std::function<void(PacketWriter&)> arguments = {};
  Receiver* receiver = nullptr;  ///< null: nothing may be streamed
  bool patient = true;  ///< false: without the grace at the end of the limit, but for one check
};

/// A call that the I/O thread begins without waiting for the plugin.
struct DeferredRequest {
  Function function;
  std::uint32_t instance = 0;
  std::function<void(PacketWriter&)> arguments = {};  ///< called once, at once
  std::unique_ptr<Receiver> receiver;                 ///< null: nothing may be streamed
  std::function<void(Result<Answer>)> done;           ///< called once, after the last frame [io]
};

}  // namespace quarry::runner
