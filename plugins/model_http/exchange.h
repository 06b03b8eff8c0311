#pragma once

#include "model_http/failure_reply.h"
#include "model_http/framing.h"
#include "model_http/output.h"

#include <quarry/model.hpp>

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace quarry::model_http {

/// How the messages of a stream are told apart: server-sent events, or a line each.
enum class Framing { kEvents, kLines };

/// The JSON object that a message is; when it is none that is told, and the result is discarded.
nlohmann::json read_message(std::string_view data, Output& output);

/// What a provider's messages mean. One for each response.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// One message: the event's name (empty with lines and for nameless events) and its data.
  virtual void message(std::string_view name, std::string_view data, Output& output) = 0;
  /// The stream ended as HTTP says it should and no end was told: tell one, unless it was cut.
  virtual void over(Output&) {}
};

/// One request and the reading of its response, for `T::Exchange` of a provider. A status of 400
/// and more is told as an error; so is a page where events should be, and a stream that ends before
/// its decoder told an end.
class Exchange {
 public:
  Exchange(HttpRequest request, Framing framing, std::unique_ptr<Decoder> decoder);

  /// Empty once its response came.
  HttpRequest request() { return request_ ? *request_ : HttpRequest(); }
  void head(int status, const std::vector<HttpHeader>& headers, ModelSink& sink);
  void data(std::string_view bytes, ModelSink& sink);
  void end(quarry_end reason, ModelSink& sink);

 private:
  bool feed(std::string_view bytes, Output& output);
  void finish(Output& output);

  std::unique_ptr<const HttpRequest> request_;  ///< until its response comes
  const std::unique_ptr<Decoder> decoder_;
  std::variant<EventReader, LineReader> reader_;
  std::unique_ptr<FailureReply> failure_;  ///< none while the response is an answer
  bool ended_ = false;
};

}  // namespace quarry::model_http
