// The cost of a plugin: a call through the adapter compared with a direct call of the same code,
// and a start with all plugins of the build.
#include "plugins/adapters.h"
#include "plugins/registry.h"
#include "plugins/testing/scripted.h"

#include <quarry/plugin.hpp>

#include <benchmark/benchmark.h>

namespace {

namespace plugins = quarry::plugins;

constexpr std::string_view kRates = R"({"source":"bench","input":"1.25","output":"10"})";

struct Catalogue {
  std::string rates(std::string_view, std::string_view) { return std::string(kRates); }
};

struct Echo {
  std::string describe() { return R"({"title":"T","schema":{}})"; }
  void generate(const quarry::Call&, std::string_view request, quarry::ModelSink& sink) {
    for (int i = 0; i < 1000; ++i) sink.text(request);
    sink.finish(QUARRY_FINISH_STOP);
  }
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
  void error(const plugins::ModelError&) override {}
  std::size_t bytes = 0;
};

void direct_call(benchmark::State& state) {
  Catalogue catalogue;
  for (auto _ : state) benchmark::DoNotOptimize(catalogue.rates("a", "b"));
}
BENCHMARK(direct_call);

void call_through_the_contract(benchmark::State& state) {
  const auto component = quarry::pricing<Catalogue>("scripted");
  const auto instance = *plugins::make_instance(component);
  const auto& table = *static_cast<const quarry_pricing_v1*>(component.table);
  for (auto _ : state) {
    plugins::ReplySlot slot;
    table.rates(instance->get(), nullptr, quarry::as_text("a"), quarry::as_text("b"), slot.reply());
    benchmark::DoNotOptimize(slot.take());
  }
}
BENCHMARK(call_through_the_contract);

/// Includes parsing and checking the JSON, as in the host.
void call_through_the_adapter(benchmark::State& state) {
  const auto component = quarry::pricing<Catalogue>("scripted");
  const auto catalogue = plugins::adapt_pricing(*plugins::make_instance(component)).value();
  for (auto _ : state) benchmark::DoNotOptimize(catalogue->rates("a", "b"));
}
BENCHMARK(call_through_the_adapter);

void text_delta_through_the_adapter(benchmark::State& state) {
  const auto component = quarry::model<Echo>("scripted");
  const auto model = plugins::adapt_model(*plugins::make_instance(component)).value();
  CountingSink sink;
  for (auto _ : state) model->generate({}, "a delta of some twenty bytes", sink);
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(text_delta_through_the_adapter);

void load_all(benchmark::State& state) {
  plugins::RegistryOptions options;
  options.directories = {QUARRY_BUILD_DIR "/lib/quarry/plugins"};
  options.own_directories = 1;
  // As at a start: analysers, each in a process of its own, are loaded when they are needed.
  options.wanted = [](const plugins::Manifest& manifest, const auto&) {
    return manifest.isolation == "none";
  };
  for (auto _ : state) {
    auto registry = plugins::Registry::load(options);
    state.counters["plugins"] = static_cast<double>(registry->plugins().size());
    state.counters["each"] = benchmark::Counter(
        static_cast<double>(registry->plugins().size()),
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
    state.counters["problems"] = static_cast<double>(registry->problems().size());
    state.PauseTiming();
    registry.reset();
    state.ResumeTiming();
  }
}
BENCHMARK(load_all)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
