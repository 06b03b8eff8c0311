// Quality and speed of ranked search, on judged questions over trees that package managers install,
// compared with SQLite's FTS5 in the same run. See search_eval/README.md.

#include "base/file.h"
#include "base/json.h"
#include "base/testing/test_executors.h"
#include "base/text.h"
#include "corpus/index/word_index.h"
#include "corpus/query/question_words.h"
#include "corpus/query/weighted_search.h"
#include "corpus/snapshot/pack.h"
#include "corpus/text/words.h"
#include "search_peer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

namespace quarry::bench {
namespace {

namespace fs = std::filesystem;
using corpus::Collection;
using corpus::RankingWeights;
using Time = std::chrono::steady_clock;

constexpr std::uint32_t kPassagesAsked = 20;

double seconds_since(Time::time_point start) {
  return std::chrono::duration<double>(Time::now() - start).count();
}

struct Judged {
  std::string tree;
  std::string split;
  std::string question;
  std::set<std::string> files;
};

struct Options {
  fs::path folder = QUARRY_SOURCE_DIR "/tests/bench/search_eval";
  std::map<std::string, std::string> trees;
  std::vector<std::string> only;
  std::vector<std::pair<std::string, std::string>> weights;
  std::string json;
  bool peer = true;
  bool speed = true;
  bool ablate = false;
  bool tune = false;
  bool verbose = false;
};

/// Every weight by name, for changes from the command line.
std::map<std::string, double*> named(RankingWeights& w) {
  return {{"file", &w.file},
          {"path", &w.path},
          {"whole", &w.whole},
          {"pair", &w.pair},
          {"definition", &w.definition},
          {"mention", &w.mention},
          {"relatives", &w.relatives},
          {"frequent", &w.frequent},
          {"demotion", &w.demotion},
          {"repeat", &w.repeat},
          {"rarity", &w.rarity},
          {"twin", &w.twin},
          {"siblings", &w.siblings},
          {"k1", &w.k1},
          {"b", &w.b},
          {"file_k1", &w.file_k1},
          {"file_b", &w.file_b}};
}

struct Quality {
  int questions = 0;
  int first = 0;
  int five = 0;
  double reciprocal = 0;

