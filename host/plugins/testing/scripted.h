#pragma once

#include "plugins/instance.h"
#include "plugins/model_provider.h"
#include "plugins/reply_slot.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::plugins {

/// A plugin without a file, for tests of the adapters with their own tables.
class FakeModule final : public Module {
 public:
  /// `kind`: of the component in its manifest; empty = none.
  explicit FakeModule(Permissions permissions = {}, bool own = true, std::string_view kind = {})
      : own_(own) {
    manifest_.id = "org.example.scripted";
    manifest_.permissions = std::move(permissions);
    if (kind.empty()) return;
    manifest_.components.emplace_back();
    manifest_.components.back().kind = kind;
  }
  [[nodiscard]] const Manifest& manifest() const override { return manifest_; }
  [[nodiscard]] const quarry_entry& entry() const override { return entry_; }
  [[nodiscard]] bool is_own() const override { return own_; }
  Status open(const quarry_host&) override { return {}; }

 private:
  const bool own_;
  Manifest manifest_;
  quarry_entry entry_{};
};

inline void say(const quarry_reply* reply, std::string_view json) {
  reply->value(reply, as_text(json));
}
inline void say_failure(const quarry_reply* reply, quarry_status status, std::string_view message) {
  const quarry_failure failure{
      sizeof failure, status, as_text(message), {nullptr, 0}, {nullptr, 0}};
  reply->failure(reply, &failure);
}

/// A component named "scripted" whose instance is the test's own object.
inline quarry_component scripted_component(const char* kind, const void* table,
                                           std::uint32_t flags = 0) {
  return {.struct_size = sizeof(quarry_component),
          .flags = flags,
          .kind = kind,
          .name = "scripted",
          .table = table,
          .create =
              [](const quarry_host* host, const quarry_call*, quarry_text, void** instance,
                 const quarry_reply* reply) {
                *instance = host->context;
                say(reply, "{}");
              },
          .destroy = [](void*) {}};
}

/// An instance of `component`, which must outlive it, with `context` as the host's and the
/// permissions of its manifest.
inline Result<std::shared_ptr<Instance>> make_instance(const quarry_component& component,
                                                       void* context = nullptr,
                                                       Permissions permissions = {},
                                                       std::string_view configuration = "{}",
                                                       bool own = true) {
  const quarry_host host{
      .struct_size = sizeof(quarry_host),
      .abi_major = QUARRY_ABI_MAJOR,
      .abi_minor = QUARRY_ABI_MINOR,
      .context = context,
      .version = {nullptr, 0},
      .service = [](const quarry_host*, const char*) -> const void* { return nullptr; },
      .open_call = nullptr,
      .close_call = nullptr};
  return Instance::create(std::make_shared<FakeModule>(std::move(permissions), own), component,
                          host, configuration);
}

/// Records the output of a step, one line per event.
class RecordedSink final : public ModelSink {
 public:
  bool text(std::string_view delta) override { return note("text " + std::string(delta)); }
  bool reasoning(std::string_view delta) override { return note("think " + std::string(delta)); }
  bool tool_call(std::uint32_t index, std::string_view id, std::string_view name,
                 std::string_view arguments) override {
    return note("call " + std::to_string(index) + "|" + std::string(id) + "|" + std::string(name) +
                "|" + std::string(arguments));
  }
  bool usage(const Usage& usage) override {
    return note("usage " + std::to_string(usage.input) + " " + std::to_string(usage.output));
  }
  bool keep(std::string_view json) override { return note("keep " + std::string(json)); }
  void finish(Finish reason) override {
    note("finish " + std::to_string(static_cast<int>(reason)));
  }
  void error(const ModelError& error) override {
    last_error = error;
    note("error " + error.message);
  }

  std::vector<std::string> events;
  ModelError last_error;
  bool wanted = true;

 private:
  bool note(std::string event) {
    events.push_back(std::move(event));
    return wanted;
  }
};

/// Message of a Result that must have failed because of the plugin and must name it.
template <class T>
std::string fault(const Result<T>& result) {
  if (result) return "no failure";
  EXPECT_EQ(result.error().code, Code::kInternal);
  EXPECT_TRUE(result.error().message.starts_with("scripted (org.example.scripted): "))
      << result.error().message;
  return result.error().message;
}

}  // namespace quarry::plugins
