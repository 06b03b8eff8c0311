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

/// Hands a response to the exchange, unless its status says to try again: then it is passed over.
class Receiver final : public ResponseReceiver {
 public:
  Receiver(plugins::ModelExchange& exchange, StepSink& sink, const RetryPolicy& policy,
           unsigned attempt)
      : exchange_(exchange), sink_(sink), policy_(policy), attempt_(attempt) {}

  void head(int status, std::span<const plugins::HttpHeader> headers) override {
    retry_ = wait_after(policy_, attempt_, status, headers);
    if (retry_) return;
    handed_over_ = true;
    exchange_.head(status, headers, sink_);
  }

  bool data(std::string_view bytes) override {
    if (retry_) return false;
    exchange_.data(bytes, sink_);
    return true;
  }

  [[nodiscard]] bool handed_over() const { return handed_over_; }
  [[nodiscard]] std::optional<milliseconds> retry() const { return retry_; }

 private:
  plugins::ModelExchange& exchange_;
  StepSink& sink_;
  const RetryPolicy& policy_;
  const unsigned attempt_;
  std::optional<milliseconds> retry_;
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
    auto exchange = self->provider_->begin(chat_request);
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
      Receiver receiver(exchange, sink, around_.retry, attempt);
      const Status sent = co_await send(std::move(*request), stop, receiver);
      if (receiver.handed_over()) co_return exchange.end(sent.has_value(), sink);
      auto wait = receiver.retry();
      if (!wait && !sent && sent.error().code == Code::kUnavailable) {
        wait = wait_after_failure(around_.retry, attempt);
      }
      if (!wait) {
        const Error none(Code::kUnavailable, "the provider sent no response");
        co_return sink.error(as_model_error(sent ? none : sent.error()));
      }
      co_await sleep(*wait, stop);
      if (stop.stop_requested()) {
        co_return sink.error({.code = Code::kCancelled, .message = "the question was stopped"});
      }
    }
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
      around_.transfers.send(std::move(request), stop, receiver,
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
