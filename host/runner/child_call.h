#pragma once

#include "runner/outbox.h"
#include "runner/protocol.h"
#include "runner/window.h"
#include "services/call_table.h"

#include <quarry/abi.h>
#include <quarry/outcome.hpp>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace quarry::runner {

/// While it lives, lines that the calling thread logs belong to the call of the host with this
/// number; 0 = to none. On the stack.
class LoggedCall {
 public:
  explicit LoggedCall(std::uint32_t number);
  ~LoggedCall();
  LoggedCall(const LoggedCall&) = delete;
  LoggedCall& operator=(const LoggedCall&) = delete;

  /// That of the calling thread.
  [[nodiscard]] static std::uint32_t number();

 private:
  const std::uint32_t outer_;
};

/// One call of the host, in the runner: its state as the plugin sees it, and what the plugin sends
/// before its outcome. [any thread]
class ChildCall final : public services::HeldCallTable {
 public:
  /// `left`: milliseconds until the deadline. `outbox` must outlive this. What is streamed may wait
  /// for others, in a call of a function that returns at once for its outcome.
  ChildCall(Outbox& outbox, std::uint32_t number, Function function, std::int64_t left);

  /// The call of the host that `call` is, or is a part of; null for a job's, and for one that the
  /// plugin made itself.
  static const ChildCall* root_of(const quarry_call* call);
  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] quarry_status state() const { return static_cast<quarry_status>(call().outcome()); }

  /// Streams a frame of `size` bytes, waiting while the host has consumed too little. Not QUARRY_OK
  /// once the host wants no more.
  template <class Fill>
  quarry_status stream(Kind kind, std::size_t size, Fill fill) {
    const auto status = window_.take(size + kFrameOverhead, [this] { return state(); });
    if (status != QUARRY_OK) return status;
    return outbox_.send(kind, number_, fill, urgency_) ? QUARRY_OK : QUARRY_CANCELLED;
  }

  /// Streams text, whose pieces may be joined on their way.
  quarry_status stream_text(Kind kind, std::string_view text);

  struct Told {
    quarry_status status = QUARRY_OK;
    std::string text;
  };
  /// Sends a frame that asks, and waits for the host's answer. One at a time; others wait.
  Told ask(Kind kind, std::string_view text);

  // From the thread that reads.
  void cancel(quarry_status status);
  void credit(std::uint32_t bytes, quarry_status status) { window_.give(bytes, status); }
  void answer(Told told);

 private:
  void report_progress(std::string_view json);
  [[nodiscard]] Code told_state() const;

  Outbox& outbox_;
  const std::uint32_t number_;
  const Urgency urgency_;
  std::mutex asking_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Window window_;
  quarry_status over_ = QUARRY_OK;  ///< as the host told
  std::optional<Told> told_;
};

}  // namespace quarry::runner
