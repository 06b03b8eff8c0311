#pragma once

#include "plugins/model_provider.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace quarry::ask::testing {

/// A protocol for tests: lines "t text", "e message" and "." for the end.
class LineExchange final : public plugins::ModelExchange {
 public:
  explicit LineExchange(std::string url, std::function<void()> before_data = {})
      : url_(std::move(url)), before_data_(std::move(before_data)) {}
  Result<services::HttpRequest> request() override {
    return services::HttpRequest{"POST", url_, {{"authorization", "Bearer ", "KEY"}}, "body"};
  }
  void head(int status, std::span<const services::HttpHeader>, plugins::ModelSink&) override {
    status_ = status;
  }
  void data(std::string_view bytes, plugins::ModelSink& sink) override {
    if (before_data_) before_data_();
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

 private:
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
  std::string rest_;
  int status_ = 0;
  bool ended_ = false;
};

class LineProvider final : public plugins::ModelProvider {
 public:
  explicit LineProvider(std::string url) : url_(std::move(url)) {}
  const plugins::ModelDescription& describe() const override { return description_; }
  Form form() const override { return Form::kExchange; }
  bool is_called_at_once() const override { return !elsewhere; }
  void generate(const services::Call&, std::string_view, plugins::ModelSink&) override {}
  Result<std::unique_ptr<plugins::ModelExchange>> begin(std::string_view) override {
    if (refuse) return Error{Code::kInvalidArgument, "no such option"};
    return std::make_unique<LineExchange>(url_, [this] {
      ++pieces;
      if (before_data) before_data();
    });
  }
  Result<std::vector<plugins::ModelInfo>> models(const services::Call&) override {
    return Error{Code::kUnsupported, "no list"};
  }
  bool refuse = false;
  bool elsewhere = false;               ///< as if its functions waited for another thread
  std::function<void()> before_data;    ///< runs in data()
  std::atomic<std::size_t> pieces = 0;  ///< number of calls of data()

 private:
  const std::string url_;
  plugins::ModelDescription description_;
};

}  // namespace quarry::ask::testing
