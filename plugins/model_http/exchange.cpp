#include "model_http/exchange.h"

#include "model_http/json_text.h"

#include <utility>

namespace quarry::model_http {
namespace {

/// True for a web page, which a server that does not know the path, or does not stream, may send
/// with status 200.
bool is_page(const std::vector<HttpHeader>& headers) {
  const std::string_view type = header(headers, "content-type");
  return type.starts_with("application/json") || type.starts_with("text/html");
}

}  // namespace

nlohmann::json read_message(std::string_view data, Output& output) {
  nlohmann::json message = read_json(data);
  if (message.is_object()) return message;
  output.error(QUARRY_UNAVAILABLE, "the stream contains a message that is not a JSON object");
  return nlohmann::json(nlohmann::json::value_t::discarded);
}

Exchange::Exchange(HttpRequest request, Framing framing, std::unique_ptr<Decoder> decoder)
    : request_(std::make_unique<const HttpRequest>(std::move(request))),
      decoder_(std::move(decoder)) {
  if (framing == Framing::kLines) reader_.emplace<LineReader>();
}

void Exchange::head(int status, const std::vector<HttpHeader>& headers, ModelSink&) {
  request_.reset();  // a stream may run for hours without needing its request
  const bool page = std::holds_alternative<EventReader>(reader_) && is_page(headers);
  if (status >= 400 || page) failure_ = std::make_unique<FailureReply>(status, headers);
}

void Exchange::data(std::string_view bytes, ModelSink& sink) {
  if (failure_) return failure_->add(bytes);
  Output output(sink, ended_);
  if (!feed(bytes, output)) {
    output.error(QUARRY_RESOURCE_EXHAUSTED, "one message of the response is larger than 16 MiB");
  }
}

bool Exchange::feed(std::string_view bytes, Output& output) {
  if (auto* const lines = std::get_if<LineReader>(&reader_)) {
    return lines->feed(bytes, [&](std::string_view line) {
      if (!line.empty()) decoder_->message({}, line, output);
    });
  }
  return std::get<EventReader>(reader_).feed(
      bytes,
      [&](std::string_view name, std::string_view data) { decoder_->message(name, data, output); });
}

/// Processes the input after the last line end, since some servers send no final one.
void Exchange::finish(Output& output) {
  if (auto* const lines = std::get_if<LineReader>(&reader_)) {
    if (!lines->rest().empty()) decoder_->message({}, lines->rest(), output);
    return;
  }
  std::get<EventReader>(reader_).finish(
      [&](std::string_view name, std::string_view data) { decoder_->message(name, data, output); });
}

void Exchange::end(quarry_end reason, ModelSink& sink) {
  Output output(sink, ended_);
  if (failure_) return failure_->report(output);
  if (reason == QUARRY_END_COMPLETE && !output.ended()) {
    finish(output);
    decoder_->over(output);
  }
  output.error(QUARRY_UNAVAILABLE, reason == QUARRY_END_CUT
                                       ? "the connection broke before the response was complete"
                                       : "the response ended before it was complete");
}

}  // namespace quarry::model_http
