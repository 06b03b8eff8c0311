#pragma once

#include "engine_client/question.h"
#include "failure.h"
#include "reply.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace quarry::rest {

/// Follows one question's events for one request. Kept alive by the request: when the client
/// disconnects or the response ends, the reader is closed. All functions run on the request's loop.
class Follower : public engine_client::Question {
 public:
  Follower(engine_client::EngineCalls& calls, Reply reply)
      : Question(calls), reply_(std::move(reply)) {}

  /// Asks the question of `body`, then follows it.
  void ask(std::string_view body);
  /// Follows question `id` from the event after `after`; responds 404 if there is none.
  void follow(const std::string& id, std::uint64_t after);

 protected:
  [[nodiscard]] const Reply& reply() const { return reply_; }
  /// The question of ask(), or that of follow(), runs; its events follow.
  virtual void begun(const std::string& id) = 0;

 private:
  void post(std::function<void()> job) override { reply_.responder.post(std::move(job)); }
  void dispatch(std::function<void()> job) override { reply_.responder.dispatch(std::move(job)); }
  void failed(const Failure& failure) override { reply_.send(error_response(failure)); }
  void accepted(const std::string& id) override;
  void keep_alive();

  Reply reply_;
  bool asks_ = false;
};

}  // namespace quarry::rest
