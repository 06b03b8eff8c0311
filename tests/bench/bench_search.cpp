// Quality and speed of ranked search, on judged questions over trees that package managers install,
// compared with SQLite's FTS5 in the same run. See search_eval/README.md.

#include "base/file.h"
#include "base/json.h"
#include "base/testing/test_executors.h"
#include "base/text.h"
#include "corpus/index/word_index.h"
#include "corpus/query/evaluation.h"
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
using corpus::JudgedQuestion;
using corpus::RankingQuality;
using corpus::RankingTable;
using corpus::RankingWeights;
using Time = std::chrono::steady_clock;

/// Of MRR, for each origin of questions, by a change of ranking that gains elsewhere.
constexpr double kAcceptedLoss = 0.01;
constexpr std::uint32_t kPassagesAsked = 50;  // at most three of one file: 17 files and more

double seconds_since(Time::time_point start) {
  return std::chrono::duration<double>(Time::now() - start).count();
}

struct Options {
  fs::path folder = QUARRY_SOURCE_DIR "/tests/bench/search_eval";
  fs::path fetched = QUARRY_SOURCE_DIR "/build/search_trees";  ///< of fetch_trees
  std::map<std::string, std::string> trees;
  std::vector<std::string> only;
  std::vector<std::pair<std::string, std::string>> weights;
  std::vector<std::string> variants;
  std::string against;  ///< an earlier --json file
  fs::path cache;       ///< keeps indexes for the next run; "" = nowhere
  std::string json;
  bool peer = true;
  bool speed = true;
  bool ablate = false;
  bool verbose = false;
};

/// Every weight by name, for changes from the command line.
std::map<std::string, double RankingWeights::*> named() {
  using W = RankingWeights;
  return {
      {"file", &W::file},
      {"path", &W::path},
      {"whole", &W::whole},
      {"pair", &W::pair},
      {"definition", &W::definition},
      {"mention", &W::mention},
      {"mention_body", &W::mention_body},
      {"body", &W::body},
      {"code", &W::code},
      {"echo", &W::echo},
      {"tests", &W::tests},
      {"generated", &W::generated},
      {"change_logs", &W::change_logs},
      {"vendored", &W::vendored},
      {"translations", &W::translations},
      {"examples", &W::examples},
      {"declarations", &W::declarations},
      {"other", &W::other},
      {"prose_for_code", &W::prose_for_code},
      {"source_for_documents", &W::source_for_documents},
      {"data", &W::data},
      {"project", &W::project},
      {"relatives", &W::relatives},
      {"frequent", &W::frequent},
      {"repeat", &W::repeat},
      {"rarity", &W::rarity},
      {"twin", &W::twin},
      {"siblings", &W::siblings},
      {"imported", &W::imported},
      {"k1", &W::k1},
      {"b", &W::b},
      {"file_k1", &W::file_k1},
      {"file_b", &W::file_b},
  };
}

/// The forms whose weights `name` changes ("issue.body", or "body" for all), without the form.
std::vector<RankingWeights*> forms_of(RankingTable& table, std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return {&table.short_question, &table.long_question, &table.issue};
  const std::string form = name.substr(0, dot);
  name.erase(0, dot + 1);
  if (form == "short") return {&table.short_question};
  if (form == "long") return {&table.long_question};
  if (form == "issue") return {&table.issue};
  return {};
}

/// Ranks of the answers by set of questions.
using Ranks = std::map<std::string, std::vector<std::uint32_t>>;

/// Where a question is from. Ours, which do not tell it, are told apart by kind and style.
std::string origin_of(const JudgedQuestion& judged) {
  return judged.origin.empty() ? judged.kind + ", " + judged.style : judged.origin;
}

/// The sets that a question belongs to: its split, and its groups within the split.
std::vector<std::string> sets_of(const JudgedQuestion& judged) {
  const std::string& split = judged.split;
  return {"all",
          split,
          split + ", tree " + judged.tree,
          split + ", answered by " + judged.kind,
          split + (judged.names_identifier ? ", with identifier" : ", without identifier"),
          split + ", style " + judged.style,
          "origin " + origin_of(judged)};
}

