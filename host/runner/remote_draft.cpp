#include "runner/remote_draft.h"

#include "runner/remote_exchange_table.h"
#include "runner/sink_receiver.h"

#include <cstring>
#include <vector>

namespace quarry::runner {
namespace {

/// Passes the output of a request in a runner to the host's sink.
template <class CSink>
class DraftReceiver : public Receiver {
 public:
  explicit DraftReceiver(const CSink& sink) : sink_(sink) {}

  std::optional<quarry_status> take(Kind kind, PacketReader& packet, std::string&) override {
    switch (kind) {
      case Kind::kUsage:
        return take_usage(sink_, packet);
      case Kind::kDone:
        sink_.finish(&sink_);
        return QUARRY_OK;
      case Kind::kModelError:
        return take_model_error(sink_, packet);
      default:
        return take_item(kind, packet);
    }
  }
  /// Ends the request because of the runner, unless it has ended.
  void fail(const Error& error) { fail_sink(sink_, error); }

 protected:
  const CSink& sink_;

 private:
  virtual std::optional<quarry_status> take_item(Kind kind, PacketReader& packet) = 0;
};

class EmbeddingReceiver final : public DraftReceiver<quarry_embedding_sink> {
 public:
  using DraftReceiver::DraftReceiver;

 private:
  /// Copied, since the bytes of a frame are not aligned.
  std::optional<quarry_status> take_item(Kind kind, PacketReader& packet) override {
    if (kind != Kind::kVector) return std::nullopt;
    const auto index = packet.get<std::uint32_t>();
    const auto dimension = packet.get<std::uint32_t>();
    const auto bytes = packet.rest();
    if (bytes.empty()) return refused(index, dimension);
    if (bytes.size() != dimension * sizeof(float)) return std::nullopt;
    values_.resize(dimension);
    std::memcpy(values_.data(), bytes.data(), bytes.size());
    return sink_.vector(&sink_, index, values_.data(), dimension);
  }

  /// The host's sink refuses it, and names the plugin and the number of values.
  quarry_status refused(std::uint32_t index, std::uint32_t dimension) {
    const float none = 0;
    const bool too_long = dimension > QUARRY_LIMIT_DIMENSION;
    return sink_.vector(&sink_, index, too_long ? &none : nullptr, dimension);
  }

  std::vector<float> values_;
};

class RerankReceiver final : public DraftReceiver<quarry_rerank_sink> {
 public:
  using DraftReceiver::DraftReceiver;

 private:
  std::optional<quarry_status> take_item(Kind kind, PacketReader& packet) override {
    if (kind != Kind::kScore) return std::nullopt;
    const auto index = packet.get<std::uint32_t>();
    return sink_.score(&sink_, index, packet.get<double>());
  }
};

template <class Table, class CSink, class SinkReceiver>
constexpr Table remote_table() {
  using Exchange = RemoteExchangeTable<CSink, SinkReceiver>;
  return {.struct_size = sizeof(Table),
          .describe = RemoteInstance::describe,
          .begin = Exchange::begin,
          .request = Exchange::request,
          .head = Exchange::head,
          .data = Exchange::data,
          .end = Exchange::end,
          .destroy_exchange = Exchange::destroy_exchange};
}

}  // namespace

const quarry_embedding_v1 kRemoteEmbedding =
    remote_table<quarry_embedding_v1, quarry_embedding_sink, EmbeddingReceiver>();
const quarry_rerank_v1 kRemoteRerank =
    remote_table<quarry_rerank_v1, quarry_rerank_sink, RerankReceiver>();

}  // namespace quarry::runner
