// Scanning, packing and watching a folder, warm. The folder is that of QUARRY_BENCH_TREE, by
// default the sources of Go as Debian packages them (golang-1.19-src). Packed snapshots are
// written, and removed, beneath TMPDIR; the folder itself is copied there for the benchmarks that
// change a file.

#include "base/file.h"
#include "base/testing/test_executors.h"
#include "corpus/query/collection.h"
#include "corpus/snapshot/pack.h"
#include "corpus/snapshot/watch.h"
#include "corpus/tools/testing/text_page.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;
using SnapshotPtr = std::shared_ptr<const Snapshot>;

template <class T>
T must(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

fs::path tree() {
  const char* path = std::getenv("QUARRY_BENCH_TREE");
  return path != nullptr ? path : "/usr/share/go-1.19";
}

/// Two threads, an output directory, and the base snapshot of every pack.
struct Bench {
  Threads executor{2};
  fs::path root = must(make_temp_directory(fs::temp_directory_path(), "quarry-bench-"));
  ~Bench() { fs::remove_all(root); }

  fs::path new_directory() { return must(make_temp_directory(root, "d")); }
  TreeState scan(const fs::path& folder) {
    return must(TreeState::scan(folder, {}, {}, executor, {}));
  }
  SnapshotPtr pack(const fs::path& folder, const TreeState& state, const Snapshot* previous) {
    return must(pack_directory(folder, state, previous, new_directory(), {}, executor, {}, {}));
  }
};

void report(benchmark::State& state, const Snapshot& snapshot) {
  state.counters["files"] = static_cast<double>(snapshot.files().size());
  state.counters["text_MB"] = static_cast<double>(snapshot.text_bytes()) / 1e6;
}

void scan(benchmark::State& state) {
  Bench bench;
  std::size_t files = 0;
  for (auto _ : state) files = bench.scan(tree()).file_count();
  state.counters["files"] = static_cast<double>(files);
}
BENCHMARK(scan)->Unit(benchmark::kMillisecond)->UseRealTime();

void pack(benchmark::State& state) {
  Bench bench;
  const TreeState seen = bench.scan(tree());
  SnapshotPtr packed = bench.pack(tree(), seen, nullptr);
  for (auto _ : state) {
    const fs::path old = packed->directory();
    packed = bench.pack(tree(), seen, nullptr);
    state.PauseTiming();
    fs::remove_all(old);
    state.ResumeTiming();
  }
  report(state, *packed);
  const auto bytes = static_cast<std::int64_t>(packed->text_bytes());
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * bytes);
}
BENCHMARK(pack)->Unit(benchmark::kMillisecond)->UseRealTime();

void pack_unchanged(benchmark::State& state) {
  Bench bench;
  const TreeState seen = bench.scan(tree());
  const SnapshotPtr first = bench.pack(tree(), seen, nullptr);
  for (auto _ : state) bench.pack(tree(), seen, first.get());
  report(state, *first);
}
BENCHMARK(pack_unchanged)->Unit(benchmark::kMillisecond)->UseRealTime();

void pack_one_changed(benchmark::State& state) {
  Bench bench;
  const fs::path copy = bench.root / "copy";
  fs::copy(tree(), copy, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  const SnapshotPtr first = bench.pack(copy, bench.scan(copy), nullptr);
  int edit = 0;
  for (auto _ : state) {
    std::ofstream(copy / "edited") << ++edit;
    bench.pack(copy, bench.scan(copy), first.get());
  }
  report(state, *first);
}
BENCHMARK(pack_one_changed)->Unit(benchmark::kMillisecond)->UseRealTime();

void open_snapshot(benchmark::State& state) {
  Bench bench;
  const SnapshotPtr first = bench.pack(tree(), bench.scan(tree()), nullptr);
  for (auto _ : state) benchmark::DoNotOptimize(must(Snapshot::open(first->directory())));
  report(state, *first);
}
BENCHMARK(open_snapshot)->Unit(benchmark::kMillisecond)->UseRealTime();

void write_snapshot(benchmark::State& state) {
  Bench bench;
  const SnapshotPtr first = bench.pack(tree(), bench.scan(tree()), nullptr);
  for (auto _ : state) {
    const fs::path out = bench.new_directory();
    auto writer = must(SnapshotWriter::create(out, {}, {}));
    for (const FileRef file : first->files()) {
      const Status added = writer->add(first->path(file), first->segment(file).text(file.file));
      if (!added) state.SkipWithError(added.error().message.c_str());
    }
    must(writer->finish());
    state.PauseTiming();
    fs::remove_all(out);
    state.ResumeTiming();
  }
  report(state, *first);
}
BENCHMARK(write_snapshot)->Unit(benchmark::kMillisecond)->UseRealTime();

void watch_start(benchmark::State& state) {
  for (auto _ : state) {
    const auto watch = FolderWatch::start(tree(), {});
    if (!watch->limitation().empty()) state.SkipWithError(watch->limitation().c_str());
  }
}
BENCHMARK(watch_start)->Unit(benchmark::kMillisecond)->UseRealTime();

void watch_unchanged(benchmark::State& state) {
  const auto watch = FolderWatch::start(tree(), {});
  for (auto _ : state) benchmark::DoNotOptimize(watch->changed());
}
BENCHMARK(watch_unchanged)->Unit(benchmark::kMicrosecond);

void glob_tool(benchmark::State& state) {
  Bench bench;
  const Collection all({{"tree", bench.pack(tree(), bench.scan(tree()), nullptr)}});
  const Json arguments = {{"glob", "**/*_test.{go,c}"}};
  for (auto _ : state) {
    benchmark::DoNotOptimize(must(text_page(list_page, all, arguments, bench.executor)));
  }
}
BENCHMARK(glob_tool)->Unit(benchmark::kMillisecond);

void read_tool(benchmark::State& state) {
  Bench bench;
  const SnapshotPtr snapshot = bench.pack(tree(), bench.scan(tree()), nullptr);
  const Collection all({{"tree", snapshot}});
  FileRef longest = snapshot->files().front();
  for (const FileRef file : snapshot->files()) {
    const auto lines = [&](FileRef ref) { return snapshot->segment(ref).line_count(ref.file); };
    if (lines(file) > lines(longest)) longest = file;
  }
  const auto middle = snapshot->segment(longest).line_count(longest.file) / 2;
  const Json arguments = {{"path", "tree/" + std::string(snapshot->path(longest))},
                          {"startLine", middle}};
  for (auto _ : state) {
    benchmark::DoNotOptimize(must(text_page(read_page, all, arguments, bench.executor)));
  }
}
BENCHMARK(read_tool)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace quarry::corpus

BENCHMARK_MAIN();
