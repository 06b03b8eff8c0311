#pragma once

#include "model_http/exchange.h"

#include <quarry/testing.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace quarry::fuzz {

/// The step that a decoder makes of a response whose body arrives in pieces of this size.
template <class Decoder>
testing::Sink::Step step_of(model_http::Framing framing, std::string_view body, std::size_t piece,
                            const auto&... arguments) {
  testing::Sink recorder;
  ModelSink sink(recorder.get());
  model_http::Exchange exchange({}, framing, std::make_unique<Decoder>(arguments...));
  exchange.head(200, {}, sink);
  while (!body.empty()) {
    exchange.data(body.substr(0, piece), sink);
    body.remove_prefix(piece < body.size() ? piece : body.size());
  }
  exchange.end(QUARRY_END_COMPLETE, sink);
  return recorder.step;
}

/// For any response, the step has one end and does not depend on how the bytes are cut, which the
/// first byte of the input selects. `arguments` are those of the decoder. Returns the step.
template <class Decoder>
testing::Sink::Step check_stream(model_http::Framing framing, const std::uint8_t* data,
                                 std::size_t size, const auto&... arguments) {
  if (size == 0) return {};
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto whole = step_of<Decoder>(framing, body, body.size() + 1, arguments...);
  if (!(whole == step_of<Decoder>(framing, body, data[0] % 32U + 1U, arguments...))) std::abort();
  if (whole.finishes.size() + whole.errors.size() != 1) std::abort();
  return whole;
}

}  // namespace quarry::fuzz
