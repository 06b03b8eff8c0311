/// The part of the test kit (<quarry/testing.hpp>) for model providers: a recorded step, and an
/// exchange with a response of the test, cut anywhere:
///
///   const auto step = quarry::testing::exchange_cut_everywhere(model, chat_request, body);
///   EXPECT_EQ(step.text, "Hello");
#ifndef QUARRY_TESTING_MODEL_HPP
#define QUARRY_TESTING_MODEL_HPP

#include <quarry/model.h>
#include <quarry/testing_host.hpp>
#include <quarry/testing_http.hpp>

namespace quarry::testing {

/// Records the output of a step: deltas joined, ends counted.
class Sink {
 public:
  struct ToolCall {
    std::string id;
    std::string name;
    std::string arguments;
    bool operator==(const ToolCall&) const = default;
  };
  /// The members of an error besides its message.
  struct Refusal {
    quarry_status status = QUARRY_OK;
    std::int32_t http_status = 0;
    std::int64_t retry_after_ms = -1;
    bool operator==(const Refusal&) const = default;
  };
  /// The output of a step, independent of how the body was cut.
  struct Step {
    std::string text;
    std::string reasoning;
    std::map<std::uint32_t, ToolCall> calls;
    std::vector<std::string> kept;
    std::int64_t input_tokens = -1;
    std::int64_t output_tokens = -1;
    std::int64_t reasoning_tokens = -1;
    std::int64_t cache_read_tokens = -1;
    std::int64_t cache_write_tokens = -1;
    std::vector<quarry_finish> finishes;
    std::vector<std::string> errors;  ///< the messages
    std::vector<Refusal> refusals;    ///< the rest of each error
    bool operator==(const Step&) const = default;
  };

  Sink()
      : sink_{sizeof sink_, this,      add_text,   add_reasoning, add_call,
              set_usage,    keep_json, add_finish, add_error} {}
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  [[nodiscard]] const quarry_model_sink* get() const { return &sink_; }

  Step step;
  bool wanted = true;  ///< false: the sink returns QUARRY_CANCELLED

 private:
  static Sink& of(const quarry_model_sink* self) { return *static_cast<Sink*>(self->context); }
  [[nodiscard]] quarry_status more() const { return wanted ? QUARRY_OK : QUARRY_CANCELLED; }
  static quarry_status add_text(const quarry_model_sink* self, quarry_text delta) {
    of(self).step.text += as_view(delta);
    return of(self).more();
  }
  static quarry_status add_reasoning(const quarry_model_sink* self, quarry_text delta) {
    of(self).step.reasoning += as_view(delta);
    return of(self).more();
  }
  static quarry_status add_call(const quarry_model_sink* self, std::uint32_t index, quarry_text id,
                                quarry_text name, quarry_text arguments) {
    auto& call = of(self).step.calls[index];
    if (id.size != 0) call.id = as_view(id);
    if (name.size != 0) call.name = as_view(name);
    call.arguments += as_view(arguments);
    return of(self).more();
  }
  static quarry_status set_usage(const quarry_model_sink* self, const quarry_usage* usage) {
    Step& step = of(self).step;
    step.input_tokens = usage->input_tokens;
    step.output_tokens = usage->output_tokens;
    step.reasoning_tokens = usage->reasoning_tokens;
    step.cache_read_tokens = usage->cache_read_tokens;
    step.cache_write_tokens = usage->cache_write_tokens;
    return of(self).more();
  }
  static quarry_status keep_json(const quarry_model_sink* self, quarry_text json) {
    of(self).step.kept.emplace_back(as_view(json));
    return of(self).more();
  }
  static void add_finish(const quarry_model_sink* self, quarry_finish reason) {
    of(self).step.finishes.push_back(reason);
  }
  static void add_error(const quarry_model_sink* self, const quarry_model_error* error) {
    of(self).step.errors.emplace_back(as_view(error->message));
    of(self).step.refusals.push_back({error->status, error->http_status, error->retry_after_ms});
  }

