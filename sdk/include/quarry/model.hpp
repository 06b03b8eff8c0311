/// quarry.model/1 for C++: a class is a model provider of the form whose functions it has.
#ifndef QUARRY_MODEL_HPP
#define QUARRY_MODEL_HPP

#include <quarry/http.hpp>
#include <quarry/model.h>

#include <concepts>
#include <memory>
#include <utility>

namespace quarry {
namespace detail {

template <class T>
using BegunBy = Outcome<std::unique_ptr<typename T::Exchange>>;
template <class T>
concept Begins = requires(T& model, std::string_view request) {
  { model.begin(request) } -> std::convertible_to<BegunBy<T>>;
};
template <class T>
concept BeginsWithCall = requires(T& model, const Call& call, std::string_view request) {
  { model.begin(call, request) } -> std::convertible_to<BegunBy<T>>;
};

}  // namespace detail

/// Receives the output of a step. Each function returns true while more is wanted.
class ModelSink {
 public:
  explicit ModelSink(const quarry_model_sink* sink) : sink_(sink) {}
  bool text(std::string_view delta) { return sink_->text(sink_, as_text(delta)) == QUARRY_OK; }
  bool reasoning(std::string_view delta) {
    return sink_->reasoning(sink_, as_text(delta)) == QUARRY_OK;
  }
  bool tool_call(std::uint32_t index, std::string_view id, std::string_view name,
                 std::string_view arguments) {
    return sink_->tool_call(sink_, index, as_text(id), as_text(name), as_text(arguments)) ==
           QUARRY_OK;
  }
  bool usage(quarry_usage usage) {
    usage.struct_size = sizeof usage;
    return sink_->usage(sink_, &usage) == QUARRY_OK;
  }
  bool keep(std::string_view json) { return sink_->keep(sink_, as_text(json)) == QUARRY_OK; }
  void finish(quarry_finish reason) { sink_->finish(sink_, reason); }
  void error(quarry_status status, std::string_view message, std::int32_t http_status = 0,
             std::int64_t retry_after_ms = -1) {
    const quarry_model_error told{sizeof told, status, http_status, retry_after_ms,
                                  as_text(message)};
    sink_->error(sink_, &told);
  }

 private:
  const quarry_model_sink* sink_;
};

/// <quarry/model.h> documents each function; `models(call)` is optional, and describe may take the
/// call.
template <class T>
concept GeneratingModelClass = requires(T& model, const Call& call, std::string_view request,
                                        ModelSink& sink) {
  requires detail::Describes<T>;
  model.generate(call, request, sink);
};

/// `T::Exchange` has request() -> HttpRequest, head(status, headers, sink), data(bytes, sink) and
/// end(reason, sink). begin may take the call first.
template <class T>
concept ExchangingModelClass = requires(T& model, typename T::Exchange& exchange,
                                        std::string_view text, ModelSink& sink,
                                        const std::vector<HttpHeader>& headers) {
  requires detail::Describes<T>;
  requires detail::Begins<T> || detail::BeginsWithCall<T>;
  { exchange.request() } -> std::convertible_to<HttpRequest>;
  exchange.head(200, headers, sink);
  exchange.data(text, sink);
  exchange.end(QUARRY_END_COMPLETE, sink);
};

namespace detail {

/// Runs `body`; an exception ends the step as an error of the provider.
template <class Body>
void into_sink([[maybe_unused]] ModelSink& sink, const Body& body) noexcept {
#if defined(__cpp_exceptions)
  try {
    body();
  } catch (const std::exception& error) {
    sink.error(QUARRY_INTERNAL, error.what());
  } catch (...) {
    sink.error(QUARRY_INTERNAL, "the plugin threw something that is no exception");
  }
#else
  body();
#endif
}

/// An exchange with its latest request in C form.
template <class Exchange>
struct RunningExchange {
  std::unique_ptr<Exchange> exchange;
  HttpRequest request;
  HttpRequestView view;

