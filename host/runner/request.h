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
  /// Forgets what was taken, so that the call can be made again. False if it cannot.
  virtual bool restart() { return false; }
};

class UnexplainedCrash;

/// What the end of a runner says about one of the calls that ended with it.
struct Lost {
  enum class By {
    kNothing,  ///< it did not end with its runner
    kItself,   ///< it ended the runner
    kUnknown,  ///< it, or another one
    kOthers,   ///< another one ended the runner
  };
  By by = By::kNothing;
  std::shared_ptr<UnexplainedCrash> crash = {};  ///< if `by` is kUnknown

  /// True if another call ended the runner, or may have.
  [[nodiscard]] bool is_disturbed() const { return by == By::kUnknown || by == By::kOthers; }
};

/// One call into a plugin.
struct Request {
  Function function;
  std::uint32_t instance = 0;
  const quarry_call* call = nullptr;  ///< null: nothing but the limit ends it
  std::function<void(PacketWriter&)> arguments = {};
  Receiver* receiver = nullptr;  ///< null: nothing may be streamed
  bool patient = true;     ///< false: without the grace at the end of the limit, but for one check
  std::string input = {};  ///< what a crash by this call counts against (Strikes); may be empty
  Lost* lost = nullptr;    ///< set if the runner ends; may be null
};

/// A call that the I/O thread begins without waiting for the plugin.
struct DeferredRequest {
  Function function;
  std::uint32_t instance = 0;
  std::function<void(PacketWriter&)> arguments = {};  ///< called once, at once
  std::unique_ptr<Receiver> receiver;                 ///< null: nothing may be streamed
  /// Called once, after the last frame, with what the runner's end, if that ended it, says of it.
  /// [io]
  std::function<void(Result<Answer>, const Lost&)> done;
};

}  // namespace quarry::runner
