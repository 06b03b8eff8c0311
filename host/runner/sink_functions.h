#pragma once

#include "runner/child_call.h"
#include "runner/fields.h"
#include "runner/protocol.h"
#include "runner/request.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/model.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace quarry::runner {

/// Streams one frame of a sink, unless it is too large.
template <class Fill>
quarry_status stream_frame(ChildCall& call, Kind kind, std::size_t size, Fill fill) {
  if (size > kMaxPayload) return QUARRY_RESOURCE_EXHAUSTED;
  return call.stream(kind, size, fill);
}

/// Streams the arguments of a function as one frame.
template <class... Arguments>
quarry_status stream_fields(ChildCall& call, Kind kind, Arguments... arguments) {
  return stream_frame(
      call, kind, (Codec<Arguments>::size(arguments) + ... + 0),
      [&](PacketWriter& packet) { (Codec<Arguments>::write(packet, arguments), ...); });
}

/// A function of a sink as frames of `kKind`. The context of a sink in the runner is the ChildCall
/// that it belongs to.
template <Kind kKind, auto kMember>
struct SinkFunction;

template <Kind kKind, class Sink, class Returned, class... Arguments,
          Returned (*Sink::*kMember)(const Sink*, Arguments...)>
struct SinkFunction<kKind, kMember> {
  static constexpr Kind kind = kKind;

  /// What the plugin calls.
  static Returned send(const Sink* self, Arguments... arguments) {
    const auto status = stream_fields(*static_cast<ChildCall*>(self->context), kKind, arguments...);
    if constexpr (!std::is_void_v<Returned>) return status;
  }
  static void add_to(Sink& sink) { sink.*kMember = send; }
  /// Calls the host's function with what was sent.
  static std::optional<quarry_status> take(const Sink& sink, PacketReader& packet) {
    const std::tuple<decltype(Codec<Arguments>::read(packet))...> arguments{
        Codec<Arguments>::read(packet)...};
    return std::apply(
        [&](const auto&... each) -> quarry_status {
          if constexpr (std::is_void_v<Returned>) {
            (sink.*kMember)(&sink, each...);
            return QUARRY_OK;
          } else {
            return (sink.*kMember)(&sink, each...);
          }
        },
        arguments);
  }
};

/// The same for text whose pieces may be joined on their way.
template <Kind kKind,
          quarry_status (*quarry_model_sink::*kMember)(const quarry_model_sink*, quarry_text)>
struct DeltaFunction : SinkFunction<kKind, kMember> {
  static quarry_status send(const quarry_model_sink* self, quarry_text delta) {
    if (Codec<quarry_text>::size(delta) > kMaxPayload) return QUARRY_RESOURCE_EXHAUSTED;
    return static_cast<ChildCall*>(self->context)->stream_text(kKind, as_view(delta));
  }
  static void add_to(quarry_model_sink& sink) { sink.*kMember = send; }
};

/// An array of values, which is not aligned in a packet.
struct VectorFunction {
  static constexpr Kind kind = Kind::kVector;

  /// The host refuses an empty vector, and one that is too long.
  static quarry_status send(const quarry_embedding_sink* self, std::uint32_t index,
                            const float* values, std::uint32_t dimension) {
    const bool none = values == nullptr || dimension > QUARRY_LIMIT_DIMENSION;
    const std::string_view bytes(reinterpret_cast<const char*>(values),
                                 none ? 0 : dimension * sizeof(float));
    return stream_frame(*static_cast<ChildCall*>(self->context), kind, 8 + bytes.size(),
                        [&](PacketWriter& packet) { packet.put(index).put(dimension).raw(bytes); });
  }
  static void add_to(quarry_embedding_sink& sink) { sink.vector = send; }
  static std::optional<quarry_status> take(const quarry_embedding_sink& sink,
                                           PacketReader& packet) {
    const auto index = packet.get<std::uint32_t>();
    const auto dimension = packet.get<std::uint32_t>();
    const auto bytes = packet.rest();
    if (bytes.empty()) return refused(sink, index, dimension);
    if (bytes.size() != dimension * sizeof(float)) return std::nullopt;
    std::vector<float> values(dimension);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return sink.vector(&sink, index, values.data(), dimension);
  }

