#pragma once

#include "engine_calls.h"
#include "reply.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::rest {

/// Follows one question's events for one request. Kept alive by the request: when the client goes
/// or the answer ends, the reader is closed. All of it on the request's loop, but wake.
class Follower : public std::enable_shared_from_this<Follower> {
 public:
  Follower(EngineCalls& calls, Reply reply) : calls_(calls), reply_(std::move(reply)) {}
  virtual ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  /// Asks the question of `body`, then follows it.
  void ask(std::string_view body);
  /// Follows question `id` behind event `after`; 404 when there is none.
  void follow(const std::string& id, std::uint64_t after);

 protected:
  /// The question runs; its events follow.
  virtual void accepted(const std::string& id) = 0;
  virtual void visit(const quarry_event& event) = 0;
  /// All events there are for now have been visited; with `ended`, all there will ever be.
  virtual void caught_up(bool ended) = 0;
  /// Whether the next events must wait: then call pump when they need not any more.
  [[nodiscard]] virtual bool is_full() const { return false; }

  /// Reads on.
  void pump();
  /// Closes the reader. The answer has been given, or nobody wants it.
  void leave();

  [[nodiscard]] const Reply& reply() const { return reply_; }

 private:
  void keep_alive();
  void asked(const Outcome& outcome);
  void open(const std::string& id, std::uint64_t after);
  void schedule();
  static void wake(void* self);

  EngineCalls& calls_;
  Reply reply_;
  quarry_reader* reader_ = nullptr;
  std::uint64_t call_ = 0;  // question.ask while its outcome is out
  bool gone_ = false;
  std::atomic<bool> scheduled_{false};
};

}  // namespace quarry::rest
