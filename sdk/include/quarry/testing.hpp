/// The author's test kit: the host's side of the contract as recorders, for tests with GoogleTest.
/// A test links the plugin's own sources and drives it through its entry, so it works for plugins
/// in any language:
///
///   quarry::testing::Component<quarry_resource_v1> notes{quarry_plugin_entry_v1, QUARRY_RESOURCE,
///                                                        "notes"};
///   notes->normalise(notes.instance(), call.get(), resource, reply.get());
#ifndef QUARRY_TESTING_HPP
#define QUARRY_TESTING_HPP

#include <quarry/http.hpp>
#include <quarry/log.h>
#include <quarry/model.h>
#include <quarry/resource.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

extern "C" const quarry_entry quarry_plugin_entry_v1;

namespace quarry::testing {

/// A host that offers the services a test gives it, and a log that is kept.
class FakeHost {
 public:
  FakeHost()
      : host_{sizeof host_, QUARRY_ABI_MAJOR, QUARRY_ABI_MINOR, this, as_text("0.0.0-test"), find},
        log_{sizeof log_, this, keep_line, [](const quarry_log_v1*, std::int32_t) { return 1; }} {
    offer(QUARRY_LOG, &log_);
  }
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  /// `table` must outlive the host; null withdraws the service.
  void offer(const std::string& id, const void* table) { services_[id] = table; }
  [[nodiscard]] const quarry_host* get() const { return &host_; }

  std::vector<std::string> lines;  ///< of the log

 private:
  static void keep_line(const quarry_log_v1* self, std::int32_t, quarry_text message) {
    static_cast<FakeHost*>(self->context)->lines.emplace_back(as_view(message));
  }
  static const void* find(const quarry_host* self, const char* id) {
    const auto& services = static_cast<FakeHost*>(self->context)->services_;
    const auto found = services.find(id);
    return found == services.end() ? nullptr : found->second;
  }

  quarry_host host_;
  quarry_log_v1 log_;
  std::map<std::string, const void*> services_;
};

/// Keeps the outcome of one call. Asking for the value of a failure, for the failure of a value, or
/// for a call that replied never or twice, fails the test.
class Reply {
 public:
  Reply() : reply_{sizeof reply_, this, keep_value, keep_failure} {}
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;

  [[nodiscard]] const quarry_reply* get() const { return &reply_; }
  const std::string& value() {
    EXPECT_EQ(count_, 1) << "a call replies exactly once";
    EXPECT_EQ(failure_.status, QUARRY_OK) << failure_.message;
    return value_;
  }
  const Failure& failure() {
    EXPECT_EQ(count_, 1) << "a call replies exactly once";
    EXPECT_NE(failure_.status, QUARRY_OK) << "it answered " << value_;
    return failure_;
  }

 private:
  static void keep_value(const quarry_reply* self, quarry_text json) {
    auto& reply = *static_cast<Reply*>(self->context);
    ++reply.count_;
    reply.value_ = as_view(json);
  }
  static void keep_failure(const quarry_reply* self, const quarry_failure* said) {
    auto& reply = *static_cast<Reply*>(self->context);
    ++reply.count_;
    reply.failure_ = {said->status, std::string(as_view(said->message)),
                      std::string(as_view(said->hint)), std::string(as_view(said->details))};
  }

  quarry_reply reply_;
  int count_ = 0;
  std::string value_;
  Failure failure_{QUARRY_OK, {}, {}, {}};
};

/// A call that is wanted until it was looked at often enough.
class FakeCall {
 public:
  FakeCall() : call_{sizeof call_, this, look, remaining, keep_progress} {}
  FakeCall(const FakeCall&) = delete;
  FakeCall& operator=(const FakeCall&) = delete;

  /// Over, with `status`, after `looks` more looks at its state.
  void cancel_after(int looks, quarry_status status = QUARRY_CANCELLED) {
    looks_ = looks;
    status_ = status;
  }
  [[nodiscard]] const quarry_call* get() const { return &call_; }

  std::vector<std::string> progress;

 private:
  static quarry_status look(const quarry_call* self) {
    auto& call = *static_cast<FakeCall*>(self->context);
    if (call.looks_ == 0) return call.status_;
    if (call.looks_ > 0) --call.looks_;
    return QUARRY_OK;
  }
  static std::int64_t remaining(const quarry_call*) { return INT64_MAX; }
  static void keep_progress(const quarry_call* self, quarry_text json) {
    static_cast<FakeCall*>(self->context)->progress.emplace_back(as_view(json));
  }

