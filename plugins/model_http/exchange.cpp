#include "model_http/exchange.h"

namespace quarry::model_http {
namespace {

/// A server that does not know the path, or does not stream, may answer 200 and a page.
bool is_page(const std::vector<HttpHeader>& headers) {
  const std::string_view type = header(headers, "content-type");
  return type.starts_with("application/json") || type.starts_with("text/html");
}

}  // namespace

Exchange::Exchange(HttpRequest request, Framing framing, std::unique_ptr<Decoder> decoder)
    : request_(std::move(request)), decoder_(std::move(decoder)) {
  if (framing == Framing::kLines) reader_.emplace<LineReader>();
}

void Exchange::head(int status, const std::vector<HttpHeader>& headers, ModelSink&) {
  const bool events = std::holds_alternative<EventReader>(reader_);
  if (status >= 400 || (events && is_page(headers))) failure_.emplace(status, headers);
}

void Exchange::data(std::string_view bytes, ModelSink& sink) {
  if (failure_) return failure_->add(bytes);
  Output output(sink, ended_);
  if (!feed(bytes, output)) {
    output.error(QUARRY_RESOURCE_EXHAUSTED, "one message of the response is larger than 16 MiB");
  }
}

bool Exchange::feed(std::string_view bytes, Output& output) {
  if (auto* events = std::get_if<EventReader>(&reader_)) {
    return events->feed(bytes, [&](std::string_view name, std::string_view data) {
      decoder_->message(name, data, output);
    });
  }
  return std::get<LineReader>(reader_).feed(bytes, [&](std::string_view line) {
    if (!line.empty()) decoder_->message({}, line, output);
  });
}

void Exchange::end(quarry_end reason, ModelSink& sink) {
  Output output(sink, ended_);
  if (failure_) return failure_->tell(output);
  if (reason == QUARRY_END_COMPLETE && !output.ended()) {
    if (auto* events = std::get_if<EventReader>(&reader_)) {
      events->finish([&](std::string_view name, std::string_view data) {
        decoder_->message(name, data, output);
      });
    } else if (const auto rest = std::get<LineReader>(reader_).rest(); !rest.empty()) {
      decoder_->message({}, rest, output);
    }
    decoder_->over(output);
  }
  output.error(QUARRY_UNAVAILABLE, reason == QUARRY_END_CUT
                                       ? "the connection broke before the answer was whole"
                                       : "the answer ended before it was whole");
}

}  // namespace quarry::model_http
