// Measures grep and glob against ripgrep on the same files, in the same run.
//
// Usage: bench_grep [--json FILE] [TREE…]      (default tree: /usr/share/go-1.19)
//
// More than 30,000 files: bench_grep /usr/share/go-1.19 /usr/include
//
// The trees are packed into a snapshot, and its texts are written back as files for ripgrep, so
// both read the same bytes. Figures are medians of interleaved rounds.

#include "base/file.h"
#include "base/testing/test_executors.h"
#include "corpus/index/trigram_index.h"
#include "corpus/query/grep.h"
#include "corpus/snapshot/pack.h"
#include "corpus/tools/testing/text_page.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

constexpr int kRounds = 5;

double milliseconds(auto&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Reads up to `lines` lines of `command`'s output, then closes it.
std::size_t run_peer(const std::string& command, std::size_t lines) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  std::array<char, 65536> buffer;
  std::size_t seen = 0;
  while (seen < lines && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) ++seen;
  return seen;
}

struct Case {
  std::string name;
  std::string pattern;
  bool ignore_case = false;
};

class Bench {
 public:
  Bench(std::filesystem::path work, const std::vector<std::string>& trees)
      : work_(std::move(work)) {
    std::filesystem::create_directories(work_ / "snapshot");
    auto writer = *SnapshotWriter::create(work_ / "snapshot", {}, PackRules{});
    for (std::size_t i = 0; i < trees.size(); ++i) add(*writer, trees[i], "t" + std::to_string(i));
    auto snapshot = *writer->finish();
    write_back(*snapshot);
    facts_["files"] = snapshot->files().size();
    facts_["text_bytes"] = snapshot->text_bytes();
    collection_ = std::make_unique<Collection>(std::vector<Source>{{"tree", snapshot}});
  }

  void measure(const std::string& state, const std::vector<Case>& cases) {
    std::printf("%-28s %9s %9s %8s\n", state.c_str(), "ours ms", "rg ms", "ratio");
    for (const Case& one : cases) measure_grep(state, one);
    for (const char* pattern : {"**/*_test.go", "**/net/**", "**/*allocator*"}) {
      measure_glob(state, pattern);
    }
    std::printf("\n");
  }

  void build() {
    const Snapshot& snapshot = *collection_->sources().front().snapshot;
    const Segment& segment = *snapshot.segments().front();
    const auto alone = work_ / "trigrams";
    const double time = milliseconds([&] { (void)TrigramIndex::build(segment, alone, pool_, {}); });
    const auto text = static_cast<double>(snapshot.text_bytes());
    const auto size = static_cast<double>(std::filesystem::file_size(alone));
    std::printf("trigram index: %.0f ms, %.0f MB/s, %.3f of the text\n\n", time, text / 1000 / time,
                size / text);
    facts_["index"] = {{"ms", time}, {"mb_per_s", text / 1000 / time}, {"of_text", size / text}};
    if (const Status built = build_indexes(snapshot, pool_, {}); !built) {
      std::cerr << built.error().message << '\n';
    }
  }

  [[nodiscard]] const Json& facts() const { return facts_; }

 private:
  static void add(SnapshotWriter& writer, const std::string& tree, const std::string& prefix) {
    using std::filesystem::recursive_directory_iterator;
    const auto root = std::filesystem::canonical(tree);
    for (const auto& entry : recursive_directory_iterator(
             root, std::filesystem::directory_options::follow_directory_symlink)) {
      if (!entry.is_regular_file()) continue;
      const auto bytes = read_file(entry.path());
      const std::string path = prefix + '/' + entry.path().lexically_relative(root).string();
      if (bytes) (void)writer.add(path, *bytes);
    }
  }

