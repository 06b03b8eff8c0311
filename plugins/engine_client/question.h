#pragma once

#include "engine_calls.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::engine_client {

/// Follows one question's events for one request. All of it on the request's thread, but wake. When
/// nobody holds it any more, its reader is closed.
class Question : public std::enable_shared_from_this<Question> {
 public:
  explicit Question(EngineCalls& calls) : calls_(calls) {}
  virtual ~Question();
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  /// Asks with these params of question.ask, then follows.
  void ask(std::string_view params);
  /// Follows question `id` behind event `after`; failed when there is none.
  void follow(const std::string& id, std::uint64_t after);
  /// Nobody wants the answer any more: no function of a derived class is called after this.
  void abandon();

 protected:
  /// Runs `job` on the request's thread, later; may drop it when that has ended. [any]
  virtual void post(std::function<void()> job) = 0;
  /// As post; may run `job` before it returns. Called by the engine's wake only. [any]
  virtual void dispatch(std::function<void()> job) { post(std::move(job)); }
  /// There is no question, and there will be no events.
  virtual void failed(const Failure& failure) = 0;
  /// The question runs; its events follow.
  virtual void accepted(const std::string& id) = 0;
  virtual void visit(const quarry_event& event) = 0;
  /// All events there are for now have been visited; with `ended`, all there will ever be.
  virtual void caught_up(bool ended) = 0;
  /// Whether the next events must wait: then call pump when they need not any more.
  [[nodiscard]] virtual bool is_full() const { return false; }

  /// Reads on.
  void pump();

 private:
  void asked(const Outcome& outcome);
  void open(const std::string& id, std::uint64_t after);
  void read_on();
  void leave();
  static void wake(void* self);

  EngineCalls& calls_;
  quarry_reader* reader_ = nullptr;
  std::uint64_t call_ = 0;  // question.ask while its outcome is out
  bool gone_ = false;
  std::atomic<bool> scheduled_{false};
};

}  // namespace quarry::engine_client
