#pragma once

#include "plugins/model_provider.h"

#include <mutex>

namespace quarry::plugins {

/// Passes the output of a step on until it is detached; then no more is wanted. [any thread]
class DetachableSink final : public ModelSink {
 public:
  explicit DetachableSink(ModelSink& sink) : sink_(&sink) {}

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
  bool usage(const Usage& usage) override {
    return pass([&](ModelSink& sink) { return sink.usage(usage); });
  }
  bool keep(std::string_view json) override {
    return pass([&](ModelSink& sink) { return sink.keep(json); });
  }
  void finish(Finish reason) override {
    pass([&](ModelSink& sink) { return sink.finish(reason), ended_ = true; });
  }
  void error(const ModelError& error) override {
    pass([&](ModelSink& sink) { return sink.error(error), ended_ = true; });
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

 private:
  template <class Pass>
  bool pass(const Pass& to) {
    const std::lock_guard lock(mutex_);
    return sink_ != nullptr && to(*sink_);
  }

  mutable std::mutex mutex_;
  ModelSink* sink_;
  bool ended_ = false;
};

}  // namespace quarry::plugins
