// The draft kinds of the exchange form in the runner.

#include "runner/child_exchange.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>

namespace quarry::runner {
namespace {

/// Sink passed to the plugin: sends the output to the host. Valid for one call.
template <class CSink>
class DraftSink {
 public:
  explicit DraftSink(ChildCall& call) {
    table_.struct_size = sizeof table_;
    table_.context = &call;
    table_.usage = [](const CSink* self, const quarry_usage* usage) {
      return stream_usage(of(self), usage);
    };
    table_.finish = [](const CSink* self) {
      stream_frame(of(self), Kind::kDone, 0, [](PacketWriter&) {});
    };
    table_.error = [](const CSink* self, const quarry_model_error* error) {
      stream_error(of(self), error);
    };
  }
  DraftSink(const DraftSink&) = delete;
  DraftSink& operator=(const DraftSink&) = delete;
  [[nodiscard]] const CSink* get() const { return &table_; }

 protected:
  static ChildCall& of(const CSink* self) { return *static_cast<ChildCall*>(self->context); }
  CSink table_{};
};

class ChildEmbeddingSink final : public DraftSink<quarry_embedding_sink> {
 public:
  explicit ChildEmbeddingSink(ChildCall& call) : DraftSink(call) {
    table_.vector = [](const quarry_embedding_sink* self, std::uint32_t index, const float* values,
                       std::uint32_t dimension) {
      // The host refuses an empty vector, and one that is too long.
      const bool none = values == nullptr || dimension > QUARRY_LIMIT_DIMENSION;
      const std::string_view bytes(reinterpret_cast<const char*>(values),
                                   none ? 0 : dimension * sizeof(float));
      return stream_frame(of(self), Kind::kVector, 8 + bytes.size(), [&](PacketWriter& packet) {
        packet.put(index).put(dimension).raw(bytes);
      });
    };
  }
};

class ChildRerankSink final : public DraftSink<quarry_rerank_sink> {
 public:
  explicit ChildRerankSink(ChildCall& call) : DraftSink(call) {
    table_.score = [](const quarry_rerank_sink* self, std::uint32_t index, double score) {
      return stream_frame(of(self), Kind::kScore, 12,
                          [&](PacketWriter& packet) { packet.put(index).put(score); });
    };
  }
};

template <class Table, class Sink>
bool call_provider(const ChildFunction& asked) {
  if (asked.function != Function::kDescribe) return call_exchange<Table, Sink>(asked);
  static_cast<const Table*>(asked.component.table)
      ->describe(asked.instance, asked.call.get(), asked.reply);
  return true;
}

}  // namespace

bool call_embedding(const ChildFunction& asked) {
  return call_provider<quarry_embedding_v1, ChildEmbeddingSink>(asked);
}

bool call_rerank(const ChildFunction& asked) {
  return call_provider<quarry_rerank_v1, ChildRerankSink>(asked);
}

}  // namespace quarry::runner
