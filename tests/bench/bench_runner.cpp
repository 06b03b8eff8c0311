// The cost of isolation: a call into a plugin directly, through the adapter and through a runner; a
// fetch of many small files, a stream of text deltas and the chunks of a response, in the host and
// in a runner.
#include "base/clock.h"
#include "base/file.h"
#include "plugins/registry.h"
#include "runner/isolate.h"

#include <thread>
#include <vector>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

namespace {

namespace fs = std::filesystem;
namespace plugins = quarry::plugins;
using quarry::Json;

const quarry::SystemClock kClock;

/// The test plugins, in runners or in this process.
std::unique_ptr<plugins::Registry> load(bool isolated,
                                        const quarry::runner::CrashLimits& crashes = {}) {
  plugins::RegistryOptions options;
  options.directories = {QUARRY_BUILD_DIR "/tests/plugins"};
  options.wanted = [](const plugins::Manifest& manifest, const auto&) {
    return manifest.id == "org.example.faulty" || manifest.id == "org.example.models";
  };
  const quarry::runner::RunnerOptions runners{
      .command = {QUARRY_BUILD_DIR "/tests/runner_peer", "run"},
      .clock = &kClock,
      .crashes = crashes};
  options.isolate = [runners](const auto& manifest) {
    return quarry::runner::isolate(manifest, runners);
  };
  const char* where = isolated ? "process" : "none";
  options.isolation = {{"org.example.faulty", where}, {"org.example.models", where}};
  return plugins::Registry::load(std::move(options));
}

class CountingTree : public plugins::Tree {
 public:
  quarry::Status add_file(std::string_view, std::string_view bytes) override {
    files += 1;
    size += bytes.size();
    return {};
  }
  quarry::Status add_directory(const fs::path&) override { return {}; }
  [[nodiscard]] std::uint64_t file_limit() const override { return 1u << 20; }
  quarry::Status add_large(std::string_view, std::uint64_t) override { return {}; }
  quarry::Status add_described(std::string_view path, std::string_view bytes,
                               plugins::FileFacts) override {
    return add_file(path, bytes);
  }
  quarry::Result<bool> keep_file(std::string_view) override { return false; }
  quarry::Status add_link(std::string_view) override { return {}; }
  quarry::Status use_in_place(const fs::path&) override { return {}; }
  quarry::Result<std::string_view> scratch() override { return std::string_view(); }
  std::size_t files = 0, size = 0;
};

/// Writes each file into one directory, which is about the least that a snapshot does with it.
class WritingTree final : public CountingTree {
 public:
  explicit WritingTree(fs::path file) : out_(std::fopen(file.c_str(), "w")) {}
  ~WritingTree() override { std::fclose(out_); }
  WritingTree(const WritingTree&) = delete;
  WritingTree& operator=(const WritingTree&) = delete;
  quarry::Status add_file(std::string_view path, std::string_view bytes) override {
    std::fwrite(path.data(), 1, path.size(), out_);
    std::fwrite(bytes.data(), 1, bytes.size(), out_);
    return {};
  }

