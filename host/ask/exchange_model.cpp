#include "ask/exchange_model.h"

#include "ask/model_failure.h"
#include "ask/serial_jobs.h"
#include "services/log_scope.h"

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace quarry::ask {
namespace {

namespace asio = boost::asio;

using std::chrono::milliseconds;

plugins::ModelError as_model_error(const Error& error) {
  return {.code = error.code, .message = error.message, .hint = error.hint};
}

std::string refusal_text(int status) {
  const std::string code = "HTTP " + std::to_string(status);
  return status == 429 ? "too many requests (" + code + ")" : code;
}

constexpr std::size_t kLargestRefusal = 64u << 10;
constexpr std::size_t kLargestBacklog = 4u << 20;

/// One step: an exchange, and the requests sent for it one after another. Owned by the pending
/// operation: a function of the exchange, filling in secrets, a transfer or a wait. Its own
/// functions run on the I/O thread; those of an exchange that is not called at once, and the sink
/// that they write to, on workers, because they wait for another process or thread. Those that read
/// the response run on the I/O thread too if they are deferred.
class ExchangeStep final : public ResponseReceiver,
                           public std::enable_shared_from_this<ExchangeStep> {
 public:
  ExchangeStep(std::shared_ptr<plugins::ModelProvider> provider,
               std::shared_ptr<const ExchangeDependencies> dependencies, std::string traceparent,
               std::stop_token stop, StepSink& sink, std::function<void()> done)
      : provider_(std::move(provider)),
        dependencies_(std::move(dependencies)),
        done_(std::move(done)),
        sink_(sink),
        elsewhere_(provider_->is_called_at_once()
                       ? nullptr
                       : std::make_unique<Elsewhere>(dependencies_->workers)),
        traceparent_(std::move(traceparent)),
        stop_(std::move(stop)),
        on_stop_(stop_, [response = response_wanted_]() mutable { response.request_stop(); }) {}

  void begin(std::string chat_request, std::string project) {
    chat_request_ = std::move(chat_request);
    project_ = std::move(project);
    call([this] {
      auto exchange = provider_->begin(chat_request_, project_);
      if (!exchange) return fail(as_model_error(exchange.error()));
      exchange_ = std::move(*exchange);
      send_request();
    });
  }

  /// A response that may be retried is buffered; any other is forwarded to the exchange at once.
  void head(int status, std::span<const services::HttpHeader> headers) override {
    response_ = {.status = status, .headers = {headers.begin(), headers.end()}, .body = {}};
    buffered_ = may_be_retried(status, headers);
  }

  bool data(std::string_view bytes) override {
    if (buffered_) {
      response_.body += bytes.substr(0, kLargestRefusal - response_.body.size());
      return response_.body.size() < kLargestRefusal;
    }
    forward_response();
    silent_ticks_ = 0;
    watch();
    return forward_data(bytes);
  }

  void end(Status sent) override {
    ticks_.reset();
    const auto wait = wait_before_retry(sent);
    if (!wait) return finish(sent);
    sleep(*wait, buffered_ ? refusal_text(response_.status) : sent.error().message);
  }

 private:
  using Done = plugins::DeferredExchange<plugins::ModelSink>::Done;

  /// Calls of a provider that is not called at once.
  struct Elsewhere {
    explicit Elsewhere(Executor& workers) : jobs(workers) {}
    SerialJobs jobs;
    std::mutex mutex;
    std::string backlog;  ///< bytes of the response that the exchange has not received
    /// Of the I/O thread, from the request to the last function that reads its response.
    plugins::DeferredExchange<plugins::ModelSink>* deferred = nullptr;
    std::deque<std::function<void(Done)>> waiting;  ///< functions of it
    bool running = false;                           ///< one of them has not ended
  };

  /// Runs a function of the exchange after those before it.
  template <class Function>
  void call(Function function) {
    if (!elsewhere_) {
      const services::LogScope scope(subject_);
      return function();
    }
    elsewhere_->jobs.add(shared_from_this(), [this, function = std::move(function)] {
      const services::LogScope scope(subject_);
      function();
    });
  }

  /// Begins a deferred function of the exchange after those before it. [io]
  void defer(std::function<void(Done)> function) {
    elsewhere_->waiting.push_back(std::move(function));
    if (!elsewhere_->running) begin_next();
  }
  void begin_next() {
    elsewhere_->running = !elsewhere_->waiting.empty();
    if (!elsewhere_->running) return;
    const auto function = std::move(elsewhere_->waiting.front());
    elsewhere_->waiting.pop_front();
    const services::LogScope scope(subject_);
    function([self = shared_from_this()] { self->begin_next(); });
  }
  [[nodiscard]] bool is_deferred() const { return elsewhere_ && elsewhere_->deferred != nullptr; }
  /// Runs what writes to the sink itself after the functions of the exchange before it.
  template <class Function>
  void call_own(Function function) {
    if (!is_deferred()) return call(std::move(function));
    defer([function = std::move(function)](const Done& done) {
      function();
      done();
    });
  }

  void send_request() {
    if (elsewhere_) elsewhere_->deferred = nullptr;
    ++attempt_;
    response_ = {};
    buffered_ = false;
    call([this] {
      auto request = exchange_->request();
      if (!request) return fail(as_model_error(request.error()));
      fill_and_send(std::move(*request));
    });
  }

  void fill_and_send(services::HttpRequest filled_in) {
    // Fetching a secret may block.
    dependencies_->workers.submit([self = shared_from_this(),
                                   request = std::move(filled_in)]() mutable {
      Status filled =
          complete_request(request, self->dependencies_->secret, self->traceparent_, self->stop_);
      asio::io_context& io = self->dependencies_->io;
      asio::post(io, [self = std::move(self), filled = std::move(filled),
                      request = std::move(request)]() mutable {
        if (!filled) return self->fail(as_model_error(filled.error()));
        self->send(std::move(request));
      });
    });
  }

  void send(services::HttpRequest request) {
    if (elsewhere_) elsewhere_->deferred = exchange_->deferred();
    dependencies_->transfers.send(std::move(request), dependencies_->idle,
                                  response_wanted_.get_token(), shared_from_this());
  }

  void forward_response() {
    if (std::exchange(forwarded_, true)) return;
    auto headers = std::exchange(response_.headers, {});
    if (is_deferred()) {
      defer([this, status = response_.status, headers = std::move(headers)](Done done) {
        elsewhere_->deferred->head(status, headers, sink_, std::move(done));
      });
    } else {
      call([this, status = response_.status, headers = std::move(headers)] {
        exchange_->head(status, headers, sink_);
      });
    }
    if (!response_.body.empty()) forward_data(std::exchange(response_.body, {}));
  }

  /// Passes bytes to the exchange, together with those that wait for it already. False when too
  /// many wait: the exchange then sees a response that was cut.
  bool forward_data(std::string_view bytes) {
    if (!elsewhere_) {
      const services::LogScope scope(std::cref(subject_));  // the caller keeps the step
      read(bytes);
      return true;
    }
    std::unique_lock lock(elsewhere_->mutex);
    const bool first = elsewhere_->backlog.empty();
    elsewhere_->backlog += bytes;
    const bool fits = elsewhere_->backlog.size() <= kLargestBacklog;
    lock.unlock();
    if (first) read_backlog();
    return fits;
  }
  void read_backlog() {
    if (!is_deferred()) return call([this] { read(take_backlog()); });
    defer([this](Done done) {
      elsewhere_->deferred->data(take_backlog(), sink_, [this, done = std::move(done)] {
        look_at_output();
        done();
      });
    });
  }
  void read(std::string_view bytes) {
    exchange_->data(bytes, sink_);
    look_at_output();
  }

  /// Tells the exchange from time to time that it passes, by data that is empty, since a server may
  /// stay connected after it has named its reason to end: until two in a row without any bytes.
  void watch() {
    if (ticks_) return;
    ticks_ = std::make_unique<asio::steady_timer>(dependencies_->io, dependencies_->tick);
    ticks_->async_wait([step = weak_from_this()](const boost::system::error_code& failed) {
      if (const auto self = step.lock(); self && !failed) self->tick();
    });
  }
  void tick() {
    if (!ticks_) return;  // the response has ended
    ticks_.reset();
    forward_data({});
    if (++silent_ticks_ < 2) watch();
  }
  void look_at_output() {
    if (sink_.ended()) response_wanted_.request_stop();
    if (!chat_request_.empty() && sink_.has_output()) chat_request_ = std::string();
  }
  std::string take_backlog() {
    const std::lock_guard lock(elsewhere_->mutex);
    return std::exchange(elsewhere_->backlog, {});
  }

  /// Time to wait before a retry; nothing when there is none.
  [[nodiscard]] std::optional<milliseconds> wait_before_retry(const Status& sent) const {
    if (forwarded_) return std::nullopt;
    if (buffered_) {
      return wait_after(dependencies_->retry, attempt_, response_, dependencies_->clock.now());
    }
    if (sent || sent.error().code != Code::kUnavailable) return std::nullopt;
    return wait_after_failure(dependencies_->retry, attempt_);
  }

  /// Waits, then retries or, after a stop, fails. In a wait of a second or more readers are told
  /// each second what is left, and at its end that nothing is.
  void sleep(milliseconds left, const std::string& reason) {
    const milliseconds slice = std::min(left, dependencies_->tick);
    waits_ = waits_ || left >= dependencies_->tick;
    if (waits_) sink_.waits(reason, left);
    const auto timer = std::make_shared<asio::steady_timer>(dependencies_->io, slice);
    // The cancel is posted, so that it runs after the wait has begun.
    auto cancel = [timer, &io = dependencies_->io] {
      asio::post(io, [timer] { timer->cancel(); });
    };
    auto on_stop = std::make_unique<std::stop_callback<decltype(cancel)>>(stop_, cancel);
    timer->async_wait([self = shared_from_this(), on_stop = std::move(on_stop), rest = left - slice,
                       reason](const boost::system::error_code&) {
      if (!self->stop_.stop_requested()) {
        if (rest > milliseconds(0)) return self->sleep(rest, reason);
        if (std::exchange(self->waits_, false)) self->sink_.waits(reason, rest);
        return self->send_again();
      }
      self->fail({.code = Code::kCancelled, .message = "the question was stopped"});
    });
  }

  /// Sends the request again, or begins anew if the exchange has read a response.
  void send_again() {
    if (exchange_) return send_request();
    const services::LogScope scope(subject_);
    const auto next =
        std::make_shared<ExchangeStep>(provider_, dependencies_, traceparent_, stop_, sink_, done_);
    next->attempt_ = attempt_;
    next->begin(std::move(chat_request_), std::move(project_));
  }

  /// Time to wait before the step begins anew after an error that a response of success reported
  /// before any output; nothing when it does not.
  [[nodiscard]] std::optional<milliseconds> wait_before_new_exchange() const {
    const plugins::ModelError* const error = sink_.failure_at_once();
    if (error == nullptr || !forwarded_ || response_.status >= 400) return std::nullopt;
    if (!is_transient(*error) || stop_.stop_requested()) return std::nullopt;
    return wait_after_error(dependencies_->retry, attempt_, *error);
  }

  /// Passes the last response to the provider; reports an error if it did not arrive in full.
  void finish(const Status& sent) {
    const bool whole = sent.has_value() || buffered_;
    if (!whole && (!forwarded_ || sent.error().code == Code::kDeadlineExceeded)) {
      call_own([this, error = failure(sent.error())] { sink_.error(error); });
    }
    if (response_.status == 0) {
      return fail({.code = Code::kUnavailable, .message = "the provider sent no response"});
    }
    forward_response();
    if (is_deferred()) {
      defer([this, whole](Done done) { elsewhere_->deferred->end(whole, sink_, std::move(done)); });
      return call_own([this] { close(); });
    }
    call([this, whole] {
      exchange_->end(whole, sink_);
      close();
    });
  }

  void fail(plugins::ModelError error) {
    call_own([this, error = std::move(error)] {
      sink_.error(error);
      close();
    });
  }

  /// The exchange ends before the step does. That may wait, unless it is called at once.
  void close() {
    const auto end = [this] {
      exchange_.reset();
      const auto wait = wait_before_new_exchange();
      if (!wait) return done_();
      const std::string reason = words_of(*sink_.failure_at_once());
      sink_.forget_failure();
      asio::post(dependencies_->io, [self = shared_from_this(), wait = *wait, reason] {
        if (self->elsewhere_) self->elsewhere_->deferred = nullptr;
        self->sleep(wait, reason);
      });
    };
    if (is_deferred()) return call(end);
    end();
  }

  [[nodiscard]] plugins::ModelError failure(const Error& error) const {
    if (error.code != Code::kDeadlineExceeded) return as_model_error(error);
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(dependencies_->idle).count();
    return {.code = error.code,
            .message =
                "no data for " + std::to_string(seconds) + " s (model.idle_seconds is the limit)"};
  }

  const std::shared_ptr<plugins::ModelProvider> provider_;
  const std::shared_ptr<const ExchangeDependencies> dependencies_;
  const std::function<void()> done_;
  // Every piece of a response uses these, which therefore share few lines of the cache.
  StepSink& sink_;
  /// The ids in log lines of the exchange, whose functions run on the I/O thread or in jobs.
  const std::shared_ptr<const services::LogSubject> subject_ = services::LogScope::current();
  const std::unique_ptr<Elsewhere> elsewhere_;  ///< null: functions are called at once
  std::unique_ptr<plugins::ModelExchange> exchange_;
  std::unique_ptr<asio::steady_timer> ticks_;  ///< runs to the next tick; null = none is due
  unsigned silent_ticks_ = 0;                  ///< since the last bytes
  unsigned attempt_ = 0;
  bool buffered_ = false;
  bool waits_ = false;  ///< readers were told of the wait for a retry
  bool forwarded_ = false;
  const std::string traceparent_;
  const std::stop_token stop_;
  /// Stopped with the step, and once the provider has reported its end: a server may stay
  /// connected.
  std::stop_source response_wanted_;
  const std::stop_callback<std::function<void()>> on_stop_;
  Refusal response_;          ///< to the last request; its body while it is buffered
  std::string chat_request_;  ///< until there is output, after which it is not sent again
  std::string project_;
};

class ExchangeModel final : public Model {
 public:
  ExchangeModel(std::shared_ptr<plugins::ModelProvider> provider, ExchangeDependencies dependencies)
      : provider_(std::move(provider)),
        dependencies_(std::make_shared<const ExchangeDependencies>(std::move(dependencies))) {}

  void step(StepRequest request, std::stop_token stop, StepSink& sink,
            std::function<void()> done) override {
    std::make_shared<ExchangeStep>(provider_, dependencies_, std::move(request.traceparent),
                                   std::move(stop), sink, std::move(done))
        ->begin(std::move(request.chat), std::move(request.project));
  }

 private:
  const std::shared_ptr<plugins::ModelProvider> provider_;
  const std::shared_ptr<const ExchangeDependencies> dependencies_;
};

}  // namespace

Status complete_request(services::HttpRequest& request, const GetSecret& secret,
                        const std::string& traceparent, const std::stop_token& stop) {
  for (auto& header : request.headers) {
    if (header.secret.empty()) continue;
    auto value = secret(header.secret, stop);
    if (!value) {
      Error failed = std::move(value).error();
      if (failed.code == Code::kNotFound) failed.code = Code::kUnauthenticated;
      return failed;
    }
    header.value += *value;
    header.secret.clear();
    header.credential = true;
  }
  // Meant for this provider alone, as a credential is.
  if (!traceparent.empty()) {
    request.headers.push_back({.name = "traceparent", .value = traceparent, .credential = true});
  }
  return {};
}

std::shared_ptr<Model> make_exchange_model(std::shared_ptr<plugins::ModelProvider> provider,
                                           ExchangeDependencies dependencies) {
  return std::make_shared<ExchangeModel>(std::move(provider), std::move(dependencies));
}

}  // namespace quarry::ask
