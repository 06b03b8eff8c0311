/// The part of the test kit (<quarry/testing.hpp>) for every kind: the host, its services, replies,
/// calls and components.
#ifndef QUARRY_TESTING_HOST_HPP
#define QUARRY_TESTING_HOST_HPP

#include <quarry/http.hpp>
#include <quarry/log.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

extern "C" const quarry_entry quarry_plugin_entry_v1;

namespace quarry::testing {

/// A call that a plugin opened. Any thread.
class PartCall {
 public:
  static const quarry_call* open(const quarry_host*, const quarry_call* parent,
                                 std::int64_t timeout_ms, quarry_status (*state)(void*),
                                 void* context) {
    return &(new PartCall(parent, timeout_ms, state, context))->call_;
  }
  static void close(const quarry_host*, const quarry_call* call) {
    if (call != nullptr) delete static_cast<PartCall*>(call->context);
  }

 private:
  using Steady = std::chrono::steady_clock;

  PartCall(const quarry_call* parent, std::int64_t timeout_ms, quarry_status (*state)(void*),
           void* context)
      : parent_(parent), state_(state), context_(context) {
    if (timeout_ms > 0) deadline_ = Steady::now() + std::chrono::milliseconds(timeout_ms);
  }
  static PartCall& of(const quarry_call* self) { return *static_cast<PartCall*>(self->context); }
  static quarry_status check(const quarry_call* self) {
    const PartCall& part = of(self);
    if (part.parent_ != nullptr) {
      if (const auto outer = part.parent_->state(part.parent_); outer != QUARRY_OK) return outer;
    }
    if (part.deadline_ && Steady::now() >= *part.deadline_) return QUARRY_DEADLINE_EXCEEDED;
    return part.state_ == nullptr ? QUARRY_OK : part.state_(part.context_);
  }
  static std::int64_t remaining(const quarry_call* self) {
    const PartCall& part = of(self);
    const std::int64_t outer =
        part.parent_ == nullptr ? INT64_MAX : part.parent_->remaining_ms(part.parent_);
    if (!part.deadline_) return outer;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(*part.deadline_ - Steady::now());
    return std::min<std::int64_t>(outer, std::max<std::int64_t>(0, left.count()));
  }
  static void progress(const quarry_call* self, quarry_text json) {
    const PartCall& part = of(self);
    if (part.parent_ != nullptr) part.parent_->progress(part.parent_, json);
  }

  const quarry_call* parent_;
  std::optional<Steady::time_point> deadline_;
  quarry_status (*state_)(void*);
  void* context_;
  quarry_call call_{sizeof(quarry_call), this, check, remaining, progress};
};

/// A host that offers the test's services and records its log.
class FakeHost {
 public:
  FakeHost()
      : host_{sizeof host_, QUARRY_ABI_MAJOR, QUARRY_ABI_MINOR, this, as_text("0.0.0-test"),
              find,         PartCall::open,   PartCall::close},
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

/// Records the outcome of one call. Reading the value of a failure, the failure of a value, or
/// either after no reply or two, fails the test.
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
    EXPECT_NE(failure_.status, QUARRY_OK) << "it replied " << value_;
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

/// A call that can be cancelled after a number of state checks.
class FakeCall {
 public:
  FakeCall() : call_{sizeof call_, this, look, remaining, keep_progress} {}
  FakeCall(const FakeCall&) = delete;
  FakeCall& operator=(const FakeCall&) = delete;

  /// Ends the call, with `status`, after `looks` more checks of its state.
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

/// The C++ form of a request; its secrets are names.
inline HttpRequest request_of(const quarry_http_request& said) {
  HttpRequest out{std::string(as_view(said.method)),
                  std::string(as_view(said.url)),
                  {},
                  std::string(as_view(said.body)),
                  std::chrono::milliseconds(said.timeout_ms),
                  said.max_redirects};
  for (std::uint32_t i = 0; i < said.header_count; ++i) {
    const quarry_header& header = *said.headers[i];
    out.headers.push_back({std::string(as_view(header.name)), std::string(as_view(header.value)),
                           std::string(as_view(header.secret))});
  }
  return out;
}

/// An HTTP service (quarry.http/1) with canned responses: what `answer` returns, if it is set, else
/// the one for the URL in `responses`, else `response`; or `failure` when its status is not
/// QUARRY_OK. A response to HEAD has no body.
class FakeHttp {
 public:
  FakeHttp() : http_{sizeof http_, this, send, allow, send_all} {}
  FakeHttp(const FakeHttp&) = delete;
  FakeHttp& operator=(const FakeHttp&) = delete;

  [[nodiscard]] const quarry_http_v1* get() const { return &http_; }

