#pragma once

#include "engine_calls.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::engine_client {

/// Follows one question's events for one request. All functions run on the request's thread, except
/// wake. Its reader is closed on destruction.
class Question : public std::enable_shared_from_this<Question> {
 public:
  explicit Question(EngineCalls& calls) : calls_(calls) {}
  virtual ~Question();
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  /// Asks with these parameters of question.ask, then follows.
  void ask(std::string_view params);
  /// Follows question `id` from the event after `after`; calls failed if there is none.
  void follow(const std::string& id, std::uint64_t after);
  /// Drops the answer: no function of a derived class is called after this.
  void abandon();

 protected:
  /// Runs `job` on the request's thread, later; may drop it when that has ended. [any]
  virtual void post(std::function<void()> job) = 0;
  /// Like post, but may run `job` before it returns. Called by the engine's wake only. [any]
  virtual void dispatch(std::function<void()> job) { post(std::move(job)); }
  /// The question was not found or not accepted; no events follow.
  virtual void failed(const Failure& failure) = 0;
  /// The question runs; its events follow.
  virtual void accepted(const std::string& id) = 0;
  virtual void visit(const quarry_event& event) = 0;
  /// All present events have been visited; with `ended`, no more will come.
  virtual void caught_up(bool ended) = 0;
  /// True if the next events must wait. Call pump once they need not.
  [[nodiscard]] virtual bool is_full() const { return false; }

  /// Continues reading.
  void pump();

 private:
  void asked(const Outcome& outcome);
  void read_on();
  void leave();
  static void wake(void* self);

  EngineCalls& calls_;
  quarry_reader* reader_ = nullptr;
  std::uint64_t call_ = 0;  // handle of question.ask while it is pending
  bool abandoned_ = false;
  std::atomic<bool> scheduled_{false};
};

}  // namespace quarry::engine_client
