#pragma once

#include "base/file.h"
#include "base/testing/test_executors.h"
#include "resources/library.h"

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::resources {

/// A temporary directory, removed on destruction.
class TempDirectory {
 public:
  TempDirectory()
      : path_(make_temp_directory(std::filesystem::temp_directory_path(), "quarry-resources-")
                  .value()) {}
  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline void write_file(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

inline std::vector<std::string> entries_of(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

/// A gate that threads wait for.
class Gate {
 public:
  void open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

/// A clock in whole seconds that adds one tick per read, so that no two times are equal.
class TestClock final : public Clock {
 public:
  [[nodiscard]] Wall now() const override {
    return Wall(std::chrono::seconds(seconds_.load()) + std::chrono::nanoseconds(++ticks_));
  }
  [[nodiscard]] Steady steady_now() const override {
    return Steady(std::chrono::seconds(seconds_.load()));
  }
  void advance(std::chrono::seconds by) { seconds_ += by.count(); }

 private:
  std::atomic<std::int64_t> seconds_ = 1'700'000'000;
  mutable std::atomic<std::int64_t> ticks_ = 0;
};

inline plugins::ResourceVersion version_of(std::string id, bool immutable, std::string display) {
  plugins::ResourceVersion version;
  version.id = std::move(id);
  version.immutable = immutable;
  version.display = std::move(display);
  return version;
}

/// A resource type whose source is controlled by the test.
class FakeType final : public plugins::ResourceType {
 public:
  explicit FakeType(std::string type = "fake", bool in_place = false) {
    description_.type = std::move(type);
    description_.title = "Fake";
    description_.in_place = in_place;
    description_.schema =
        R"({"type":"object","required":["url"],"properties":{"url":{"type":"string"},)"
        R"("specialNotes":{"type":"string","maxLength":500}}})";
  }
  [[nodiscard]] const plugins::ResourceDescription& describe() const override {
    return description_;
  }
  Result<Json> normalise(const services::Call&, const Json& resource) override {
    if (resource["url"] == "bad") {
      Error error{Code::kInvalidArgument, "the address is bad"};
      error.details = {{"/url", "is bad"}};
      return error;
    }
    return canonical.is_null() ? resource : canonical;
  }
  Result<plugins::ResourceVersion> resolve(const services::Call&, const Json&,
                                           const plugins::LastSnapshot& before) override {
    ++resolved;
    std::lock_guard lock(mutex);
    last = before;
    if (resolve_error) return *resolve_error;
    return version;
  }
  Result<plugins::ResourceMetadata> fetch(const services::Call& call, const Json&,
                                          const plugins::ResourceVersion& wanted,
                                          const plugins::LastSnapshot&,
                                          plugins::Tree& tree) override {
    ++fetched;
    if (refuse_version) {
      if (const auto refused = refuse_version(wanted)) return *refused;
    }
    if (while_fetching) while_fetching(call);
    if (call.stop.stop_requested()) return Error{Code::kCancelled, "stopped"};
    std::lock_guard lock(mutex);
    if (fill) {
      Status filled = fill(tree);
      if (!filled) return filled.error();
    }
    for (const auto& [path, bytes] : files_of ? files_of(wanted) : files) {
      Status added = tree.add_file(path, bytes);
      if (!added) return added.error();
    }
    if (fetch_error) return *fetch_error;
    return plugins::ResourceMetadata{"https://example.org/{version}/{path}", notes, generated,
                                     state};
  }
  Result<std::optional<plugins::Recognised>> parse_reference(const services::Call&,
                                                             std::string_view reference) override {
    if (reference_error) return *reference_error;
    if (!reference.starts_with(prefix)) return std::optional<plugins::Recognised>();
    Json parsed{{"url", reference.substr(prefix.size())}};
    if (!wanted_name.empty()) parsed["name"] = wanted_name;
    return std::optional(plugins::Recognised{std::move(parsed), confidence});
  }

  std::string prefix = "fake:";  ///< of references
  int confidence = 50;
  std::optional<Error> reference_error;

  Json canonical;           ///< null: a resource is its own canonical form
  std::string wanted_name;  ///< of references; empty = none
  std::mutex mutex;
  plugins::ResourceVersion version = version_of("v1", true, "version 1");
  std::map<std::string, std::string> files{{"a.txt", "alpha\n"}};
  /// Replaces `files` if they depend on the version.
  std::function<std::map<std::string, std::string>(const plugins::ResourceVersion&)> files_of;
  std::function<Status(plugins::Tree&)> fill;
  std::function<void(const services::Call&)> while_fetching;
  std::vector<std::string> notes;
  std::vector<std::string> generated;
  std::string state;           ///< of the fetched metadata
  plugins::LastSnapshot last;  ///< of the last resolve
  std::function<std::optional<Error>(const plugins::ResourceVersion&)> refuse_version;
  std::optional<Error> resolve_error;
  std::optional<Error> fetch_error;
  std::atomic<int> resolved = 0;
  std::atomic<int> fetched = 0;

 private:
  plugins::ResourceDescription description_;
};

inline const Json kFake{{"type", "fake"}, {"name", "docs"}, {"url", "x"}};

/// A library over one fake type.
struct Setting {
  explicit Setting(std::size_t threads = 2, std::filesystem::path cache_directory = {})
      : cache(cache_directory.empty() ? temp.path() / "cache" : std::move(cache_directory)),
        executor(threads) {
    open();
  }
  void open(Options options = {}) {
    library.reset();
    options.cache_directory = cache;
    library =
        make_library(std::move(options), {[this] { return types; }, executor, *library_clock,
                                          [this](std::string_view text) {
                                            std::lock_guard lock(mutex);
                                            problems.emplace_back(text);
                                          },
                                          [this] { return types_for_projects; }, symbols, encoding})
            .value();
  }
  /// Ends background work.
  void reopen() { open(); }

  std::future<Result<Prepared>> start(const Json& resource = kFake, std::stop_token stop = {},
                                      Library::OnProgress progress = nullptr,
                                      const PrepareOptions& prepare_options = {}) const {
    const auto promise = std::make_shared<std::promise<Result<Prepared>>>();
    library->prepare(resource, prepare_options, std::move(stop), std::move(progress),
                     [promise](Result<Prepared> result) { promise->set_value(std::move(result)); });
    return promise->get_future();
  }
  [[nodiscard]] Result<Prepared> prepare(const Json& resource = kFake,
                                         const PrepareOptions& prepare_options = {}) const {
    return start(resource, {}, nullptr, prepare_options).get();
  }
  /// Contacts the source regardless of the resource's settings.
  [[nodiscard]] Result<Prepared> sync(const Json& resource = kFake) const {
    return prepare(resource, {Freshness::kSync, {}});
  }
  [[nodiscard]] std::vector<std::string> snapshots() const {
    return entries_of(cache / "snapshots");
  }
  [[nodiscard]] std::vector<std::string> leftovers() const {
    return entries_of(cache / "building");
  }

  TempDirectory temp;
  std::filesystem::path cache;
  Threads executor;
  TestClock clock;
  const Clock* library_clock = &clock;
  std::shared_ptr<FakeType> fake = std::make_shared<FakeType>();
  plugins::ResourceTypes types{{"fake", fake}};
  plugins::ResourceTypes types_for_projects;
  corpus::SymbolAnalyser* symbols = nullptr;  ///< of libraries that are opened later
  std::mutex mutex;
  std::vector<std::string> problems;
  std::shared_ptr<corpus::Encoding> encoding;  ///< null = no vectors
  std::unique_ptr<Library> library;
};

/// Text of a file of a snapshot; empty if there is no such path.
inline std::string text_of(const Prepared& prepared, std::string_view path) {
  const auto file = prepared.snapshot->find(path);
  if (!file) return {};
  return std::string(prepared.snapshot->segment(*file).text(file->file));
}

}  // namespace quarry::resources