Json json_of(const corpus::Measure& m) {
  return {{"value", m.value}, {"low", m.low}, {"high", m.high}};
}

Json json_of(const RankingQuality& q) {
  return {{"questions", q.questions},
          {"hit@1", json_of(q.hit_1)},
          {"hit@5", json_of(q.hit_5)},
          {"hit@10", json_of(q.hit_10)},
          {"mrr", json_of(q.mrr)}};
}

void print(const std::string& name, const RankingQuality& q) {
  std::printf("  %-34s %3zu  hit@1 %.3f [%.2f-%.2f]  @5 %.3f  @10 %.3f  MRR %.3f [%.2f-%.2f]\n",
              name.c_str(), q.questions, q.hit_1.value, q.hit_1.low, q.hit_1.high, q.hit_5.value,
              q.hit_10.value, q.mrr.value, q.mrr.low, q.mrr.high);
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
  double bytes = 0;
  const auto start = Time::now();
  for (const auto& segment : tree.snapshot->segments()) {
    const fs::path out = segment->directory() / corpus::WordIndex::kFileName;
    const Status built = corpus::WordIndex::build(*segment, out, executor, {});
    if (!built) std::fprintf(stderr, "%s\n", built.error().message.c_str());
    bytes += static_cast<double>(fs::file_size(out));
  }
  tree.build_rate = tree.text_mb / seconds_since(start);
  tree.index_ratio = bytes / 1e6 / tree.text_mb;
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
                             const RankingTable& weights, Executor& executor) {
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
    for (const auto& [name, weight] : options_.weights) {
      if (!set_weight(weights_, name, weight)) return 1;
    }
    scratch_ = *make_temp_directory(fs::temp_directory_path(), "quarry-bench-");
    for (const auto& [name, path] : options_.trees) open_tree(name, path);
    measure_quality();
    for (const std::string& variant : options_.variants) measure_variant(variant);
    if (options_.ablate) measure_ingredients();
    if (options_.speed) measure_speed();
    const bool kept = options_.against.empty() || compare_with(options_.against);
    if (!options_.json.empty()) {
      (void)write_file_atomically(options_.json, report_.dump(2) + "\n");
    }
    trees_.clear();
    fs::remove_all(scratch_);
    if (missing_ != 0) return 2;
    return kept ? 0 : 3;
  }

 private:
  static int complain(const std::string& what) {
    std::fprintf(stderr, "bench_search: %s\n", what.c_str());
    return 1;
  }

  static bool set_weight(RankingTable& table, const std::string& name, const std::string& value) {
    std::string weight = name;
    const std::vector<RankingWeights*> forms = forms_of(table, weight);
    const auto all = named();
    if (forms.empty() || !all.contains(weight)) {
      return complain("no weight is called " + name) == 0;
    }
    for (RankingWeights* form : forms) form->*all.at(weight) = std::stod(value);
    return true;
  }

  bool load() {
    const auto trees = read_file(options_.folder / "trees.json");
    const auto questions = read_file(options_.folder / "questions.jsonl");
    if (!trees || !questions) return complain("no questions in " + options_.folder.string()) == 0;
    const Json known = *parse_json(*trees);
    for (const auto& [name, tree] : known.items()) {
      const fs::path path = tree.at("path").get<std::string>();
      options_.trees.try_emplace(name, path.is_absolute() ? path : options_.fetched / path);
    }
    auto judged = corpus::read_judged_questions(*questions);
    if (!judged) return complain("questions.jsonl: " + judged.error().message) == 0;
    judged_ = std::move(*judged);
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
    open_snapshot(tree, path);
    if (options_.peer) build_peer(tree);
    std::printf("%-8s %6zu files %7.1f MB  build %6.1f MB/s (fts5 %5.1f)  size %.3f (fts5 %.3f)\n",
                name.c_str(), tree.snapshot->files().size(), tree.text_mb, tree.build_rate,
                tree.peer_rate, tree.index_ratio, tree.peer_ratio);
    report_["trees"][name] = {
        {"files", tree.snapshot->files().size()}, {"text_mb", tree.text_mb},
        {"build_mb_per_s", tree.build_rate},      {"index_ratio", tree.index_ratio},
        {"fts5_build_mb_per_s", tree.peer_rate},  {"fts5_index_ratio", tree.peer_ratio}};
    for (const JudgedQuestion& judged : judged_) {
      if (judged.tree == name) check_files(tree, judged);
    }
    trees_.emplace(name, std::move(tree));
  }

  /// Opens the tree's snapshot with its index, from the cache if it was made before.
  void open_snapshot(Tree& tree, const std::string& path) {
    std::string name = tree.name;
    std::ranges::replace(name, '/', '+');
    const fs::path kept = options_.cache / name;
    if (!options_.cache.empty() && fs::exists(kept)) {
      tree.snapshot = *corpus::Snapshot::open(kept);
      tree.text_mb = static_cast<double>(tree.snapshot->text_bytes()) / 1e6;
      return;
    }
    const fs::path parent = options_.cache.empty() ? scratch_ : options_.cache;
    const fs::path made = *make_temp_directory(parent, "t");
    tree.snapshot = pack(path, made);
    tree.text_mb = static_cast<double>(tree.snapshot->text_bytes()) / 1e6;
    build_index(tree, threads_);
    if (options_.cache.empty()) return;
    fs::rename(made, kept);
    tree.snapshot = *corpus::Snapshot::open(kept);
  }

  static void check_files(const Tree& tree, const JudgedQuestion& judged) {
    for (const std::string& file : judged.files) {
      if (!tree.snapshot->find(file)) {
        std::printf("MISSING file %s:%s of \"%s\"\n", tree.name.c_str(), file.c_str(),
                    judged.question.c_str());
      }
    }
  }

  template <class Ask>
  Ranks ranks(Ask ask_one) {
    Ranks by_set;
    for (const JudgedQuestion& judged : judged_) {
      const auto tree = trees_.find(judged.tree);
      if (tree == trees_.end()) continue;
      const std::uint32_t rank = corpus::rank_of_answer(judged, ask_one(tree->second, judged));
      for (const std::string& set : sets_of(judged)) by_set[set].push_back(rank);
    }
    return by_set;
  }

  Ranks ranks_with(const RankingTable& weights) {
    return ranks([&](const Tree& tree, const JudgedQuestion& judged) {
      return ask(tree, judged.question, weights, threads_);
    });
  }

  void report(const Ranks& by_set, const char* member) {
    for (const auto& [set, all] : by_set) {
      const RankingQuality quality = corpus::measure_ranks(all);
      print(set, quality);
      report_[member][set] = json_of(quality);
    }
  }

  /// Prints an answer that is not first, and the files before it.
  static void print_miss(const JudgedQuestion& judged, const std::vector<std::string>& paths) {
    const std::uint32_t rank = corpus::rank_of_answer(judged, paths);
    if (rank == 1) return;
    std::printf("    %-6s %s rank %u  %s\n", judged.tree.c_str(), judged.split.c_str(), rank,
                judged.question.c_str());
    for (std::size_t i = 0; i < paths.size() && i < 4; ++i) {
      std::printf("             %s\n", paths[i].c_str());
    }
  }

  void measure_quality() {
    std::printf("quality, quarry\n");
    report(ranks([&](const Tree& tree, const JudgedQuestion& judged) {
             auto paths = ask(tree, judged.question, weights_, threads_);
             if (options_.verbose) print_miss(judged, paths);
             return paths;
           }),
           "quality");
    if (!options_.peer) return;
    std::printf("quality, fts5\n");
    report(ranks([&](const Tree& tree, const JudgedQuestion& judged) {
             return tree.peer->search(peer_words(judged.question), kPassagesAsked);
           }),
           "fts5_quality");
  }

  /// Prints the MRR of each origin beside that of an earlier report; false if one fell too far.
  bool compare_with(const std::string& file) {
    const auto text = read_file(file);
    const auto earlier = text ? parse_json(*text) : text.error();
    if (!earlier) return complain(file + ": " + earlier.error().message) == 0;
    bool kept = true;
    std::printf("by origin, against %s\n", file.c_str());
    for (const auto& [set, now] : report_["quality"].items()) {
      if (!set.starts_with("origin ") || !(*earlier)["quality"].contains(set)) continue;
      const double before = (*earlier)["quality"][set]["mrr"]["value"].get<double>();
      const double change = now["mrr"]["value"].get<double>() - before;
      kept = kept && change >= -kAcceptedLoss;
      std::printf("  %-34s MRR %.3f → %.3f (%+.3f)%s\n", set.c_str(), before, before + change,
                  change, change < -kAcceptedLoss ? "  too low" : "");
    }
    return kept;
  }

  /// Prints the groups of the development questions whose MRR a variant changes.
  void measure_variant(const std::string& variant) {
    RankingTable changed = weights_;
    for (const std::string_view change : split(variant, ',')) {
      const std::size_t equals = change.find('=');
      if (equals == change.npos || !set_weight(changed, std::string(change.substr(0, equals)),
                                               std::string(change.substr(equals + 1)))) {
        return;
      }
    }
    std::printf("with %s\n", variant.c_str());
    if (base_.empty()) base_ = ranks_with(weights_);
    const Ranks& before = base_;
    for (const auto& [set, all] : ranks_with(changed)) {
      const RankingQuality old = corpus::measure_ranks(before.at(set));
      const RankingQuality now = corpus::measure_ranks(all);
      if (!(set.starts_with("dev") || set.starts_with("origin")) || old.mrr.value == now.mrr.value)
        continue;
      std::printf("  %-34s hit@1 %.3f → %.3f  MRR %.3f → %.3f (%+.3f)\n", set.c_str(),
                  old.hit_1.value, now.hit_1.value, old.mrr.value, now.mrr.value,
                  now.mrr.value - old.mrr.value);
    }
  }

  /// The ranking without one ingredient at a time.
  void measure_ingredients() {
    std::printf("without one ingredient\n");
    for (const char* name :
         {"file", "path", "whole", "pair", "definition", "mention", "relatives", "siblings"}) {
      RankingTable without = weights_;
      (void)set_weight(without, name, "0");
      const RankingQuality quality = corpus::measure_ranks(ranks_with(without).at("all"));
      print(std::string("- ") + name, quality);
      report_["without"][name] = json_of(quality);
    }
  }

  void measure_speed() {
    std::printf("time of a query, three rounds, warm\n");
    for (const auto& [name, tree] : trees_) {
      std::vector<double> ours;
      std::vector<double> theirs;
      for (int round = 0; round < 3; ++round) {
        for (const JudgedQuestion& judged : judged_) {
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
  RankingTable weights_;
  Ranks base_;
  std::vector<JudgedQuestion> judged_;
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
    "                    [--questions FOLDER] [--fetched FOLDER] [--variant NAME=VALUE,…]…\n"
    "                    [--cache FOLDER] [--json FILE] [--against FILE]\n"
    "                    [--no-peer] [--no-speed] [--ablate] [--verbose]\n";

int main_with(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    const std::string value = i + 1 < arguments.size() ? arguments[i + 1] : "";
    const bool takes_value = name == "--tree" || name == "--only" || name == "--weight" ||
                             name == "--questions" || name == "--json" || name == "--fetched" ||
                             name == "--variant" || name == "--cache" || name == "--against";
    if (name == "--tree") options.trees.insert(pair_of(value));
    if (name == "--only") options.only.push_back(value);
    if (name == "--weight") options.weights.push_back(pair_of(value));
    if (name == "--questions") options.folder = value;
    if (name == "--fetched") options.fetched = value;
    if (name == "--variant") options.variants.push_back(value);
    if (name == "--json") options.json = value;
    if (name == "--cache") options.cache = value;
    if (name == "--against") options.against = value;
    if (name == "--no-peer") options.peer = false;
    if (name == "--no-speed") options.speed = false;
    if (name == "--ablate") options.ablate = true;
    if (name == "--verbose") options.verbose = true;
    if (takes_value) {
      ++i;
    } else if (name != "--no-peer" && name != "--no-speed" && name != "--ablate" &&
               name != "--verbose") {
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