 private:
  /// The host's sink refuses it, and names the plugin and the number of values.
  static quarry_status refused(const quarry_embedding_sink& sink, std::uint32_t index,
                               std::uint32_t dimension) {
    const float none = 0;
    const bool too_long = dimension > QUARRY_LIMIT_DIMENSION;
    return sink.vector(&sink, index, too_long ? &none : nullptr, dimension);
  }
};

/// All functions of a sink, on both sides of the socket.
template <class CSink, class... Functions>
struct SinkFunctions {
  using Sink = CSink;

  /// The plugin's sink; `call` must outlive it.
  static Sink sending(ChildCall& call) {
    Sink out{};
    out.struct_size = sizeof out;
    out.context = &call;
    (Functions::add_to(out), ...);
    return out;
  }
  /// Calls a function of the host's sink; empty if none has the frame.
  static std::optional<quarry_status> take(const Sink& sink, Kind kind, PacketReader& packet) {
    std::optional<quarry_status> out;
    const auto take_one = [&](auto function) {
      if (decltype(function)::kind != kind) return false;
      out = decltype(function)::take(sink, packet);
      return true;
    };
    static_cast<void>((take_one(Functions()) || ...));
    return out;
  }
};

using ModelSink =
    SinkFunctions<quarry_model_sink, DeltaFunction<Kind::kText, &quarry_model_sink::text>,
                  DeltaFunction<Kind::kReasoning, &quarry_model_sink::reasoning>,
                  SinkFunction<Kind::kToolCall, &quarry_model_sink::tool_call>,
                  SinkFunction<Kind::kUsage, &quarry_model_sink::usage>,
                  SinkFunction<Kind::kKeep, &quarry_model_sink::keep>,
                  SinkFunction<Kind::kFinish, &quarry_model_sink::finish>,
                  SinkFunction<Kind::kModelError, &quarry_model_sink::error>>;
using EmbeddingSink = SinkFunctions<quarry_embedding_sink, VectorFunction,
                                    SinkFunction<Kind::kUsage, &quarry_embedding_sink::usage>,
                                    SinkFunction<Kind::kDone, &quarry_embedding_sink::finish>,
                                    SinkFunction<Kind::kModelError, &quarry_embedding_sink::error>>;
using RerankSink =
    SinkFunctions<quarry_rerank_sink, SinkFunction<Kind::kScore, &quarry_rerank_sink::score>,
                  SinkFunction<Kind::kUsage, &quarry_rerank_sink::usage>,
                  SinkFunction<Kind::kDone, &quarry_rerank_sink::finish>,
                  SinkFunction<Kind::kModelError, &quarry_rerank_sink::error>>;

/// Passes the output of a provider in a runner to the host's sink, which must outlive it.
template <class Functions>
class SinkReceiver final : public Receiver {
 public:
  explicit SinkReceiver(const typename Functions::Sink& sink) : sink_(sink) {}

  std::optional<quarry_status> take(Kind kind, PacketReader& packet, std::string&) override {
    has_taken_ = true;
    return Functions::take(sink_, kind, packet);
  }
  bool restart() override { return !has_taken_; }
  /// Ends the request because of the runner, unless it has ended. `again`: it may be made again at
  /// once.
  void fail(const Error& error, bool again = false) {
    const quarry_model_error failed{.struct_size = sizeof failed,
                                    .status = static_cast<quarry_status>(error.code),
                                    .http_status = 0,
                                    .retry_after_ms = again ? 0 : -1,
                                    .message = as_text(error.message)};
    sink_.error(&sink_, &failed);
  }

 private:
  const typename Functions::Sink& sink_;
  bool has_taken_ = false;
};

}  // namespace quarry::runner
