#pragma once

#include "base/error.h"
#include "runner/answer.h"
#include "runner/fair_limit.h"
#include "runner/outbox.h"
#include "runner/request.h"

#include <quarry/abi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::runner {

/// Cause of a failure.
inline constexpr const char* kMalformed = "sent a malformed frame";

/// "2 s", or "1500 ms".
std::string in_words(std::chrono::milliseconds time);

/// The host's side of one call of a runner.
class HostCall {
 public:
  struct Limits {
    std::chrono::milliseconds call;  ///< without a deadline of the caller
    std::chrono::milliseconds grace = kGrace;
    FairLimit::Conditions fair = {};  ///< of both
  };
  /// Ends the runner because of `cause`, a predicate. `forgiven`: its user cancelled the call.
  using Fail = std::function<void(std::string cause, bool forgiven)>;

  /// `request` and `outbox` must outlive this. If there is an `offer`, frames are appended to the
  /// outbox, and it is called to have them sent; otherwise sending may block.
  HostCall(const Request& request, std::uint32_t number, Outbox& outbox, Limits limits, Fail fail,
           std::function<void()> offer = {});

  void send();
  /// Handles received frames; the answer once it is among them.
  std::optional<Answer> take(std::string_view frames);
  /// Tells the plugin once that its call is over, and ends a runner that ignores it. After take():
  /// an answer that has come ends the call, however late it is.
  void check_limits();
  /// The runner has answered other calls, so this one may have waited for them: its time begins
  /// again, up to kLongestQueue times in all.
  void prolong();

 private:
  using Steady = std::chrono::steady_clock;
  static constexpr int kLongestQueue = 10;

  template <class Fill>
  void send(Kind kind, Fill fill) {
    const bool sent =
        offer_ ? outbox_.append(kind, number_, fill) : outbox_.send(kind, number_, fill);
    if (!sent) return fail(outbox_.failure());
    if (offer_) offer_();
  }
  void fail(std::string cause) { fail_(std::move(cause), false); }
  std::optional<Answer> take_reply(PacketReader& packet);
  void take_streamed(Kind kind, PacketReader& packet);
  void take_progress(PacketReader& packet);
  void give_credit();
  void fail_late();
  [[nodiscard]] std::chrono::milliseconds longest() const;

  const Request& request_;
  const std::uint32_t number_;
  Outbox& outbox_;
  const Fail fail_;
  const std::function<void()> offer_;
  const Steady::time_point begun_ = Steady::now();
  const std::int64_t left_;  // milliseconds until the caller's deadline; INT64_MAX = it has none
  FairLimit limit_;
  FairLimit grace_;  // begins when the plugin is told
  bool told_ = false;
  quarry_status over_ = QUARRY_OK;
  quarry_status ended_ = QUARRY_OK;  // the receiver wants no more
  std::size_t consumed_ = 0;         // bytes since the last credit
  bool urgent_ = false;
};

}  // namespace quarry::runner
