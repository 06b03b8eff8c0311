#include "ask/exchange_model.h"

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
  return {.code = error.code, .message = error.message};
}

constexpr std::size_t kLargestRefusal = 64u << 10;

/// One step: an exchange, and the requests sent for it one after another. Owned by the pending
/// operation: filling in secrets, a transfer or a wait. [io]
class ExchangeStep final : public ResponseReceiver,
                           public std::enable_shared_from_this<ExchangeStep> {
 public:
  ExchangeStep(std::shared_ptr<const ExchangeDependencies> dependencies, std::stop_token stop,
               StepSink& sink, std::function<void()> done)
      : dependencies_(std::move(dependencies)),
        stop_(std::move(stop)),
        sink_(sink),
        done_(std::move(done)) {}

  void begin(plugins::ModelProvider& provider, std::string_view chat_request) {
    auto exchange = provider.begin(chat_request);
    if (!exchange) return fail(as_model_error(exchange.error()));
    exchange_ = std::move(*exchange);
    send_request();
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
    exchange_->data(bytes, sink_);
    return true;
  }

  void end(Status sent) override {
    if (const auto wait = wait_before_retry(sent)) return sleep(*wait);
    finish(sent);
    done_();
  }

 private:
  void send_request() {
    ++attempt_;
    response_ = {};
    buffered_ = false;
    auto request = exchange_->request();
    if (!request) return fail(as_model_error(request.error()));
    // Fetching a secret may block.
    dependencies_->workers.submit(
        [self = shared_from_this(), request = std::move(*request)]() mutable {
          Status filled = self->fill_secrets(request);
          asio::io_context& io = self->dependencies_->io;
          asio::post(io, [self = std::move(self), filled = std::move(filled),
                          request = std::move(request)]() mutable {
            if (!filled) return self->fail(as_model_error(filled.error()));
            self->send(std::move(request));
          });
        });
  }

  void send(services::HttpRequest request) {
    dependencies_->transfers.send(std::move(request), dependencies_->idle, stop_,
                                  shared_from_this());
  }

  Status fill_secrets(services::HttpRequest& request) const {
    for (auto& header : request.headers) {
      if (header.secret.empty()) continue;
      auto value = dependencies_->secret(header.secret, stop_);
      if (!value) {
        Error failed = std::move(value).error();
        if (failed.code == Code::kNotFound) failed.code = Code::kUnauthenticated;
        return failed;
      }
      header.value += *value;
      header.secret.clear();
      header.credential = true;
    }
    return {};
  }

  void forward_response() {
    if (std::exchange(forwarded_, true)) return;
    exchange_->head(response_.status, std::exchange(response_.headers, {}), sink_);
    if (!response_.body.empty()) exchange_->data(response_.body, sink_);
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

  /// Waits, then retries or, after a stop, fails.
  void sleep(milliseconds duration) {
    const auto timer = std::make_shared<asio::steady_timer>(dependencies_->io, duration);
    // The cancel is posted, so that it runs after the wait has begun.
    auto cancel = [timer, &io = dependencies_->io] {
      asio::post(io, [timer] { timer->cancel(); });
    };
    auto on_stop = std::make_unique<std::stop_callback<decltype(cancel)>>(stop_, cancel);
    timer->async_wait([self = shared_from_this(),
                       on_stop = std::move(on_stop)](const boost::system::error_code&) {
      if (!self->stop_.stop_requested()) return self->send_request();
      self->fail({.code = Code::kCancelled, .message = "the question was stopped"});
    });
  }

  /// Passes the last response to the provider; reports an error if it did not arrive in full.
  void finish(const Status& sent) {
    const bool whole = sent.has_value() || buffered_;
    if (!whole && (!forwarded_ || sent.error().code == Code::kDeadlineExceeded)) {
      sink_.error(failure(sent.error()));
    }
    if (response_.status == 0) {
      return sink_.error({.code = Code::kUnavailable, .message = "the provider sent no response"});
    }
    forward_response();
    exchange_->end(whole, sink_);
  }

  void fail(const plugins::ModelError& error) {
    sink_.error(error);
    done_();
  }

  [[nodiscard]] plugins::ModelError failure(const Error& error) const {
    if (error.code != Code::kDeadlineExceeded) return as_model_error(error);
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(dependencies_->idle).count();
    return {.code = error.code,
            .message =
                "no data for " + std::to_string(seconds) + " s (model.idle_seconds is the limit)"};
  }

  const std::shared_ptr<const ExchangeDependencies> dependencies_;
  const std::stop_token stop_;
  StepSink& sink_;
  const std::function<void()> done_;
  std::unique_ptr<plugins::ModelExchange> exchange_;
  Refusal response_;  ///< to the last request; its body while it is buffered
  unsigned attempt_ = 0;
  bool buffered_ = false;
  bool forwarded_ = false;
};

class ExchangeModel final : public Model {
 public:
  ExchangeModel(std::shared_ptr<plugins::ModelProvider> provider, ExchangeDependencies dependencies)
      : provider_(std::move(provider)),
        dependencies_(std::make_shared<const ExchangeDependencies>(std::move(dependencies))) {}

  void step(std::string chat_request, std::stop_token stop, StepSink& sink,
            std::function<void()> done) override {
    std::make_shared<ExchangeStep>(dependencies_, std::move(stop), sink, std::move(done))
        ->begin(*provider_, chat_request);
  }

 private:
  const std::shared_ptr<plugins::ModelProvider> provider_;
  const std::shared_ptr<const ExchangeDependencies> dependencies_;
};

}  // namespace

std::shared_ptr<Model> make_exchange_model(std::shared_ptr<plugins::ModelProvider> provider,
                                           ExchangeDependencies dependencies) {
  return std::make_shared<ExchangeModel>(std::move(provider), std::move(dependencies));
}

}  // namespace quarry::ask