  quarry_call call_;
  int looks_ = -1;
  quarry_status status_ = QUARRY_CANCELLED;
};

/// A request as it crosses the contract; its secrets are names.
inline HttpRequest request_of(const quarry_http_request& said) {
  HttpRequest out{std::string(as_view(said.method)),
                  std::string(as_view(said.url)),
                  {},
                  std::string(as_view(said.body))};
  for (std::uint32_t i = 0; i < said.header_count; ++i) {
    const quarry_header& header = *said.headers[i];
    out.headers.push_back({std::string(as_view(header.name)), std::string(as_view(header.value)),
                           std::string(as_view(header.secret))});
  }
  return out;
}

/// An HTTP service (quarry.http/1) that gives each request the answer the test says: the one of its
/// URL in `responses`, else `response`; or `failure` when its status is not QUARRY_OK.
class FakeHttp {
 public:
  FakeHttp() : http_{sizeof http_, this, send} {}
  FakeHttp(const FakeHttp&) = delete;
  FakeHttp& operator=(const FakeHttp&) = delete;

  [[nodiscard]] const quarry_http_v1* get() const { return &http_; }

  HttpResponse response{200, {}, {}};
  std::map<std::string, HttpResponse> responses;
  Failure failure{QUARRY_OK, {}, {}, {}};
  std::vector<HttpRequest> requests;  ///< as they came

 private:
  static void send(const quarry_http_v1* self, const quarry_call*,
                   const quarry_http_request* request, const quarry_http_sink* sink,
                   const quarry_reply* reply) {
    auto& http = *static_cast<FakeHttp*>(self->context);
    http.requests.push_back(request_of(*request));
    if (http.failure.status != QUARRY_OK) return quarry::detail::fail(reply, http.failure);
    const auto found = http.responses.find(http.requests.back().url);
    const HttpResponse& response = found == http.responses.end() ? http.response : found->second;
    const HttpRequest said{{}, {}, response.headers, {}};
    const quarry::detail::HttpRequestView view(said);
    sink->head(sink, response.status, view.get()->header_count, view.get()->headers);
    if (sink->data(sink, as_text(response.body)) != QUARRY_OK) {
      return quarry::detail::fail(reply, {QUARRY_CANCELLED, "nobody wants more", {}, {}});
    }
    reply->value(reply, as_text("{}"));
  }

  quarry_http_v1 http_;
};

/// Keeps the files of a fetch in memory.
class Tree {
 public:
  Tree() : tree_{sizeof tree_, this, add_file, add_directory, use_in_place, get_scratch} {}
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  /// Takes no more than `additions` files and directories.
  void refuse_after(std::size_t additions) { limit_ = additions; }
  [[nodiscard]] const quarry_tree* get() const { return &tree_; }

  std::map<std::string, std::string> files;
  std::vector<std::string> directories;  ///< added
  std::string in_place;
  std::string scratch;  ///< what the plugin is given; empty = there is none

 private:
  static Tree& of(const quarry_tree* self) { return *static_cast<Tree*>(self->context); }
  [[nodiscard]] bool full() const { return files.size() + directories.size() >= limit_; }
  static quarry_status add_file(const quarry_tree* self, quarry_text path, quarry_text bytes) {
    if (of(self).full()) return QUARRY_RESOURCE_EXHAUSTED;
    of(self).files[std::string(as_view(path))] = as_view(bytes);
    return QUARRY_OK;
  }
  static quarry_status add_directory(const quarry_tree* self, quarry_text path) {
    if (of(self).full()) return QUARRY_RESOURCE_EXHAUSTED;
    of(self).directories.emplace_back(as_view(path));
    return QUARRY_OK;
  }
  static quarry_status use_in_place(const quarry_tree* self, quarry_text path) {
    of(self).in_place = as_view(path);
    return QUARRY_OK;
  }
  static quarry_text get_scratch(const quarry_tree* self) { return as_text(of(self).scratch); }

