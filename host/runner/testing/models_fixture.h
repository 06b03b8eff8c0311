#pragma once

#include "runner/testing/isolated_fixture.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::runner {

/// Everything a model says, as text; stops after `most` deltas.
class Transcript final : public plugins::ModelSink {
 public:
  bool text(std::string_view delta) override {
    deltas += 1;
    bytes += delta.size();
    said += "text " + std::string(delta.substr(0, 40)) + ";";
    return deltas < most;
  }
  bool reasoning(std::string_view delta) override {
    said += "reasoning " + std::string(delta) + ";";
    return true;
  }
  bool tool_call(std::uint32_t index, std::string_view id, std::string_view name,
                 std::string_view arguments) override {
    said += "tool " + std::to_string(index) + std::string(id) + std::string(name) +
            std::string(arguments) + ";";
    return true;
  }
  bool usage(const plugins::Usage& usage) override {
    said += "usage " + std::to_string(usage.input) + std::to_string(usage.cache_write) + ";";
    return true;
  }
  bool keep(std::string_view json) override {
    said += "keep " + std::string(json) + ";";
    return true;
  }
  void finish(plugins::Finish reason) override {
    said += "finish " + std::to_string(static_cast<int>(reason));
  }
  void error(const plugins::ModelError& error) override {
    failed = error;
    said += "error " + error.message;
  }

  std::string said;
  plugins::ModelError failed;
  std::size_t deltas = 0;
  std::size_t bytes = 0;
  std::size_t most = SIZE_MAX;
};

/// The plugin org.example.models in a runner.
class IsolatedModels : public Isolated {
 protected:
  void SetUp() override {
    Isolated::SetUp();
    std::filesystem::copy(QUARRY_BUILD_DIR "/tests/plugins/models", root_ / "plugins/models",
                          std::filesystem::copy_options::recursive);
    plugins::RegistryOptions options;
    options.directories = {root_ / "plugins"};
    options.disabled = {"org.example.faulty"};
    options.isolation = {{"org.example.models", "process"}};
    options.isolate = [this](const auto& manifest) { return isolate(manifest, runners_); };
    registry_ = plugins::Registry::load(std::move(options));
    ASSERT_TRUE(registry_->problems().empty()) << registry_->problems().front().message;
  }
  std::shared_ptr<plugins::ModelProvider> model(std::string_view name) {
    return registry_->make_model_provider(name, "{}").value();
  }

  std::unique_ptr<plugins::Registry> registry_;
};

}  // namespace quarry::runner
