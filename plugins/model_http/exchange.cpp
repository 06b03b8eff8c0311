#include "model_http/exchange.h"

#include "model_http/failure_reply.h"
#include "model_http/json_text.h"

#include <utility>

namespace quarry::model_http {
nlohmann::json read_message(std::string_view data, Output& output) {
  nlohmann::json message = read_json(data);
  if (message.is_array() && message.size() == 1) message = nlohmann::json(message.front());
  if (message.is_object()) return message;
  std::string wrong = "the stream contains a message that is not a JSON object";
  const bool is_json = data.starts_with('{') || data.starts_with('[');  // or its beginning
  if (message.is_discarded() && !is_json) wrong += ": " + message_of(data);
  output.error(QUARRY_UNAVAILABLE, wrong);
  return nlohmann::json(nlohmann::json::value_t::discarded);
}

Exchange::Exchange(HttpRequest request, Framing framing, std::unique_ptr<Decoder> decoder)
    : decoder_(std::move(decoder)),
      framing_(framing),
      reply_(std::make_unique<FailureReply>(0, std::vector<HttpHeader>())),
      reader_(framing == Framing::kLines),
      request_(std::make_unique<const HttpRequest>(std::move(request))) {}

void Exchange::head(int status, const std::vector<HttpHeader>& headers, ModelSink&) {
  request_.reset();  // a stream may run for hours without needing its request
  failed_ = status >= 400;
  reply_ = std::make_unique<FailureReply>(status, headers);
}

MessageReader::Take Exchange::taking(Output& output) {
  return [this, &output](std::string_view name, std::string_view data) {
    heard_ = true;
    if (data.starts_with(':')) return;  // a comment, as gateways pass on that of another server
    has_messages_ = true;
    const std::size_t given = state_.given;
    decoder_->message(name, data, output);
    if (state_.given == given && !state_.ended) keep_words(data);
  };
}

void Exchange::keep_words(std::string_view data) {
  if (auto words = words_in(read_json(data)); !words.empty()) words_ = std::move(words);
}

/// Two ticks without a message between them are the end of an answer whose end was named; not
/// before it has begun, since some gateways name a reason in each message.
void Exchange::tick(Output& output) {
  if (std::exchange(heard_, false)) return;
  reader_.pause(taking(output));
  if (!output.ended() && state_.given > 0) decoder_->quiet(output);
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
  if (failed_) {
    ReportedFailure failure = reply_->failure();
    decoder_->failed(failure);
    return report(failure, output);
  }
  if (reason == QUARRY_END_COMPLETE && !output.ended()) {
    reader_.finish(taking(output));  // some servers send no final line end
    decoder_->over(output);
    const bool other = reader_.is_page() || framing_ == Framing::kEvents || !has_messages_;
    if (reply_ && other && !reply_->is_empty()) report(reply_->failure(), output);
  } else if (!output.ended()) {
    reader_.pause(taking(output));
    decoder_->quiet(output);
  }
  const std::string what = reason == QUARRY_END_CUT
                               ? "the connection broke before the response was complete"
                               : "the response ended before it was complete";
  output.error(QUARRY_UNAVAILABLE, words_.empty() ? what : what + ": " + words_);
}

}  // namespace quarry::model_http
