#include "ask/question.h"

#include "ask/session.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <nlohmann/json.hpp>

namespace quarry::ask {
namespace asio = boost::asio;

namespace {

using Timer = asio::steady_timer::rebind_executor<asio::io_context::executor_type>::other;

class RunningQuestion final : public Question,
                              public std::enable_shared_from_this<RunningQuestion> {
 public:
  RunningQuestion(const QuestionServices& services, Request request,
                  std::function<void(const Question&)> ended)
      : services_(services),
        ended_(std::move(ended)),
        log_(EventLog::make(request.limits.max_event_bytes, services.wakes, services.redact)),
        cited_(std::make_shared<CitedSources>()),
        session_(services_, std::move(request), log_, cited_, stop_.get_token(), reason_),
        grace_(services.io),
        deadline_(services.io) {}

  const std::string& id() const override { return session_.request().id; }
  const std::string& bearer() const override { return session_.request().bearer; }
  const std::shared_ptr<EventLog>& log() const override { return log_; }
  const std::shared_ptr<CitedSources>& cited() const override { return cited_; }

  void stop(StopReason reason) override {
    auto none = StopReason::kNone;
    reason_.compare_exchange_strong(none, reason);
    stop_.request_stop();
  }

  void begin() {
    log_->on_abandoned([weak = weak_from_this(), &io = services_.io] {
      asio::post(io, [weak] {
        if (const auto self = weak.lock()) self->wait_for_readers();
      });
    });
    start_timers();
    asio::co_spawn(services_.io, session_.run(),
                   [self = shared_from_this()](const std::exception_ptr&) { self->end(); });
  }

 private:
  /// Called before the session runs.
  void start_timers() {
    wait_for_readers();
    deadline_.expires_after(limits().max_time);
    deadline_.async_wait([weak = weak_from_this()](const boost::system::error_code& failed) {
      const auto self = weak.lock();
      if (!failed && self) self->stop(StopReason::kTime);
    });
  }

  /// [io]
  void end() {
    grace_.cancel();
    deadline_.cancel();
    over_ = true;
    if (ended_) ended_(*this);
  }

  [[nodiscard]] const Limits& limits() const { return session_.request().limits; }

  /// Starts the grace time for readers to open or reopen the log. A reader that leaves after that
  /// starts another one, though this one may end before it is known.
  void wait_for_readers() {
    if (over_) return;
    grace_.expires_after(limits().reader_grace);
    grace_.async_wait([weak = weak_from_this(),
                       departures = log_->departures()](const boost::system::error_code& failed) {
      const auto self = weak.lock();
      if (failed || !self || self->log_->reader_count() != 0) return;
      if (self->log_->departures() == departures) self->stop(StopReason::kAbandoned);
    });
  }

  const QuestionServices& services_;
  std::function<void(const Question&)> ended_;
  std::shared_ptr<EventLog> log_;
  std::shared_ptr<CitedSources> cited_;
  std::stop_source stop_;
  std::atomic<StopReason> reason_ = StopReason::kNone;
  Session session_;
  Timer grace_;
  Timer deadline_;
  bool over_ = false;  // [io]
};

}  // namespace

std::shared_ptr<Question> Question::start(const QuestionServices& services, Request request,
                                          std::function<void(const Question&)> ended) {
  auto question = std::make_shared<RunningQuestion>(services, std::move(request), std::move(ended));
  question->begin();
  return question;
}

}  // namespace quarry::ask