  /// Answers by method and headers, or fails single requests.
  std::function<Outcome<HttpResponse>(const HttpRequest&)> answer;
  HttpResponse response{200, {}, {}};
  std::map<std::string, HttpResponse> responses;
  Failure failure{QUARRY_OK, {}, {}, {}};
  std::vector<HttpRequest> requests;  ///< in order of arrival
  std::size_t piece = SIZE_MAX;       ///< bytes of a body passed on at once
  /// The reply of permit, for any URL.
  std::string permit = R"({"host":"127.0.0.1","port":1,"addresses":["127.0.0.1"]})";

 private:
  static void allow(const quarry_http_v1* self, const quarry_call*, quarry_text,
                    const quarry_reply* reply) {
    auto& http = *static_cast<FakeHttp*>(self->context);
    if (http.failure.status != QUARRY_OK) return quarry::detail::fail(reply, http.failure);
    reply->value(reply, as_text(http.permit));
  }
  /// One after another.
  static void send_all(const quarry_http_v1* self, const quarry_call* call, std::uint32_t count,
                       const quarry_http_request* const* requests,
                       const quarry_http_sink* const* sinks, const quarry_reply* reply) {
    std::string responses;
    for (std::uint32_t i = 0; i < count; ++i) {
      const quarry::detail::Heard heard;
      send(self, call, requests[i], sinks[i], heard.reply());
      if (!heard.outcome() && Call(call).over()) {
        return quarry::detail::fail(reply, Call(call).why());
      }
      if (!responses.empty()) responses += ',';
      responses += heard.outcome() ? *heard.outcome() : failure_json(heard.outcome().failure());
    }
    reply->value(reply, as_text("{\"responses\":[" + responses + "]}"));
  }
  static std::string failure_json(const Failure& failure) {
    return "{\"failure\":{\"status\":" + std::to_string(failure.status) +
           ",\"message\":" + json::quoted(failure.message) +
           ",\"hint\":" + json::quoted(failure.hint) + "}}";
  }
  static void send(const quarry_http_v1* self, const quarry_call* call,
                   const quarry_http_request* request, const quarry_http_sink* sink,
                   const quarry_reply* reply) {
    auto& http = *static_cast<FakeHttp*>(self->context);
    http.requests.push_back(request_of(*request));
    if (http.failure.status != QUARRY_OK) return quarry::detail::fail(reply, http.failure);
    const Outcome<HttpResponse> found = http.find(http.requests.back());
    if (!found) return quarry::detail::fail(reply, found.failure());
    const HttpResponse& response = *found;
    if (sink != nullptr && !http.pass_on(response, Call(call), sink)) {
      return quarry::detail::fail(reply, {QUARRY_CANCELLED, "no more is wanted", {}, {}});
    }
    reply->value(reply, as_text("{\"status\":" + std::to_string(response.status) +
                                ",\"url\":" + json::quoted(http.requests.back().url) + "}"));
  }
  [[nodiscard]] Outcome<HttpResponse> find(const HttpRequest& request) const {
    if (answer) return answer(request);
    const auto found = responses.find(request.url);
    return found == responses.end() ? response : found->second;
  }
  [[nodiscard]] bool pass_on(const HttpResponse& said, const Call& call,
                             const quarry_http_sink* sink) const {
    const HttpRequest headers{{}, {}, said.headers, {}};
    const quarry::detail::HttpRequestView view(headers);
    if (sink->head(sink, said.status, view.get()->header_count, view.get()->headers) != QUARRY_OK) {
      return false;
    }
    return requests.back().method == "HEAD" || hand_over(said.body, call, sink);
  }
  [[nodiscard]] bool hand_over(std::string_view body, const Call& call,
                               const quarry_http_sink* sink) const {
    while (!body.empty()) {
      const std::string_view next = body.substr(0, piece);
      body.remove_prefix(next.size());
      if (call.over() || sink->data(sink, as_text(next)) != QUARRY_OK) return false;
    }
    return true;
  }

  quarry_http_v1 http_;
};

/// A component of an entry, created from `configuration` and destroyed with this object. `services`
/// are offered before that, by id; `host` can offer more. The test fails when the entry does not
/// offer the component or it cannot be created.
template <class Table>
class Component {
 public:
  Component(const quarry_entry& entry, std::string_view kind, std::string_view name,
            std::string_view configuration = "{}",
            const std::map<std::string, const void*>& services = {}) {
    for (const auto& [id, table] : services) host.offer(id, table);
    for (std::uint32_t i = 0; i < entry.component_count; ++i) {
      if (entry.components[i]->kind == kind && entry.components[i]->name == name) {
        component_ = entry.components[i];
      }
    }
    if (component_ == nullptr) {
      ADD_FAILURE() << "the entry offers no " << kind << " \"" << name << "\"";
      return;
    }
    const FakeCall call;
    Reply reply;
    component_->create(host.get(), call.get(), as_text(configuration), &instance_, reply.get());
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

}  // namespace quarry::testing

#endif