 private:
  std::FILE* out_;
};

class CountingSink final : public plugins::ModelSink {
 public:
  bool text(std::string_view delta) override {
    bytes += delta.size();
    return true;
  }
  bool reasoning(std::string_view) override { return true; }
  bool tool_call(std::uint32_t, std::string_view, std::string_view, std::string_view) override {
    return true;
  }
  bool usage(const plugins::Usage&) override { return true; }
  bool keep(std::string_view) override { return true; }
  void finish(plugins::Finish) override {}
  void error(const plugins::ModelError& error) override {
    std::fputs(error.message.c_str(), stderr);
  }
  std::size_t bytes = 0;
};

/// The JSON of a small resource goes to the plugin and back.
void call(benchmark::State& state, bool isolated) {
  const auto type = load(isolated)->make_resource_type("faulty", "{}").value();
  const Json resource{{"type", "faulty"}, {"url", "https://example.org/"}};
  for (auto _ : state) benchmark::DoNotOptimize(type->normalise({}, resource));
}
BENCHMARK_CAPTURE(call, in_process, false)->UseRealTime();
BENCHMARK_CAPTURE(call, in_runner, true)->UseRealTime();

/// 10,000 calls in a runner, of which each hundredth crashes it, or none.
void crash(benchmark::State& state, bool crashes) {
  constexpr int kCalls = 10'000, kEach = 100;
  const auto type = load(true, {.most = 1u << 30, .first_delay = {}, .most_inputs = 1u << 30})
                        ->make_resource_type("faulty", "{}")
                        .value();
  int lost = 0;
  for (auto _ : state) {
    for (int i = 0; i < kCalls; ++i) {
      const bool is_fatal = crashes && i % kEach == kEach - 1;
      const Json resource{
          {"type", "faulty"}, {"do", is_fatal ? "normalise:segv" : "no harm"}, {"n", i}};
      lost += static_cast<int>(type->normalise({}, resource).has_value() == is_fatal);
    }
  }
  state.counters["lost"] = lost;
}
BENCHMARK_CAPTURE(crash, none_of_10000, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(crash, each_hundredth_of_10000, true)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void fetch(benchmark::State& state, bool isolated) {
  const auto type = load(isolated)->make_resource_type("faulty", "{}").value();
  const Json resource{{"type", "faulty"}, {"files", 100'000}};
  for (auto _ : state) {
    CountingTree tree;
    const auto fetched = type->fetch({}, resource, {.id = "1", .display = "1"}, {}, tree);
    if (!fetched || tree.files != 100'000) state.SkipWithError("the fetch failed");
  }
}
BENCHMARK_CAPTURE(fetch, in_process, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(fetch, in_runner, true)->Unit(benchmark::kMillisecond)->UseRealTime();

void fetch_and_write(benchmark::State& state, bool isolated) {
  const auto root = *quarry::make_temp_directory(fs::temp_directory_path(), "quarry-bench-");
  const auto type = load(isolated)->make_resource_type("faulty", "{}").value();
  const Json resource{{"type", "faulty"}, {"files", 100'000}};
  for (auto _ : state) {
    WritingTree tree(root / "files");
    const auto fetched = type->fetch({}, resource, {.id = "1", .display = "1"}, {}, tree);
    if (!fetched) state.SkipWithError("the fetch failed");
  }
  fs::remove_all(root);
}
BENCHMARK_CAPTURE(fetch_and_write, in_process, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(fetch_and_write, in_runner, true)->Unit(benchmark::kMillisecond)->UseRealTime();

double cpu_seconds(int whose) {
  rusage used{};
  ::getrusage(whose, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Processor time of all threads and of the runners started since; a runner counts once it has
/// ended. Its start takes as much as some 100,000 deltas or 1,000 chunks.
class Spent {
 public:
  /// What precedes it in this process does not count.
  void start() { own_ = cpu_seconds(RUSAGE_SELF); }
  [[nodiscard]] double seconds() const {
    return cpu_seconds(RUSAGE_SELF) - own_ + cpu_seconds(RUSAGE_CHILDREN) - children_;
  }

 private:
  const double children_ = cpu_seconds(RUSAGE_CHILDREN);
  double own_ = 0;
};

void stream(benchmark::State& state, bool isolated) {
  constexpr int kDeltas = 100'000;
  Spent spent;
  {
    auto registry = load(isolated);
    auto model = registry->make_model_provider("echo", "{}").value();
    CountingSink sink;
    spent.start();
    for (auto _ : state) model->generate({}, "count=100000 a delta of some twenty bytes", sink);
  }
  state.counters["cpu_ns_per_delta"] =
      1e9 * spent.seconds() / (static_cast<double>(state.iterations()) * kDeltas);
}
BENCHMARK_CAPTURE(stream, in_process, false)
    ->Iterations(200)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(stream, in_runner, true)
    ->Iterations(200)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// Each chunk of a response is a call of its exchange: `exchanges` at once, of a thread each.
void exchange(benchmark::State& state, bool isolated, int exchanges) {
  constexpr int kChunks = 1'000;
  Spent spent;
  {
    auto registry = load(isolated);
    auto model = registry->make_model_provider("exchange", "{}").value();
    const auto read_response = [&] {
      CountingSink sink;
      const auto begun = model->begin("{}").value();
      for (int i = 0; i < kChunks; ++i)
        begun->data("a chunk of a response, of forty bytes...", sink);
    };
    spent.start();
    for (auto _ : state) {
      std::vector<std::jthread> threads;
      for (int i = 0; i < exchanges; ++i) threads.emplace_back(read_response);
    }
  }
  const auto chunks = static_cast<double>(state.iterations()) * exchanges * kChunks;
  state.counters["cpu_us_per_chunk"] = 1e6 * spent.seconds() / chunks;
}
void add_exchange(const char* name, bool isolated, int exchanges) {
  benchmark::RegisterBenchmark(name, exchange, isolated, exchanges)
      ->Iterations(20)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

}  // namespace

int main(int count, char** arguments) {
  add_exchange("exchange/in_process/1", false, 1);
  add_exchange("exchange/in_runner/1", true, 1);
  add_exchange("exchange/in_runner/2", true, 2);
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
}