  quarry_tree tree_;
  std::size_t limit_ = SIZE_MAX;
};

/// Keeps what a step of a model produced: pieces joined, the ends counted.
class Sink {
 public:
  struct ToolCall {
    std::string id;
    std::string name;
    std::string arguments;
    bool operator==(const ToolCall&) const = default;
  };
  /// What an error said besides its message.
  struct Refusal {
    quarry_status status = QUARRY_OK;
    std::int32_t http_status = 0;
    std::int64_t retry_after_ms = -1;
    bool operator==(const Refusal&) const = default;
  };
  /// The outcome of a step, however it was cut.
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
  bool wanted = true;  ///< what the plugin is told

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

/// A component of an entry, made from `configuration` and destroyed with this. A test fails when
/// the entry does not offer it or it cannot be made.
template <class Table>
class Component {
 public:
  Component(const quarry_entry& entry, std::string_view kind, std::string_view name,
            std::string_view configuration = "{}") {
    for (std::uint32_t i = 0; i < entry.component_count; ++i) {
      if (entry.components[i]->kind == kind && entry.components[i]->name == name) {
        component_ = entry.components[i];
      }
    }
    if (component_ == nullptr) {
      ADD_FAILURE() << "the entry offers no " << kind << " \"" << name << "\"";
      return;
    }
    Reply reply;
    component_->create(host.get(), as_text(configuration), &instance_, reply.get());
    reply.value();
  }
  ~Component() {
    if (component_ != nullptr) component_->destroy(instance_);
  }
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;

  const Table* operator->() const { return static_cast<const Table*>(component_->table); }
  [[nodiscard]] void* instance() const { return instance_; }

  FakeHost host;

 private:
  const quarry_component* component_ = nullptr;
  void* instance_ = nullptr;
};

/// A response of a provider as an exchange gets it.
struct Response {
  std::int32_t status = 200;
  std::vector<HttpHeader> headers = {};  ///< `secret` does not count
  std::vector<std::string_view> pieces = {};
  quarry_end end = QUARRY_END_COMPLETE;
};

/// An exchange begun with a chat request, and destroyed with this. A test fails when it cannot
/// begin.
class StartedExchange {
 public:
  StartedExchange(const Component<quarry_model_v1>& model, std::string_view chat_request)
      : model_(model) {
    Reply reply;
    model_->begin(model_.instance(), as_text(chat_request), &exchange_, reply.get());
    reply.value();
  }
  ~StartedExchange() {
    if (exchange_ != nullptr) model_->destroy_exchange(exchange_);
  }
  StartedExchange(const StartedExchange&) = delete;
  StartedExchange& operator=(const StartedExchange&) = delete;

  /// What the host is to send.
  HttpRequest request() {
    const quarry_http_request* asked = exchange_ == nullptr ? nullptr : model_->request(exchange_);
    if (asked == nullptr) {
      ADD_FAILURE() << "the exchange asks for nothing";
      return {};
    }
    return request_of(*asked);
  }

  /// What becomes of a response. Once, after request().
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

/// What an exchange makes of `response`.
inline Sink::Step exchange(const Component<quarry_model_v1>& model, std::string_view chat_request,
                           const Response& response) {
  StartedExchange started(model, chat_request);
  started.request();
  return started.respond(response);
}

/// What an exchange makes of a response of status 200 whose body arrives in these pieces.
inline Sink::Step exchange(const Component<quarry_model_v1>& model, std::string_view chat_request,
                           const std::vector<std::string_view>& pieces) {
  return exchange(model, chat_request, Response{.pieces = pieces});
}

/// Feeds `body` cut in two at every offset: each time the step must be the same as uncut, with one
/// end. Answers the uncut step.
inline Sink::Step exchange_cut_everywhere(const Component<quarry_model_v1>& model,
                                          std::string_view chat_request, std::string_view body) {
  const auto whole = exchange(model, chat_request, {body});
  EXPECT_EQ(whole.finishes.size() + whole.errors.size(), 1u) << "a step has exactly one end";
  for (std::size_t cut = 1; cut < body.size(); ++cut) {
    const auto step = exchange(model, chat_request, {body.substr(0, cut), body.substr(cut)});
    EXPECT_TRUE(step == whole) << "cut at byte " << cut << " of " << body.size()
                               << ", the text is \"" << step.text << "\"";
  }
  return whole;
}

}  // namespace quarry::testing

#endif
