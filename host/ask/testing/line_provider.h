#pragma once

#include "plugins/model_provider.h"

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace quarry::ask::testing {

/// Runs a job on the I/O thread, not at once.
using Later = std::function<void(std::function<void()> job)>;

/// A protocol for tests: lines "t text", "e message" and "." for the end.
class LineExchange final : public plugins::ModelExchange {
 public:
  /// `later`: of functions that are deferred; empty: none are.
  explicit LineExchange(std::string url, std::function<void()> before_data = {},
                        const Later& later = {})
      : url_(std::move(url)), before_data_(std::move(before_data)) {
    if (later) deferred_ = std::make_unique<Deferred>(*this, later);
  }
  Result<services::HttpRequest> request() override {
    return services::HttpRequest{"POST", url_, {{"authorization", "Bearer ", "KEY"}}, "body"};
  }
  void head(int status, std::span<const services::HttpHeader>, plugins::ModelSink&) override {
    status_ = status;
  }
  void data(std::string_view bytes, plugins::ModelSink& sink) override {
    if (before_data_) before_data_();
    if (bytes.empty() && ends_at_tick_) return take(".", sink);
    rest_ += bytes;
    for (std::size_t end = 0; (end = rest_.find('\n')) != std::string::npos;) {
      take(rest_.substr(0, end), sink);
      rest_.erase(0, end + 1);
    }
  }
  void end(bool complete, plugins::ModelSink& sink) override {
    if (ended_) return;
    sink.error({.code = Code::kUnavailable,
                .http_status = status_ >= 400 ? status_ : 0,
                .message = complete ? "ended early" : "the connection broke"});
  }

  /// A tick is the end.
  void end_at_tick(bool ends) { ends_at_tick_ = ends; }
  plugins::DeferredExchange<plugins::ModelSink>* deferred() override { return deferred_.get(); }

 private:
  /// The same functions, one at a time.
  class Deferred final : public plugins::DeferredExchange<plugins::ModelSink> {
   public:
    Deferred(LineExchange& exchange, Later later) : exchange_(exchange), later_(std::move(later)) {}
    ~Deferred() override { EXPECT_FALSE(running_); }
    void head(int status, std::span<const services::HttpHeader> headers, plugins::ModelSink& sink,
              Done done) override {
      run([this, status, headers, &sink] { exchange_.head(status, headers, sink); },
          std::move(done));
    }
    void data(std::string_view bytes, plugins::ModelSink& sink, Done done) override {
      run([this, kept = std::string(bytes), &sink] { exchange_.data(kept, sink); },
          std::move(done));
    }
    void end(bool complete, plugins::ModelSink& sink, Done done) override {
      run([this, complete, &sink] { exchange_.end(complete, sink); }, std::move(done));
    }

   private:
    void run(std::function<void()> function, Done done) {
      EXPECT_FALSE(std::exchange(running_, true)) << "one has not ended";
      later_([this, function = std::move(function), done = std::move(done)] {
        function();
        running_ = false;
        done();
      });
    }
    LineExchange& exchange_;
    const Later later_;
    bool running_ = false;
  };

  void take(const std::string& line, plugins::ModelSink& sink) {
    if (line == ".") {
      ended_ = true;
      sink.finish(plugins::Finish::kStop);
    } else if (line.starts_with("e ")) {
      ended_ = true;
      sink.error({.code = Code::kInternal, .http_status = status_, .message = line.substr(2)});
    } else {
      sink.text(line.substr(2));
    }
  }
  const std::string url_;
  const std::function<void()> before_data_;
  std::unique_ptr<Deferred> deferred_;
  std::string rest_;
  int status_ = 0;
  bool ended_ = false;
  bool ends_at_tick_ = false;
};

class LineProvider final : public plugins::ModelProvider {
 public:
  explicit LineProvider(std::string url) : url_(std::move(url)) {}
  const plugins::ModelDescription& describe() const override { return description_; }
  Form form() const override { return Form::kExchange; }
  bool is_called_at_once() const override { return !elsewhere; }
  void generate(const services::Call&, std::string_view, plugins::ModelSink&) override {}
  Result<std::unique_ptr<plugins::ModelExchange>> begin(std::string_view,
                                                        const std::string&) override {
    if (refuse) return Error{Code::kInvalidArgument, "no such option"};
    const auto count = [this] {
      ++pieces;
      if (before_data) before_data();
    };
    auto exchange = std::make_unique<LineExchange>(url_, count, later);
    exchange->end_at_tick(ends_at_tick);
    return exchange;
  }
  Result<std::vector<plugins::ModelInfo>> models(const services::Call&) override {
    return Error{Code::kUnsupported, "no list"};
  }
  bool refuse = false;
  bool ends_at_tick = false;            ///< the end of a step is that time has passed
  bool elsewhere = false;               ///< as if its functions waited for another thread
  Later later;                          ///< of an exchange; empty: it has no deferred functions
  std::function<void()> before_data;    ///< runs in data()
  std::atomic<std::size_t> pieces = 0;  ///< number of calls of data()

 private:
  const std::string url_;
  plugins::ModelDescription description_;
};

}  // namespace quarry::ask::testing
