#pragma once

#include "base/file.h"
#include "base/testing/fake_clock.h"
#include "base/testing/waiting.h"
#include "plugins/registry.h"
#include "runner/isolate.h"

#include <quarry/http.h>
#include <quarry/resource.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <quarry_places.h>
#include <quarry_test.h>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::runner {

/// Files of a fetch, in memory.
class KeptFiles : public plugins::Tree {
 public:
  Status add_file(std::string_view path, std::string_view bytes) override {
    if (files.size() == most) return Error(Code::kResourceExhausted, "the disk is full");
    files.emplace(path, bytes);
    return {};
  }
  Status add_directory(const std::filesystem::path& directory) override {
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      seen_in_directory += entry.path().filename().string() + ";";
    }
    return {};
  }
  [[nodiscard]] std::uint64_t file_limit() const override { return 1u << 20; }
  Status add_large(std::string_view path, std::uint64_t size) override {
    large += std::string(path) + " " + std::to_string(size) + ";";
    return {};
  }
  Status add_described(std::string_view path, std::string_view bytes,
                       plugins::FileFacts given) override {
    facts.emplace(path, std::move(given));
    return add_file(path, bytes);
  }
  Result<bool> keep_file(std::string_view path) override {
    kept += std::string(path) + ";";
    return false;
  }
  Status add_link(std::string_view path) override {
    links += std::string(path) + ";";
    return {};
  }
  Status use_in_place(const std::filesystem::path&) override { return {}; }
  Result<std::string_view> scratch() override { return std::string_view("/nowhere"); }
  bool restart() override {
    files.clear();
    restarts += 1;
    return true;
  }

  std::map<std::string, std::string> files;
  std::string seen_in_directory, large, links, kept;
  plugins::FactsByPath facts;
  std::size_t most = 1u << 30;
  int restarts = 0;
};

/// A host that offers no service.
inline constexpr quarry_host kHostWithoutServices{
    .struct_size = sizeof(quarry_host),
    .abi_major = 1,
    .abi_minor = 0,
    .context = nullptr,
    .version = {},
    .service = [](const quarry_host*, const char*) -> const void* { return nullptr; },
    .open_call = nullptr,
    .close_call = nullptr};

/// An HTTP service that replies when its call is over.
inline constexpr quarry_http_v1 kSilentHttp{
    .struct_size = sizeof(quarry_http_v1),
    .context = nullptr,
    .send = nullptr,
    .permit =
        [](const quarry_http_v1*, const quarry_call* call, quarry_text, const quarry_reply* reply) {
          wait_until([&] { return call->state(call) != QUARRY_OK; });
          reply->value(reply, {nullptr, 0});
        },
    .send_all = nullptr};

/// A host that offers this service alone.
inline constexpr quarry_host kSilentHost{
    .struct_size = sizeof(quarry_host),
    .abi_major = 1,
    .abi_minor = 0,
    .context = nullptr,
    .version = {},
    .service = [](const quarry_host*, const char* id) -> const void* {
      return std::string_view(id) == QUARRY_HTTP ? &kSilentHttp : nullptr;
    },
    .open_call = nullptr,
    .close_call = nullptr};

/// The plugin org.example.faulty in a runner.
class Isolated : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = *make_temp_directory(std::filesystem::temp_directory_path(), "quarry-runner-");
    std::filesystem::create_directory(root_ / "plugins");
    std::filesystem::copy(QUARRY_BUILD_DIR "/tests/plugins/faulty", root_ / "plugins/faulty",
                          std::filesystem::copy_options::recursive);
    runners_.command = {QUARRY_BUILD_DIR "/tests/runner_peer", "run"};
    runners_.clock = &clock_;
    runners_.quarantined_list = root_ / "quarantined";
    runners_.start_limit = patience(std::chrono::seconds(10));
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  std::unique_ptr<plugins::Registry> load() {
    plugins::RegistryOptions options;
    options.directories = {root_ / "plugins"};
    options.isolation = {{"org.example.faulty", "process"}};
    options.isolate = [this](const auto& manifest) { return isolate(manifest, runners_); };
    return plugins::Registry::load(std::move(options));
  }
  /// The resource type; `configuration` as JSON.
  Result<std::shared_ptr<plugins::ResourceType>> make(std::string_view configuration = "{}") {
    return load()->make_resource_type("faulty", configuration);
  }
  static Json resource(std::string_view what) { return {{"type", "faulty"}, {"do", what}}; }
  /// From now on the calls of one function end after `limit`, and no others.
  void limit_only(Function hanging, std::chrono::milliseconds limit) {
    runners_.call_limit = [=](Function function) {
      return function == hanging ? limit : std::chrono::hours(1);
    };
  }

  std::filesystem::path root_;
  FakeClock clock_;
  RunnerOptions runners_;
};

}  // namespace quarry::runner
