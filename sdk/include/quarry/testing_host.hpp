/// The part of the test kit (<quarry/testing.hpp>) for every kind: the host, its services, replies,
/// calls and components.
#ifndef QUARRY_TESTING_HOST_HPP
#define QUARRY_TESTING_HOST_HPP

#include <quarry/host.hpp>
#include <quarry/log.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
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
    constexpr std::int64_t kYear = 31'536'000'000;
    if (timeout_ms < kYear) {
      deadline_ = Steady::now() + std::chrono::milliseconds(timeout_ms > 0 ? timeout_ms : 0);
    }
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
