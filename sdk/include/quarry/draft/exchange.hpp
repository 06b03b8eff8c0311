/// The exchange form in C++, for the draft kinds that have it: <quarry/draft/embedding.hpp> and
/// <quarry/draft/rerank.hpp>.
#ifndef QUARRY_DRAFT_EXCHANGE_HPP
#define QUARRY_DRAFT_EXCHANGE_HPP

#include <quarry/model.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quarry {

/// The functions common to the sinks of the draft kinds; `Table` is the C sink.
template <class Table>
class ExchangeSink {
 public:
  explicit ExchangeSink(const Table* sink) : sink_(sink) {}
  /// False when no more is wanted.
  bool usage(std::int64_t input_tokens) {
    const quarry_usage usage{sizeof usage, 0, input_tokens, -1, -1, -1, -1};
    return sink_->usage(sink_, &usage) == QUARRY_OK;
  }
  void finish() { sink_->finish(sink_); }
  /// `http_status` 0 = none, `retry_after_ms` -1 = unknown.
  void error(quarry_status status, std::string_view message, std::int32_t http_status = 0,
             std::int64_t retry_after_ms = -1) {
    const quarry_model_error told{sizeof told, status, http_status, retry_after_ms,
                                  as_text(message)};
    sink_->error(sink_, &told);
  }

 protected:
  const Table* sink_;
};

/// A class whose `Exchange` has request() -> HttpRequest, head(status, headers, sink),
/// data(bytes, sink) and end(reason, sink). begin may take the call first.
template <class T, class Sink>
concept ExchangingClass = requires(T& provider, typename T::Exchange& exchange,
                                   std::string_view text, Sink& sink,
                                   const std::vector<HttpHeader>& headers) {
  requires detail::Describes<T>;
  requires detail::Begins<T> || detail::BeginsWithCall<T>;
  { exchange.request() } -> std::convertible_to<HttpRequest>;
  exchange.head(200, headers, sink);
  exchange.data(text, sink);
  exchange.end(QUARRY_END_COMPLETE, sink);
};

namespace detail {

/// The C table of a kind in the exchange form: `Table`, `CSink`, and `Sink` for the class T. What
/// does not concern the sink is that of models.
template <class T, class Table, class CSink, class Sink>
struct DraftExchange {
  using Common = ExchangingTable<T>;

  /// Runs `body`; an exception ends the request as an error of the provider.
  template <class Body>
  static void into(const CSink* sink, const Body& body) noexcept {
    Sink out(sink);
#if defined(__cpp_exceptions)
    try {
      body(out);
    } catch (const std::exception& error) {
      out.error(QUARRY_INTERNAL, error.what());
    } catch (...) {
      out.error(QUARRY_INTERNAL, "the plugin threw something that is no exception");
    }
#else
    body(out);
#endif
  }

  static void head(quarry_exchange* exchange, std::int32_t status, std::uint32_t count,
                   const quarry_header* const* headers, const CSink* sink) noexcept {
    into(sink, [&](Sink& out) {
      std::exchange(Common::running(exchange).request, {});  // has been sent
      Common::running(exchange).exchange->head(status, headers_of(count, headers), out);
    });
  }
  static void data(quarry_exchange* exchange, quarry_text bytes, const CSink* sink) noexcept {
    into(sink, [&](Sink& out) { Common::running(exchange).exchange->data(as_view(bytes), out); });
  }
  static void end(quarry_exchange* exchange, quarry_end reason, const CSink* sink) noexcept {
    into(sink, [&](Sink& out) { Common::running(exchange).exchange->end(reason, out); });
  }

  static constexpr Table kTable{
      sizeof(Table), describe<T>, Common::begin, Common::request,
      head,          data,        end,           Common::destroy_exchange};
};

}  // namespace detail
}  // namespace quarry

#endif