  void write_back(const Snapshot& snapshot) {
    for (const FileRef file : snapshot.files()) {
      const auto path = work_ / "files" / snapshot.path(file);
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path, std::ios::binary) << snapshot.segment(file).text(file.file);
    }
  }

  void report(const std::string& state, const std::string& name, std::vector<double> ours,
              std::vector<double> theirs, std::size_t matches) {
    const double our = median(std::move(ours));
    const double their = median(std::move(theirs));
    std::printf("%-28s %9.2f %9.1f %7.1fx   %zu found\n", name.c_str(), our, their, their / our,
                matches);
    facts_[state][name] = {{"ms", our}, {"ripgrep_ms", their}, {"ratio", their / our}};
  }

  void measure_grep(const std::string& state, const Case& one) {
    GrepQuery query;
    query.pattern = one.pattern;
    query.ignore_case = one.ignore_case;
    const std::string command = "cd '" + (work_ / "files").string() +
                                "' && rg --no-config -uuu -a -n -j2 " +
                                (one.ignore_case ? "-i " : "") + "-e '" + one.pattern + "' .";
    std::vector<double> ours;
    std::vector<double> theirs;
    std::size_t matches = 0;
    for (int round = 0; round < kRounds; ++round) {
      ours.push_back(
          milliseconds([&] { matches = grep(*collection_, query, pool_, {})->matches; }));
      theirs.push_back(milliseconds([&] { run_peer(command, 100); }));
    }
    report(state, one.name, std::move(ours), std::move(theirs), matches);
  }

  void measure_glob(const std::string& state, const std::string& pattern) {
    constexpr std::size_t kLimit = 1000;
    const Json arguments = {{"glob", pattern}, {"limit", kLimit}};
    const std::string command = "cd '" + (work_ / "files").string() +
                                "' && rg --no-config -uuu -j2 --files -g '" + pattern + "'";
    std::size_t found = 0;
    std::vector<double> ours;
    std::vector<double> theirs;
    for (int round = 0; round < kRounds; ++round) {
      ours.push_back(
          milliseconds([&] { (void)text_page(list_page, *collection_, arguments, pool_); }));
      theirs.push_back(milliseconds([&] { found = run_peer(command, kLimit); }));
    }
    report(state, "glob " + pattern, std::move(ours), std::move(theirs), found);
  }

  std::filesystem::path work_;
  Threads pool_{2};
  std::unique_ptr<Collection> collection_;
  Json facts_;
};

int run(const std::vector<std::string>& trees, const std::string& json) {
  const auto work = make_temp_directory(std::filesystem::temp_directory_path(), "quarry-bench-");
  if (!work) return std::cerr << work.error().message << '\n', 1;
  Bench bench(*work, trees);
  const std::vector<Case> cases = {
      {"literal, no match", "ThisStandsNowhereAtAll"},
      {"literal, few matches", "errUnsupportedCurve|NewReaderSize"},
      {"literal in an expression", "func\\s+NewReaderSize\\("},
      {"alternation", "ErrUnexpectedEOF|ErrShortWrite|ErrNoProgress"},
      {"any case, few matches", "unexpectedeofreader", true},
      {"no literal, first 100", "[A-Z][a-z]+[0-9]{4}[A-Z]"},
      {"no literal, no match", "[A-Z][a-z]+[0-9]{9}[A-Z]"},
      {"common word, first 100", "return"},
  };
  bench.measure("without an index", cases);
  bench.build();
  bench.measure("with the index", cases);
  if (!json.empty()) std::ofstream(json) << bench.facts().dump(2) << '\n';
  std::filesystem::remove_all(*work);
  return 0;
}

}  // namespace
}  // namespace quarry::corpus

int main(int argc, char** argv) {
  std::vector<std::string> trees(argv + 1, argv + argc);
  std::string json;
  if (trees.size() > 1 && trees.front() == "--json") {
    json = trees[1];
    trees.erase(trees.begin(), trees.begin() + 2);
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (trees.empty()) trees.emplace_back("/usr/share/go-1.19");
  return quarry::corpus::run(trees, json);
}
