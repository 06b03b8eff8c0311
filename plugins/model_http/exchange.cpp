#include "model_http/exchange.h"

#include "model_http/json_text.h"

#include <utility>

namespace quarry::model_http {
nlohmann::json read_message(std::string_view data, Output& output) {
  nlohmann::json message = read_json(data);
  if (message.is_object()) return message;
  output.error(QUARRY_UNAVAILABLE, "the stream contains a message that is not a JSON object");
  return nlohmann::json(nlohmann::json::value_t::discarded);
}

Exchange::Exchange(HttpRequest request, Framing framing, std::unique_ptr<Decoder> decoder)
    : request_(std::make_unique<const HttpRequest>(std::move(request))),
      decoder_(std::move(decoder)),
      framing_(framing),
      reader_(framing == Framing::kLines),
      reply_(std::make_unique<FailureReply>(0, std::vector<HttpHeader>())) {}

void Exchange::head(int status, const std::vector<HttpHeader>& headers, ModelSink&) {
  request_.reset();  // a stream may run for hours without needing its request
  failed_ = status >= 400;
  reply_ = std::make_unique<FailureReply>(status, headers);
}

MessageReader::Take Exchange::taking(Output& output) {
  return [this, &output](std::string_view name, std::string_view data) {
    heard_ = true;
    decoder_->message(name, data, output);
  };
}

/// Two ticks without a message between them are the end of an answer whose end was named.
void Exchange::tick(Output& output) {
  if (std::exchange(heard_, false)) return;
  reader_.pause(taking(output));
  if (!output.ended()) decoder_->quiet(output);
}

void Exchange::data(std::string_view bytes, ModelSink& sink) {
  if (failed_) return reply_->add(bytes);
  Output output(sink, state_);
  if (bytes.empty()) return tick(output);
  if (!reader_.feed(bytes, taking(output))) {
    output.error(QUARRY_RESOURCE_EXHAUSTED, "one message of the response is larger than 16 MiB");
  }
  if (reader_.has_events()) reply_.reset();
  if (reply_) reply_->add(bytes);
}

void Exchange::end(quarry_end reason, ModelSink& sink) {
  Output output(sink, state_);
  if (failed_) return reply_->report(output);
  if (reason == QUARRY_END_COMPLETE && !output.ended()) {
    reader_.finish(taking(output));  // some servers send no final line end
    decoder_->over(output);
    const bool other = reader_.is_page() || framing_ == Framing::kEvents;
    if (reply_ && other && !reply_->is_empty()) reply_->report(output);
  } else if (!output.ended()) {
    reader_.pause(taking(output));
    decoder_->quiet(output);
  }
  output.error(QUARRY_UNAVAILABLE, reason == QUARRY_END_CUT
                                       ? "the connection broke before the response was complete"
                                       : "the response ended before it was complete");
}

}  // namespace quarry::model_http
