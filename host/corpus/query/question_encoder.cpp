#include "corpus/query/question_encoder.h"

#include <array>
#include <utility>

namespace quarry::corpus {

Result<std::shared_ptr<QuestionEncoder::Awaited>> QuestionEncoder::begin(
    const std::string& identity, std::string_view question) {
  std::shared_ptr<Encoder> encoder = encoding_->encoder();
  if (!encoder) return Error{Code::kUnavailable, "no encoder is configured any more"};
  if (encoder->identity() != identity) {
    return Error{Code::kUnavailable, "the encoder has just changed"};
  }
  return calls_.begin(
      identity + '\0' + std::string(question),
      [encoder = std::move(encoder), text = std::string(question)](std::stop_token stop) {
        const std::array<std::string_view, 1> texts = {text};
        return encoder->encode(texts, TextKind::kQuery, std::move(stop));
      });
}

}  // namespace quarry::corpus
