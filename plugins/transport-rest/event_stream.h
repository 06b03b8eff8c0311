#pragma once

#include "follower.h"
#include "held_head.h"

#include <memory>
#include <optional>
#include <string>

namespace quarry::rest {

/// Timing of a stream; see docs/http-api.md.
struct StreamRules {
  HoldTimes hold;
  std::chrono::milliseconds heartbeat{9000};  // time without events until a comment is sent
  std::uint32_t retry_ms = 3000;
};

/// The response to POST /question/stream and GET /question/{id}/events.
class EventStream final : public Follower {
 public:
  /// `extended`: includes the event types that existing clients do not know.
  EventStream(engine_client::EngineCalls& calls, Reply reply, const StreamRules& rules,
              bool extended);
  ~EventStream() override;

  /// Starts the response at once, for a client that reconnects: 204 if no event will follow, which
  /// tells an EventSource not to come again.
  void hold_nothing() { held_.reset(); }

 private:
  void begun(const std::string& id) override;
  void visit(const quarry_event& event) override;
  void caught_up(bool ended) override;
  [[nodiscard]] bool is_full() const override;

  void open();
  void open_in_time();
  void flush();
  void heartbeat();

  const StreamRules& rules_;
  const bool extended_;
  bool open_ = false;
  std::chrono::steady_clock::time_point last_write_;
  std::string batch_;     // rendered, not yet written
  std::string progress_;  // data of the last event, while resources are prepared
  std::string failure_;   // data of an `error` event
  std::optional<HeldHead> held_;
};

}  // namespace quarry::rest
