/// quarry.rerank.draft/1 for C++: a class with describe() and begin() is a provider.
#ifndef QUARRY_RERANK_HPP
#define QUARRY_RERANK_HPP

#include <quarry/draft/exchange.hpp>
#include <quarry/draft/rerank.h>

namespace quarry {

/// Receives the scores of a request (quarry_rerank_sink).
class RerankSink : public ExchangeSink<quarry_rerank_sink> {
 public:
  using ExchangeSink::ExchangeSink;
  /// The score of document number `index`; false when no more is wanted.
  bool score(std::uint32_t index, double score) {
    return sink_->score(sink_, index, score) == QUARRY_OK;
  }
};

/// The component `name` of kind rerank.
template <class T>
constexpr quarry_component rerank(const char* name, std::uint32_t flags = 0) {
  static_assert(ExchangingClass<T, RerankSink>,
                "a rerank class needs describe() and begin(request) with a nested Exchange of "
                "request(), head(), data() and end(), which take a RerankSink");
  using Table = detail::DraftExchange<T, quarry_rerank_v1, quarry_rerank_sink, RerankSink>;
  return detail::component<T>(QUARRY_RERANK, name, &Table::kTable, flags);
}

}  // namespace quarry

#endif
