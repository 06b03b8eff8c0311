#pragma once

#include "base/testing/waiting.h"
#include "plugins/hosted_module.h"
#include "plugins/testing/scripted.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

namespace quarry::plugins {

/// Functions that hang until they are released, and then use what they were lent.
struct Hanging {
  std::latch released{1};
  std::atomic<const char*> hangs = "";       ///< name of the function
  std::atomic<int> hung = 0;                 ///< times that it has hung
  std::function<void()> when_it_hangs = {};  ///< called by it, before it hangs
  std::atomic<int> created = 0;
  std::atomic<int> destroyed = 0;
  std::atomic<int> late_status = -1;                ///< of the tree or sink, after the release
  std::atomic<int> late_state = -1;                 ///< of the call
  std::atomic<const void*> late_subject = nullptr;  ///< of its lines

  void hang_in(std::string_view function) {
    if (hangs.load() != function) return;
    if (when_it_hangs) when_it_hangs();
    ++hung;
    hung.notify_all();
    released.wait();
  }
  /// Conditions of a call whose deadline passes when the function hangs, and not before.
  [[nodiscard]] services::Call until_it_hangs() {
    return {.state = [this] { return hung == 0 ? Code::kOk : Code::kDeadlineExceeded; }};
  }
  static Hanging& of(void* self) { return *static_cast<Hanging*>(self); }
};

inline void create_hanging(const quarry_host* host, const quarry_call*, quarry_text,
                           void** instance, const quarry_reply* reply) {
  *instance = host->context;
  Hanging& hanging = Hanging::of(host->context);
  hanging.hang_in("create");
  ++hanging.created;
  say(reply, "{}");
}
inline void destroy_hanging(void* self) {
  Hanging& hanging = Hanging::of(self);
  hanging.hang_in("destroy");
  ++hanging.destroyed;
  hanging.destroyed.notify_all();
}

constexpr quarry_component hanging_component(const char* kind, const void* table,
                                             std::uint32_t flags = 0) {
  return {sizeof(quarry_component), flags,          kind, "scripted", table,
          create_hanging,           destroy_hanging};
}
/// A plugin in this process, with a short grace.
class HungPlugin : public ::testing::Test {
 protected:
  /// `own`: it came with the host. `kind`: of the component in its manifest; empty = none.
  explicit HungPlugin(bool own = true, std::string_view kind = {})
      : module_(HostedModule::make(std::make_shared<FakeModule>(Permissions(), own, kind),
                                   {.find = {},
                                    .host_version = "1",
                                    .abandoned = abandoned_,
                                    .grace = std::chrono::milliseconds(20),
                                    .own = own})) {}
  ~HungPlugin() override {
    release();
    module_.reset();
  }
  Result<std::shared_ptr<Instance>> instance(const quarry_component& component) {
    return Instance::create(module_, component, host_, "{}");
  }
  /// Functions of the plugin that have not returned do so now; a module with one that has not is
  /// kept for ever.
  void release() {
    if (!hanging_.released.try_wait()) hanging_.released.count_down();
    wait_until([&] { return abandoned_->rows().empty(); });
  }
  /// When a function of `hanging` hangs its call is over, whatever its limit is, and none before.
  void end_hung_calls(Hanging& hanging) {
    hanging.when_it_hangs = [this] {
      abandoned_->give_up_all_at(std::chrono::steady_clock::now());
    };
  }

  Hanging hanging_;
  quarry_host host_{.struct_size = sizeof(quarry_host),
                    .abi_major = QUARRY_ABI_MAJOR,
                    .abi_minor = QUARRY_ABI_MINOR,
                    .context = &hanging_,
                    .version = {nullptr, 0},
                    .service = nullptr,
                    .open_call = nullptr,
                    .close_call = nullptr};
  std::shared_ptr<AbandonedCalls> abandoned_ = std::make_shared<AbandonedCalls>();
  std::shared_ptr<HostedModule> module_;
};

}  // namespace quarry::plugins
