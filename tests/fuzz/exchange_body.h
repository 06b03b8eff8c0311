#pragma once

#include "model_http/body_exchange.h"

#include <quarry/draft/testing.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace quarry::fuzz {

/// The output of a response whose body arrives in pieces of this size.
template <class Sink, class CSink>
testing::ExchangeOutput output_of(bool (*read)(std::string_view, Sink&), std::string_view body,
                                  std::size_t piece) {
  testing::ExchangeRecorder<CSink> recorder;
  Sink sink(recorder.get());
  model_http::BodyExchange<Sink> exchange({}, "a list", read);
  exchange.head(200, {}, sink);
  while (!body.empty()) {
    exchange.data(body.substr(0, piece), sink);
    body.remove_prefix(piece < body.size() ? piece : body.size());
  }
  exchange.end(QUARRY_END_COMPLETE, sink);
  return recorder.output();
}

/// For any response, the output has one end and does not depend on how the bytes are cut, which the
/// first byte of the input selects.
template <class Sink, class CSink>
void check_body(bool (*read)(std::string_view, Sink&), const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = output_of<Sink, CSink>(read, body, body.size() + 1);
  const auto cut = output_of<Sink, CSink>(read, body, data[0] % 32U + 1U);
  if (whole.finishes + static_cast<int>(whole.errors.size()) != 1) std::abort();
  // Not compared as a whole: a vector in Base64 may have a NaN, which differs from itself.
  if (cut.finishes != whole.finishes || cut.errors != whole.errors ||
      cut.vectors.size() != whole.vectors.size() || cut.scores.size() != whole.scores.size()) {
    std::abort();
  }
}

}  // namespace quarry::fuzz