  void renew() {
    request = exchange->request();
    view.show(request);
  }
};

template <class T>
concept HasModels = requires {
  &T::models;
};
template <class T>
concept ListsModels = requires(T& model, const Call& call) {
  { model.models(call) } -> std::convertible_to<Outcome<std::string>>;
};

template <class T>
struct ModelTable {
  static_assert(ListsModels<T> || !HasModels<T>,
                "models must take (const quarry::Call&) and return JSON text");
  static void models(void* instance, const quarry_call* call, const quarry_reply* reply) noexcept {
    reply_with(reply,
               [&]() -> Outcome<std::string> { return self<T>(instance).models(Call(call)); });
  }
  static constexpr auto list() {
    if constexpr (ListsModels<T>)
      return models;
    else
      return nullptr;
  }
};

template <class T>
struct GeneratingTable {
  static void generate(void* instance, const quarry_call* call, quarry_text chat_request,
                       const quarry_model_sink* sink) noexcept {
    ModelSink events(sink);
    into_sink(events,
              [&] { self<T>(instance).generate(Call(call), as_view(chat_request), events); });
  }

  static constexpr quarry_model_v1 kTable{sizeof(quarry_model_v1),
                                          describe<T>,
                                          generate,
                                          nullptr,
                                          nullptr,
                                          nullptr,
                                          nullptr,
                                          nullptr,
                                          nullptr,
                                          ModelTable<T>::list()};
};

template <class T>
struct ExchangingTable {
  using Running = RunningExchange<typename T::Exchange>;

  static Running& running(quarry_exchange* exchange) {
    return *reinterpret_cast<Running*>(exchange);
  }
  static Outcome<std::unique_ptr<typename T::Exchange>> make(
      T& model, [[maybe_unused]] const quarry_call* call, std::string_view chat_request) {
    if constexpr (BeginsWithCall<T>) {
      return model.begin(Call(call), chat_request);
    } else {
      return model.begin(chat_request);
    }
  }
  static void begin(void* instance, const quarry_call* call, quarry_text chat_request,
                    quarry_exchange** exchange, const quarry_reply* reply) noexcept {
    *exchange = nullptr;
    reply_with(reply, [&]() -> Outcome<std::string> {
      auto made = make(self<T>(instance), call, as_view(chat_request));
      if (!made) return made.failure();
      auto running = std::make_unique<Running>();
      running->exchange = std::move(*made);
      *exchange = reinterpret_cast<quarry_exchange*>(running.release());
      return std::string("{}");
    });
  }
  /// Null, which the host treats as a failure, when the plugin threw.
  static const quarry_http_request* request(quarry_exchange* exchange) noexcept {
#if defined(__cpp_exceptions)
    try {
      running(exchange).renew();
    } catch (...) {
      return nullptr;
    }
#else
    running(exchange).renew();
#endif
    return running(exchange).view.get();
  }
  static void head(quarry_exchange* exchange, std::int32_t status, std::uint32_t count,
                   const quarry_header* const* headers, const quarry_model_sink* sink) noexcept {
    ModelSink events(sink);
    into_sink(events, [&] {
      std::exchange(running(exchange).request, {});  // has been sent; {} alone keeps its memory
      running(exchange).exchange->head(status, headers_of(count, headers), events);
    });
  }
  static void data(quarry_exchange* exchange, quarry_text bytes,
                   const quarry_model_sink* sink) noexcept {
    ModelSink events(sink);
    into_sink(events, [&] { running(exchange).exchange->data(as_view(bytes), events); });
  }
  static void end(quarry_exchange* exchange, quarry_end reason,
                  const quarry_model_sink* sink) noexcept {
    ModelSink events(sink);
    into_sink(events, [&] { running(exchange).exchange->end(reason, events); });
  }
  static void destroy_exchange(quarry_exchange* exchange) noexcept {
    delete reinterpret_cast<Running*>(exchange);
  }

  static constexpr quarry_model_v1 kTable{
      sizeof(quarry_model_v1), describe<T>,          nullptr, begin, request, head, data, end,
      destroy_exchange,        ModelTable<T>::list()};
};

}  // namespace detail

/// The component `name` of kind model, in the form that T implements.
template <class T>
constexpr quarry_component model(const char* name, std::uint32_t flags = 0) {
  static_assert(GeneratingModelClass<T> || ExchangingModelClass<T>,
                "a model class needs describe() and either generate(call, request, sink) or "
                "begin(request) with a nested Exchange of request(), head(), data() and end()");
  if constexpr (GeneratingModelClass<T>) {
    return detail::component<T>(QUARRY_MODEL, name, &detail::GeneratingTable<T>::kTable, flags);
  } else {
    return detail::component<T>(QUARRY_MODEL, name, &detail::ExchangingTable<T>::kTable, flags);
  }
}

}  // namespace quarry

#endif
