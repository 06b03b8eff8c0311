#pragma once

#include "plugins/exchange.h"
#include "plugins/model_provider.h"

#include <mutex>

namespace quarry::plugins {

/// Passes the output of a request on until it is detached; then no more is wanted. [any thread]
template <class Sink>
class Detachable : public Sink {
 public:
  explicit Detachable(Sink& sink) : sink_(&sink) {}

  bool usage(const Usage& usage) override {
    return pass([&](Sink& sink) { return sink.usage(usage); });
  }
  void error(const ModelError& error) override {
    pass_end([&](Sink& sink) { sink.error(error); });
  }

  void detach() {
    const std::lock_guard lock(mutex_);
    sink_ = nullptr;
  }
  /// True after a finish or an error.
  [[nodiscard]] bool has_ended() const {
    const std::lock_guard lock(mutex_);
    return ended_;
  }

 protected:
  template <class Pass>
  bool pass(const Pass& to) {
    const std::lock_guard lock(mutex_);
    return sink_ != nullptr && to(*sink_);
  }
  template <class Pass>
  void pass_end(const Pass& to) {
    pass([&](Sink& sink) { return to(sink), ended_ = true; });
  }

 private:
  mutable std::mutex mutex_;
  Sink* sink_;
  bool ended_ = false;
};

/// That of a step of a conversation.
class DetachableSink final : public Detachable<ModelSink> {
 public:
  using Detachable::Detachable;

  bool text(std::string_view delta) override {
    return pass([&](ModelSink& sink) { return sink.text(delta); });
  }
  bool reasoning(std::string_view delta) override {
    return pass([&](ModelSink& sink) { return sink.reasoning(delta); });
  }
  bool tool_call(std::uint32_t index, std::string_view id, std::string_view name,
                 std::string_view arguments) override {
    return pass([&](ModelSink& sink) { return sink.tool_call(index, id, name, arguments); });
  }
  bool keep(std::string_view json) override {
    return pass([&](ModelSink& sink) { return sink.keep(json); });
  }
  void finish(Finish reason) override {
    pass_end([&](ModelSink& sink) { sink.finish(reason); });
  }
};

}  // namespace quarry::plugins
