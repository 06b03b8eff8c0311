// Definitions by name over an indexed folder, as the tool `symbols` finds them, without its output.
// Usage: bench_symbol_lookup DIRECTORY [LOOKUPS]. The analyser is a heuristic of single lines, so
// that the numbers of definitions are those of real code and the time is that of the index alone.

#include "base/file.h"
#include "base/testing/test_executors.h"
#include "corpus/index/symbol_index.h"
#include "corpus/query/symbol_search.h"
#include "corpus/snapshot/pack.h"
#include "corpus/text/definitions.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

template <class T>
T must(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

class LineAnalyser final : public SymbolAnalyser {
 public:
  [[nodiscard]] std::string reader_of(std::string_view, std::string_view) const override {
    return "lines@1";
  }
  Result<std::vector<SymbolDefinition>> definitions(std::string_view, std::string_view text,
                                                    std::stop_token) override {
    std::vector<SymbolDefinition> found;
    std::int32_t container = -1;
    for (std::uint32_t line = 1; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const Definition one = find_definition(text.substr(0, end));
      if (!one.name.empty() && one.name.size() <= 1024) {
        if (one.is_container) container = static_cast<std::int32_t>(found.size());
        found.push_back({one.is_container ? "class" : "function", std::string(one.name), line, line,
                         line, one.is_container ? -1 : container});
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return found;
  }
  Result<std::vector<std::uint32_t>> references(std::string_view, std::string_view,
                                                std::string_view, std::stop_token) override {
    return std::vector<std::uint32_t>();
  }
};

class Bench {
 public:
  explicit Bench(const fs::path& folder) {
    TreeState tree = must(TreeState::scan(folder, {}, {}, executor_, {}));
    const auto snapshot = must(pack_directory(folder, tree, nullptr, root_, {}, executor_, {}, {}));
    const auto begin = Clock::now();
    for (std::uint32_t i = 0; i < snapshot->segments().size(); ++i) {
      if (!build_symbols(*snapshot, i, analyser_, executor_, {})) std::exit(1);
    }
    const double built = milliseconds_since(begin);
    std::uintmax_t bytes = 0;
    std::size_t definitions = 0;
    for (std::uint32_t i = 0; i < snapshot->segments().size(); ++i) {
      const auto index = snapshot->symbols(i);
      bytes += fs::file_size(snapshot->segments()[i]->directory() / SymbolIndex::kFileName);
      definitions += index->definition_count();
      const auto all = index->starting_with("");
      for (auto name = all.begin; name < all.end; ++name) names_.emplace_back(index->name(name));
      add_scoped(*index);
      std::ranges::sort(scoped_);
      const auto twins = std::ranges::unique(scoped_);
      scoped_.erase(twins.begin(), twins.end());
    }
    std::printf("%zu files, %.1f MB of text, %zu segments\n", snapshot->files().size(),
                static_cast<double>(snapshot->text_bytes()) / 1e6, snapshot->segments().size());
    std::printf("%zu definitions of %zu names, %.1f MB of index, built in %.0f ms\n", definitions,
                names_.size(), static_cast<double>(bytes) / 1e6, built);
    all_.emplace(Collection({{"tree", snapshot}}));
  }
  ~Bench() { fs::remove_all(root_); }

  /// Adds the definitions within others, with the name of what encloses them.
  void add_scoped(const SymbolIndex& index) {
    for (SymbolId id = 0; id < index.definition_count(); ++id) {
      const SymbolRecord one = *index.record(id);
      if (one.parent < 0) continue;
      const auto parent = index.record(index.first_definition(index.file_of(id)) +
                                       static_cast<SymbolId>(one.parent));
      scoped_.push_back(std::string(index.name(parent->name)) +
                        "::" + std::string(index.name(one.name)));
    }
  }

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const std::vector<std::string>& scoped() const { return scoped_; }

  /// Prints the times of `count` look-ups of what `change` makes of some of `names`.
  template <class Change>
  void run(const char* title, std::size_t count, const std::vector<std::string>& names,
           Change change) {
    std::mt19937 random(1);
    std::vector<double> times;
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i) {
      SymbolQuery query;
      query.name = change(names[random() % names.size()]);
      const auto begin = Clock::now();
      const auto result = must(find_definitions(*all_, query, analyser_, executor_, {}));
      times.push_back(milliseconds_since(begin));
      found += result.total;
    }
    std::ranges::sort(times);
    std::printf("%-22s p50 %.3f ms, p99 %.3f ms, most %.3f ms; %.1f definitions\n", title,
                times[count / 2], times[count * 99 / 100], times.back(),
                static_cast<double>(found) / static_cast<double>(count));
  }

 private:
  InlineExecutor executor_;
  fs::path root_ = must(make_temp_directory(fs::temp_directory_path(), "quarry-bench-"));
  LineAnalyser analyser_;
  std::vector<std::string> names_;
  std::vector<std::string> scoped_;
  std::optional<Collection> all_ = std::nullopt;
};

int run(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_symbol_lookup DIRECTORY [LOOKUPS]\n");
    return 2;
  }
  const std::size_t count = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 10'000;
  Bench bench(argv[1]);
  const auto as_it_is = [](const std::string& name) { return name; };
  bench.run("a name", count, bench.names(), as_it_is);
  bench.run("in capitals", count, bench.names(), [](std::string name) {
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
    return name;
  });
  bench.run("not there", count, bench.names(), [](std::string name) { return name + "_no"; });
  bench.run("without the last letter", count, bench.names(), [](const std::string& name) {
    return name.substr(0, std::max<std::size_t>(name.size() - 1, 1));
  });
  bench.run("with a scope", count, bench.scoped(), as_it_is);
  return 0;
}

}  // namespace
}  // namespace quarry::corpus

int main(int argc, char** argv) {
  return quarry::corpus::run(argc, argv);
}
