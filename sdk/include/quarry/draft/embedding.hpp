/// quarry.embedding.draft/1 for C++: a class with describe() and begin() is a provider.
#ifndef QUARRY_EMBEDDING_HPP
#define QUARRY_EMBEDDING_HPP

#include <quarry/draft/embedding.h>
#include <quarry/draft/exchange.hpp>

namespace quarry {

/// Receives the vectors of a request (quarry_embedding_sink).
class EmbeddingSink : public ExchangeSink<quarry_embedding_sink> {
 public:
  using ExchangeSink::ExchangeSink;
  /// The vector of text number `index`; false when no more is wanted.
  bool vector(std::uint32_t index, const std::vector<float>& values) {
    return sink_->vector(sink_, index, values.data(), static_cast<std::uint32_t>(values.size())) ==
           QUARRY_OK;
  }
};

/// The component `name` of kind embedding.
template <class T>
constexpr quarry_component embedding(const char* name, std::uint32_t flags = 0) {
  static_assert(ExchangingClass<T, EmbeddingSink>,
                "an embedding class needs describe() and begin(request) with a nested Exchange of "
                "request(), head(), data() and end(), which take an EmbeddingSink");
  using Table = detail::DraftExchange<T, quarry_embedding_v1, quarry_embedding_sink, EmbeddingSink>;
  return detail::component<T>(QUARRY_EMBEDDING, name, &Table::kTable, flags);
}

}  // namespace quarry

#endif
