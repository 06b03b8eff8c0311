#pragma once

#include "model_http/failure_reply.h"
#include "model_http/framing.h"
#include "model_http/output.h"

#include <quarry/model.hpp>

#include <memory>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace quarry::model_http {

/// Framing of a provider's stream: server-sent events, or one JSON object per line. Messages are
/// read in whichever framing a response has.
enum class Framing { kEvents, kLines };

/// Parses a message as a JSON object, or as a list of one; otherwise reports an error to `output`
/// and returns a discarded value.
nlohmann::json read_message(std::string_view data, Output& output);

/// Translates a provider's messages. One per response.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// One message: the event's name (empty with lines and for nameless events) and its data. A
  /// server that does not stream sends its whole reply as one message.
  virtual void message(std::string_view name, std::string_view data, Output& output) = 0;
  /// Called when the stream is complete by HTTP but the decoder reported no end: report one, unless
  /// the answer is cut.
  virtual void over(Output&) {}
  /// Called with the failure of a status of 400 and more before it is reported, to change it.
  virtual void failed(ReportedFailure&) {}
  /// Called when the server sends no more messages but stays connected, or the connection broke:
  /// report an end only if the server has named one.
  virtual void quiet(Output&) {}
};

/// One request and the reading of its response, for `T::Exchange` of a provider. Reports an error
/// for a status of 400 and more, for a page or another value in place of events, and for a stream
/// that ends before its decoder reported an end, with what its server said of that.
class Exchange {
 public:
  Exchange(HttpRequest request, Framing framing, std::unique_ptr<Decoder> decoder);

  /// Empty once the response has begun.
  HttpRequest request() { return request_ ? *request_ : HttpRequest(); }
  void head(int status, const std::vector<HttpHeader>& headers, ModelSink& sink);
  void data(std::string_view bytes, ModelSink& sink);
  void end(quarry_end reason, ModelSink& sink);

 private:
  [[nodiscard]] MessageReader::Take taking(Output& output);
  void tick(Output& output);
  /// Keeps the words of a failure in a message of which the decoder has made nothing.
  void keep_words(std::string_view data);

  // First what every piece of a body needs, in few lines of memory.
  const std::unique_ptr<Decoder> decoder_;
  const Framing framing_;
  bool failed_ = false;                  ///< by its status
  bool heard_ = false;                   ///< a message since the last tick
  bool has_messages_ = false;            ///< at all
  std::unique_ptr<FailureReply> reply_;  ///< its body if it is no stream; null once it is one
  MessageReader reader_;
  OutputState state_;
  std::unique_ptr<const HttpRequest> request_;  ///< until the response begins
  std::string words_;  ///< of a failure, in a message that says nothing else
};

}  // namespace quarry::model_http