  void add(std::size_t rank) {
    ++questions;
    if (rank == 0) return;
    first += rank == 1;
    five += rank <= 5;
    reciprocal += 1.0 / static_cast<double>(rank);
  }
  [[nodiscard]] double mrr() const { return questions == 0 ? 0 : reciprocal / questions; }
  [[nodiscard]] Json json() const {
    const double n = std::max(questions, 1);
    return {{"questions", questions}, {"hit@1", first / n}, {"hit@5", five / n}, {"mrr", mrr()}};
  }
};

void print(const std::string& name, const Quality& q) {
  const double n = std::max(q.questions, 1);
  std::printf("  %-28s %3d questions  hit@1 %5.1f %%  hit@5 %5.1f %%  MRR %.3f\n", name.c_str(),
              q.questions, 100 * q.first / n, 100 * q.five / n, q.mrr());
}

/// Rank of the first judged file among the distinct files of an answer; 0 when none is found.
std::size_t rank_of(const Judged& judged, const std::vector<std::string>& paths) {
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    seen.insert(path);
    if (judged.files.contains(path)) return seen.size();
  }
  return 0;
}

struct Tree {
  std::string name;
  std::shared_ptr<const corpus::Snapshot> snapshot;
  double text_mb = 0;
  double index_ratio = 0;
  double build_rate = 0;  // MB/s
  std::unique_ptr<FtsPeer> peer;
  double peer_rate = 0;
  double peer_ratio = 0;
};

std::shared_ptr<const corpus::Snapshot> pack(const fs::path& root, const fs::path& out) {
  auto writer = *corpus::SnapshotWriter::create(out, {}, {false, false, false});
  for (auto at = fs::recursive_directory_iterator(root); at != fs::recursive_directory_iterator();
       ++at) {
    if (at->is_symlink() || !at->is_regular_file()) continue;
    const auto bytes = read_file(at->path());
    if (!bytes) continue;
    if (const Status added = writer->add(at->path().lexically_relative(root).string(), *bytes);
        !added) {
      std::fprintf(stderr, "%s: %s\n", at->path().c_str(), added.error().message.c_str());
    }
  }
  return *writer->finish();
}

void build_index(Tree& tree, Executor& executor) {
  const corpus::Segment& segment = *tree.snapshot->segments()[0];
  const fs::path out = segment.directory() / corpus::WordIndex::kFileName;
  const auto start = Time::now();
  const Status built = corpus::WordIndex::build(segment, out, executor, {});
  tree.build_rate = tree.text_mb / seconds_since(start);
  if (!built) std::fprintf(stderr, "%s\n", built.error().message.c_str());
  tree.index_ratio = static_cast<double>(fs::file_size(out)) / 1e6 / tree.text_mb;
}

void build_peer(Tree& tree) {
  const auto start = Time::now();
  tree.peer = std::make_unique<FtsPeer>();
  for (const corpus::FileRef file : tree.snapshot->files()) {
    tree.peer->add(tree.snapshot->path(file), tree.snapshot->segment(file).text(file.file));
  }
  tree.peer->finish();
  tree.peer_rate = tree.text_mb / seconds_since(start);
  tree.peer_ratio = static_cast<double>(tree.peer->bytes()) / 1e6 / tree.text_mb;
}

std::vector<std::string> peer_words(const std::string& question) {
  std::vector<std::string> words;
  corpus::WordScanner scanner(question);
  for (std::string_view word; !(word = scanner.next()).empty();) {
    std::string lower = corpus::lower_word(word);
    if (!corpus::is_stop_word(lower)) words.push_back(std::move(lower));
  }
  return words;
}

std::vector<std::string> ask(const Tree& tree, const std::string& question,
                             const RankingWeights& weights, Executor& executor) {
  const Collection collection({{tree.name, tree.snapshot}});
  const auto found =
      corpus::weighted_search(collection, {question, "", kPassagesAsked}, weights, executor, {});
  std::vector<std::string> paths;
  if (!found) return paths;
  for (const corpus::Passage& passage : *found) {
    paths.push_back(passage.path.substr(tree.name.size() + 1));
  }
  return paths;
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

Json timing(const std::string& name, const std::vector<double>& ms) {
  std::printf("  %-28s median %.2f ms  p99 %.2f  max %.2f\n", name.c_str(), quantile(ms, 0.5),
              quantile(ms, 0.99), quantile(ms, 1));
  return {{"median_ms", quantile(ms, 0.5)},
          {"p99_ms", quantile(ms, 0.99)},
          {"max_ms", quantile(ms, 1)}};
}

class Bench {
 public:
  explicit Bench(Options options) : options_(std::move(options)), threads_(2) {}

  int run() {
    if (!load()) return 1;
    for (auto& [name, weight] : options_.weights) {
      const auto all = named(weights_);
      if (!all.contains(name)) return complain("no weight is called " + name);
      *all.at(name) = std::stod(weight);
    }
    scratch_ = *make_temp_directory(fs::temp_directory_path(), "quarry-bench-");
    for (const auto& [name, path] : options_.trees) open_tree(name, path);
    measure_quality();
    if (options_.ablate) measure_ingredients();
    if (options_.tune) tune();
    if (options_.speed) measure_speed();
    if (!options_.json.empty()) {
      (void)write_file_atomically(options_.json, report_.dump(2) + "\n");
    }
    trees_.clear();
    fs::remove_all(scratch_);
    return missing_ == 0 ? 0 : 2;
  }

 private:
  static int complain(const std::string& what) {
    std::fprintf(stderr, "bench_search: %s\n", what.c_str());
    return 1;
  }

  bool load() {
    const auto trees = read_file(options_.folder / "trees.json");
    const auto questions = read_file(options_.folder / "questions.jsonl");
    if (!trees || !questions) return complain("no questions in " + options_.folder.string()) == 0;
    const Json known = *parse_json(*trees);
    for (const auto& [name, tree] : known.items()) {
      options_.trees.try_emplace(name, tree.at("path").get<std::string>());
    }
    for (const std::string_view line : split(*questions, '\n')) {
      if (line.empty()) continue;
      const Json json = *parse_json(line);
      const auto files = json.at("files").get<std::vector<std::string>>();
      judged_.push_back(
          {json.at("tree"), json.at("split"), json.at("question"), {files.begin(), files.end()}});
    }
    return true;
  }

  void open_tree(const std::string& name, const std::string& path) {
    if (!options_.only.empty() && std::ranges::find(options_.only, name) == options_.only.end()) {
      return;
    }
    if (!fs::is_directory(path)) {
      std::printf("MISSING tree %s: %s is not there\n", name.c_str(), path.c_str());
      report_["missing"].push_back(name);
      ++missing_;
      return;
    }
    Tree tree;
    tree.name = name;
    tree.snapshot = pack(path, *make_temp_directory(scratch_, "t"));
    tree.text_mb = static_cast<double>(tree.snapshot->text_bytes()) / 1e6;
    build_index(tree, threads_);
    if (options_.peer) build_peer(tree);
    std::printf("%-8s %6zu files %7.1f MB  build %6.1f MB/s (fts5 %5.1f)  size %.3f (fts5 %.3f)\n",
                name.c_str(), tree.snapshot->files().size(), tree.text_mb, tree.build_rate,
                tree.peer_rate, tree.index_ratio, tree.peer_ratio);
    report_["trees"][name] = {
        {"files", tree.snapshot->files().size()}, {"text_mb", tree.text_mb},
        {"build_mb_per_s", tree.build_rate},      {"index_ratio", tree.index_ratio},
        {"fts5_build_mb_per_s", tree.peer_rate},  {"fts5_index_ratio", tree.peer_ratio}};
    for (const Judged& judged : judged_) {
      if (judged.tree == name) check_files(tree, judged);
    }
    trees_.emplace(name, std::move(tree));
  }

  static void check_files(const Tree& tree, const Judged& judged) {
    for (const std::string& file : judged.files) {
      if (!tree.snapshot->find(file)) {
        std::printf("MISSING file %s:%s of \"%s\"\n", tree.name.c_str(), file.c_str(),
                    judged.question.c_str());
      }
    }
  }

  template <class Ask>
  std::map<std::string, Quality> quality(Ask ask_one) {
    std::map<std::string, Quality> by_set;
    for (const Judged& judged : judged_) {
      const auto tree = trees_.find(judged.tree);
      if (tree == trees_.end()) continue;
      const std::size_t rank = ask_one(tree->second, judged);
      by_set[judged.tree].add(rank);
      by_set["all " + judged.split].add(rank);
      by_set["all"].add(rank);
    }
    return by_set;
  }

  void measure_quality() {
    std::printf("quality, quarry\n");
    const auto ours = quality([&](const Tree& tree, const Judged& judged) {
      const auto paths = ask(tree, judged.question, weights_, threads_);
      const std::size_t rank = rank_of(judged, paths);
      if (options_.verbose && rank != 1) {
        std::printf("    %-6s rank %zu  %s\n", tree.name.c_str(), rank, judged.question.c_str());
        for (std::size_t i = 0; i < paths.size() && i < 4; ++i) {
          std::printf("             %s\n", paths[i].c_str());
        }
      }
      return rank;
    });
    for (const auto& [set, q] : ours) {
      print(set, q);
      report_["quality"][set] = q.json();
    }
    if (!options_.peer) return;
    std::printf("quality, fts5\n");
    for (const auto& [set, q] : quality([&](const Tree&tree, const Judged&judged) {
           return rank_of(judged, tree.peer->search(peer_words(judged.question), 50));
         })) {
      print(set, q);
      report_["fts5_quality"][set] = q.json();
    }
  }

  /// The ranking without one ingredient at a time.
  void measure_ingredients() {
    std::printf("without one ingredient\n");
    for (const char* name : {"file", "path", "whole", "pair", "definition", "mention", "relatives",
                             "siblings", "twin", "demotion"}) {
      RankingWeights without = weights_;
      *named(without).at(name) = 0;
      const auto sets = quality([&](const Tree& tree, const Judged& judged) {
        return rank_of(judged, ask(tree, judged.question, without, threads_));
      });
      print(std::string("- ") + name, sets.at("all"));
      report_["without"][name] = sets.at("all").json();
    }
  }

  std::map<std::string, Quality> quality_with(const RankingWeights& weights) {
    return quality([&](const Tree& tree, const Judged& judged) {
      return rank_of(judged, ask(tree, judged.question, weights, threads_));
    });
  }

  /// The quality of the development questions, with equal weight for each tree.
  static double goal(const std::map<std::string, Quality>& sets) {
    const Quality& dev = sets.at("all dev");
    return dev.mrr() + 0.3 * dev.five / std::max(dev.questions, 1);
  }

  /// Coordinate ascent on the development questions; the held-out ones are only reported.
  void tune() {
    std::printf("tuning on the development questions\n");
    double best = goal(quality_with(weights_));
    for (int round = 0; round < 3; ++round) {
      const double before = best;
      for (const auto& [name, weight] : named(weights_)) {
        for (const double factor : {0.5, 0.75, 1.33, 2.0}) {
          const double old = *weight;
          *weight = old == 0 ? factor * 0.2 : old * factor;
          const auto sets = quality_with(weights_);
          if (goal(sets) <= best + 1e-4) {
            *weight = old;
            continue;
          }
          best = goal(sets);
          std::printf("  %s=%.3f  dev %.3f held-out %.3f\n", name.c_str(), *weight,
                      sets.at("all dev").mrr(), sets.at("all held-out").mrr());
        }
      }
      if (best == before) break;
    }
    for (const auto& [set, q] : quality_with(weights_)) print(set, q);
  }

  void measure_speed() {
    std::printf("time of a query, three rounds, warm\n");
    for (const auto& [name, tree] : trees_) {
      std::vector<double> ours;
      std::vector<double> theirs;
      for (int round = 0; round < 3; ++round) {
        for (const Judged& judged : judged_) {
          const auto start = Time::now();
          (void)ask(tree, judged.question, weights_, threads_);
          if (round > 0) ours.push_back(1e3 * seconds_since(start));
          if (!options_.peer) continue;
          const auto peer_start = Time::now();
          (void)tree.peer->search(peer_words(judged.question), 50);
          if (round > 0) theirs.push_back(1e3 * seconds_since(peer_start));
        }
      }
      report_["speed"][name] = timing(name, ours);
      if (options_.peer) report_["fts5_speed"][name] = timing(name + " (fts5)", theirs);
    }
  }

  Options options_;
  Threads threads_;
  RankingWeights weights_;
  std::vector<Judged> judged_;
  std::map<std::string, Tree> trees_;
  fs::path scratch_;
  Json report_ = Json::object();
  int missing_ = 0;
};

std::pair<std::string, std::string> pair_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  return {text.substr(0, equals), equals == text.npos ? "" : text.substr(equals + 1)};
}

constexpr const char* kUsage =
    "usage: bench_search [--tree NAME=PATH]… [--only NAME]… [--weight NAME=VALUE]…\n"
    "                    [--questions FOLDER] [--json FILE] [--no-peer] [--no-speed] [--ablate] "
    "[--tune] "
    "[--verbose]\n";

int main_with(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    const std::string value = i + 1 < arguments.size() ? arguments[i + 1] : "";
    const bool takes_value = name == "--tree" || name == "--only" || name == "--weight" ||
                             name == "--questions" || name == "--json";
    if (name == "--tree") options.trees.insert(pair_of(value));
    if (name == "--only") options.only.push_back(value);
    if (name == "--weight") options.weights.push_back(pair_of(value));
    if (name == "--questions") options.folder = value;
    if (name == "--json") options.json = value;
    if (name == "--no-peer") options.peer = false;
    if (name == "--no-speed") options.speed = false;
    if (name == "--ablate") options.ablate = true;
    if (name == "--tune") options.tune = true;
    if (name == "--verbose") options.verbose = true;
    if (takes_value) {
      ++i;
    } else if (name != "--no-peer" && name != "--no-speed" && name != "--ablate" &&
               name != "--tune" && name != "--verbose") {
      std::fputs(kUsage, stderr);
      return 1;
    }
  }
  return Bench(std::move(options)).run();
}

}  // namespace
}  // namespace quarry::bench

int main(int count, char** arguments) {
  return quarry::bench::main_with({arguments + 1, arguments + count});
}
