#include "ask/exchange_model.h"

#include "ask/await_all.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>

namespace quarry::ask {
namespace asio = boost::asio;

namespace {

using std::chrono::milliseconds;

plugins::ModelError as_model_error(const Error& error) {
  return {.code = error.code, .message = error.message};
}

constexpr std::size_t kLargestRefusal = 64u << 10;

/// Hands a response to the exchange from its first byte on. One that may be tried again is held
/// back, until hand_over().
class Receiver final : public ResponseReceiver {
 public:
  Receiver(plugins::ModelExchange& exchange, StepSink& sink) : exchange_(exchange), sink_(sink) {}

  void head(int status, std::span<const plugins::HttpHeader> headers) override {
    response_ = {.status = status, .headers = {headers.begin(), headers.end()}, .body = {}};
    held_ = may_be_retried(status, headers);
  }

  bool data(std::string_view bytes) override {
    if (held_) {
      response_.body += bytes.substr(0, kLargestRefusal - response_.body.size());
      return response_.body.size() < kLargestRefusal;
    }
    hand_over();
    exchange_.data(bytes, sink_);
    return true;
  }

  void hand_over() {
    if (handed_over_) return;
    handed_over_ = true;
    exchange_.head(response_.status, std::exchange(response_.headers, {}), sink_);
    if (!response_.body.empty()) exchange_.data(response_.body, sink_);
  }

  [[nodiscard]] bool answered() const { return response_.status > 0; }
  [[nodiscard]] bool handed_over() const { return handed_over_; }
  /// The response, when it may be tried again.
  [[nodiscard]] const Refusal* refusal() const { return held_ ? &response_ : nullptr; }

 private:
  plugins::ModelExchange& exchange_;
  StepSink& sink_;
  Refusal response_;
  bool held_ = false;
  bool handed_over_ = false;
};

class ExchangeModel final : public Model, public std::enable_shared_from_this<ExchangeModel> {
 public:
  ExchangeModel(std::shared_ptr<plugins::ModelProvider> provider, ExchangeSurroundings around)
      : provider_(std::move(provider)), around_(std::move(around)) {}

  void step(std::string chat_request, std::stop_token stop, StepSink& sink,
            std::function<void()> done) override {
    asio::co_spawn(
        around_.io,
        run(shared_from_this(), std::move(chat_request), std::move(stop), &sink, std::move(done)),
        asio::detached);
  }

 private:
  using Sent = std::optional<Status>;
  using Filled = std::optional<Result<plugins::HttpRequest>>;

  static asio::awaitable<void> run(std::shared_ptr<ExchangeModel> self, std::string chat_request,
                                   std::stop_token stop, StepSink* sink,
                                   std::function<void()> done) {
    auto exchange = self->provider_->begin(std::exchange(chat_request, {}));
    if (!exchange) {
      sink->error(as_model_error(exchange.error()));
    } else {
      co_await self->ask(**exchange, stop, *sink);
    }
    done();
  }

  asio::awaitable<void> ask(plugins::ModelExchange& exchange, std::stop_token stop,
                            StepSink& sink) {
    for (unsigned attempt = 1;; ++attempt) {
      Result<plugins::HttpRequest> request = co_await fill(exchange.request(), stop);
      if (!request) co_return sink.error(as_model_error(request.error()));
      Receiver receiver(exchange, sink);
      const Status sent = co_await send(std::move(*request), stop, receiver);
      const auto wait = wait_before(attempt, sent, receiver);
      if (!wait) co_return end(exchange, sent, receiver, sink);
      co_await sleep(*wait, stop);
      if (stop.stop_requested()) {
        co_return sink.error({.code = Code::kCancelled, .message = "the question was stopped"});
      }
    }
  }

  /// How long to wait before another try; nothing when there is none.
  std::optional<milliseconds> wait_before(unsigned attempt, const Status& sent,
                                          const Receiver& receiver) const {
    if (receiver.handed_over()) return std::nullopt;
    if (const Refusal* const refusal = receiver.refusal()) {
      return wait_after(around_.retry, attempt, *refusal, around_.clock.now());
    }
    if (sent || sent.error().code != Code::kUnavailable) return std::nullopt;
    return wait_after_failure(around_.retry, attempt);
  }

  /// The last response is the provider's to read; what kept it from coming is ours to tell.
  void end(plugins::ModelExchange& exchange, const Status& sent, Receiver& receiver,
           StepSink& sink) const {
    const bool whole = sent.has_value() || receiver.refusal();
    if (!whole && (!receiver.handed_over() || sent.error().code == Code::kDeadlineExceeded)) {
      sink.error(failure(sent.error()));
    }
    if (!receiver.answered()) {
      return sink.error({.code = Code::kUnavailable, .message = "the provider sent no response"});
    }
    receiver.hand_over();
    exchange.end(whole, sink);
  }

  [[nodiscard]] plugins::ModelError failure(const Error& error) const {
    if (error.code != Code::kDeadlineExceeded) return as_model_error(error);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(around_.idle).count();
    return {.code = error.code,
            .message = "nothing came for " + std::to_string(seconds) +
                       " s (model.idle_seconds is the limit)"};
  }

  /// The request with its secrets, which come from a worker: fetching one may block.
  asio::awaitable<Result<plugins::HttpRequest>> fill(Result<plugins::HttpRequest> request,
                                                     std::stop_token stop) {
    if (!request) co_return request;
    auto start = [&](std::size_t, auto done) {
      around_.workers.submit([this, &request, stop, done] {
        Status filled = fill_secrets(*request, stop);
        done(filled ? Filled(std::move(request)) : Filled(std::move(filled).error()));
      });
    };
    std::vector<Filled> filled = co_await await_all<Filled>(1, start);
    co_return std::move(*filled.front());
  }

  Status fill_secrets(plugins::HttpRequest& request, const std::stop_token& stop) const {
    for (auto& header : request.headers) {
      if (header.secret.empty()) continue;
      auto value = around_.secret(header.secret, stop);
      if (!value) {
        Error failed = std::move(value).error();
        if (failed.code == Code::kNotFound) failed.code = Code::kUnauthenticated;
        return failed;
      }
      header.value += *value;
      header.secret.clear();
    }
    return {};
  }

  asio::awaitable<Status> send(plugins::HttpRequest request, std::stop_token stop,
                               Receiver& receiver) {
    auto start = [&](std::size_t, auto done) {
      around_.transfers.send(std::move(request), around_.idle, stop, receiver,
                             [done](Status status) { done(Sent(std::move(status))); });
    };
    std::vector<Sent> sent = co_await await_all<Sent>(1, start);
    co_return std::move(*sent.front());
  }

  /// Returns early when `stop` is requested.
  asio::awaitable<void> sleep(milliseconds duration, std::stop_token stop) {
    const auto timer = std::make_shared<asio::steady_timer>(around_.io, duration);
    // The cancel is posted, so that it cannot come before the wait has begun.
    const std::stop_callback cancel(
        stop, [timer, &io = around_.io] { asio::post(io, [timer] { timer->cancel(); }); });
    boost::system::error_code ignored;
    co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }

  const std::shared_ptr<plugins::ModelProvider> provider_;
  const ExchangeSurroundings around_;
};

}  // namespace

std::shared_ptr<Model> make_exchange_model(std::shared_ptr<plugins::ModelProvider> provider,
                                           ExchangeSurroundings surroundings) {
  return std::make_shared<ExchangeModel>(std::move(provider), std::move(surroundings));
}

}  // namespace quarry::ask
