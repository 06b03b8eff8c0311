#pragma once

#include "plugins/embedding_provider.h"
#include "plugins/rerank_provider.h"

#include <atomic>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace quarry::retrieval::testing {

/// Writes one line of a response to a sink: "0 1 2" is vector 0 with the values 1 and 2.
inline void write_line(std::istringstream line, plugins::EmbeddingSink& sink) {
  std::uint32_t index = 0;
  std::vector<float> values;
  line >> index;
  for (std::string value; line >> value;) values.push_back(std::stof(value));
  sink.vector(index, values);
}
/// "0 0.5" is the score of document 0.
inline void write_line(std::istringstream line, plugins::RerankSink& sink) {
  std::uint32_t index = 0;
  std::string score;
  line >> index >> score;
  sink.score(index, std::stod(score));
}

/// An exchange whose response has a line for each item, and "usage 7".
template <class Sink>
class LineExchange final : public plugins::ProviderExchange<Sink> {
 public:
  LineExchange(std::string url, std::string body, std::string secret)
      : request_{.method = "POST", .url = std::move(url), .headers = {}, .body = std::move(body)} {
    if (!secret.empty()) request_.headers.push_back({"Authorization", "Bearer ", secret});
  }
  Result<services::HttpRequest> request() override { return request_; }
  void head(int status, std::span<const services::HttpHeader>, Sink&) override { status_ = status; }
  void data(std::string_view bytes, Sink&) override { body_ += bytes; }
  void end(bool complete, Sink& sink) override {
    if (status_ >= 400) {
      return sink.error({.code = status_ == 429 ? Code::kResourceExhausted : Code::kUnavailable,
                         .http_status = status_,
                         .message = body_});
    }
    if (!complete) return sink.error({.code = Code::kUnavailable, .message = "it broke off"});
    std::istringstream lines(body_);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("usage ")) {
        sink.usage({.input = std::stoi(line.substr(6))});
      } else {
        write_line(std::istringstream(line), sink);
      }
    }
    sink.finish();
  }

 private:
  services::HttpRequest request_;
  int status_ = 0;
  std::string body_;
};

/// A provider of such exchanges.
template <class Sink>
class LineProvider final : public plugins::ExchangeProvider<Sink> {
 public:
  explicit LineProvider(std::string url, std::uint32_t most_items = 10, std::string secret = {})
      : url_(std::move(url)), secret_(std::move(secret)) {
    description.most_items = most_items;
  }
  [[nodiscard]] const plugins::ExchangeDescription& describe() const override {
    return description;
  }
  Result<std::unique_ptr<plugins::ProviderExchange<Sink>>> begin(
      std::string_view request) override {
    ++begun;
    if (refuses) return Error(Code::kInvalidArgument, "no such model");
    return std::make_unique<LineExchange<Sink>>(url_, std::string(request), secret_);
  }

  plugins::ExchangeDescription description;
  std::atomic<int> begun = 0;
  bool refuses = false;

 private:
  const std::string url_;
  const std::string secret_;
};

}  // namespace quarry::retrieval::testing