  quarry_model_sink sink_;
};
/// A response as the host passes it to an exchange.
struct Response {
  std::int32_t status = 200;
  std::vector<HttpHeader> headers = {};  ///< `secret` is ignored
  std::vector<std::string_view> pieces = {};
  quarry_end end = QUARRY_END_COMPLETE;
};

/// An exchange begun with a chat request, and destroyed with this object. The test fails when it
/// cannot begin.
class StartedExchange {
 public:
  StartedExchange(const Component<quarry_model_v1>& model, std::string_view chat_request)
      : model_(model) {
    const FakeCall call;
    Reply reply;
    model_->begin(model_.instance(), call.get(), as_text(chat_request), &exchange_, reply.get());
    reply.value();
  }
  ~StartedExchange() {
    if (exchange_ != nullptr) model_->destroy_exchange(exchange_);
  }
  StartedExchange(const StartedExchange&) = delete;
  StartedExchange& operator=(const StartedExchange&) = delete;

  /// The request that the host is to send.
  HttpRequest request() {
    const quarry_http_request* asked = exchange_ == nullptr ? nullptr : model_->request(exchange_);
    if (asked == nullptr) {
      ADD_FAILURE() << "the exchange has no request";
      return {};
    }
    return request_of(*asked);
  }

  /// Passes a response to the exchange and returns the step. Once, after request().
  Sink::Step respond(const Response& response) {
    Sink sink;
    if (exchange_ == nullptr) return sink.step;
    const HttpRequest said{{}, {}, response.headers, {}};
    const quarry::detail::HttpRequestView view(said);
    model_->head(exchange_, response.status, view.get()->header_count, view.get()->headers,
                 sink.get());
    for (const auto piece : response.pieces) model_->data(exchange_, as_text(piece), sink.get());
    model_->end(exchange_, response.end, sink.get());
    return sink.step;
  }

 private:
  const Component<quarry_model_v1>& model_;
  quarry_exchange* exchange_ = nullptr;
};

/// The step that an exchange makes of `response`.
inline Sink::Step exchange(const Component<quarry_model_v1>& model, std::string_view chat_request,
                           const Response& response) {
  StartedExchange started(model, chat_request);
  started.request();
  return started.respond(response);
}

/// The same for a response of status 200 whose body arrives in these pieces.
inline Sink::Step exchange(const Component<quarry_model_v1>& model, std::string_view chat_request,
                           const std::vector<std::string_view>& pieces) {
  return exchange(model, chat_request, Response{.pieces = pieces});
}

/// `body` in pieces: the first of `first` bytes, the others of `size`.
inline std::vector<std::string_view> cut_body(std::string_view body, std::size_t first,
                                              std::size_t size) {
  std::vector<std::string_view> pieces{body.substr(0, first)};
  for (std::size_t at = first; at < body.size(); at += size)
    pieces.push_back(body.substr(at, size));
  return pieces;
}

/// Feeds `body` cut at every offset, one in 256 at a time, and byte by byte: each time the step
/// must be the same as uncut, with one end. Returns the uncut step.
inline Sink::Step exchange_cut_everywhere(const Component<quarry_model_v1>& model,
                                          std::string_view chat_request, std::string_view body) {
  const auto whole = exchange(model, chat_request, {body});
  EXPECT_EQ(whole.finishes.size() + whole.errors.size(), 1u) << "a step has exactly one end";
  constexpr std::size_t kPiece = 256;  // of a body that is longer; two pieces cost its square
  for (std::size_t first = 1; first <= kPiece && first < body.size(); ++first) {
    const auto step = exchange(model, chat_request, cut_body(body, first, kPiece));
    EXPECT_TRUE(step == whole) << "cut at byte " << first << " of " << body.size() << " and every "
                               << kPiece << " after it, the text is \"" << step.text << "\"";
  }
  EXPECT_TRUE(exchange(model, chat_request, cut_body(body, 1, 1)) == whole) << "byte by byte";
  return whole;
}

}  // namespace quarry::testing

#endif
