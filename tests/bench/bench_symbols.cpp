// Compares the definitions that a plugin symbols-<language> finds with those of universal-ctags.
//
// Usage: bench_symbols [--list N] [--truth FILE] LANGUAGE TREE…
//        bench_symbols --files LANGUAGE TREE…
//
// Prints one line of figures, then, for each kind, how many definitions only one of the two finds.
// With --list also up to N of each, so that mistakes of either can be told. A definition is found
// by both if its file and name are equal and its lines differ by one at most.
//
// FILE has what a parser of the language says, as the programs in symbol_truth print it for the
// paths that --files prints. Then a line tells how many definitions of each are none, and how many
// of ctags' that are definitions, and not variables of functions, we find.

#include <quarry/draft/symbols.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <dlfcn.h>
#include <filesystem>
#include <fnmatch.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <time.h>
#include <unistd.h>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct Language {
  const char* ctags;             ///< its name there; null if ctags does not know it
  std::set<std::string> ignore;  ///< kinds there that are no definitions
  /// It lists local variables, without saying so: those whose line is indented.
  bool indented_locals = false;
  /// The same, those that stand in a function.
  bool function_locals = false;
};

bool is_variable(const std::string& kind) {
  return kind == "variable" || kind == "constant";
}

/// `pattern` is "/^<line>$/".
bool is_indented(const std::string& pattern) {
  return pattern.starts_with("/^ ") || pattern.starts_with("/^\t");
}

const std::map<std::string, Language> kLanguages = {
    {"c", {"C", {}}},
    {"cpp", {"C++", {}}},
    {"c-sharp", {"C#", {}}},
    {"go", {"Go", {"packageName"}}},
    {"java", {"Java", {}}},
    {"javascript", {"JavaScript", {}, true}},
    {"typescript", {"TypeScript", {}, true}},
    {"tsx", {"TypeScript", {}, true}},
    {"kotlin", {"Kotlin", {}, false, true}},
    {"lua", {"Lua", {}}},
    {"php", {"PHP", {"alias"}}},
    {"python", {"Python", {"namespace", "module", "unknown"}}},
    {"ruby", {"Ruby", {"library"}}},
    {"rust", {"Rust", {}}},
    {"markdown", {"Markdown", {}}},
    {"html", {"HTML", {"anchor", "class", "stylesheet", "id", "script"}}},
    {"scala", {nullptr, {}}},
    {"swift", {nullptr, {}}},
};

struct Options {
  std::size_t list = 0;
  std::string truth;
  bool files_only = false;
};

struct Definition {
  std::string kind;
  std::string name;
  long line = 0;
  long first_line = 0;
  long last_line = 0;
  bool matched = false;
};
using Definitions = std::map<std::string, std::vector<Definition>>;  // by file

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Of this thread, so that other programs do not count.
double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// ctags leaves out the "#" of private names in JavaScript, adds the "~" of destructors in C#, and
/// adds "=" to those of accessors, and white space.
std::string plain(std::string name) {
  std::erase_if(name, [](char c) { return c == ' ' || c == '#' || c == '~'; });
  if (name.size() > 1 && name.back() == '=' && is_name(name[name.size() - 2])) name.pop_back();
  // Lua's and C#'s have their scopes there.
  const auto scope = name.find_last_of(".:");
  return scope == name.npos || scope + 1 == name.size() ? name : name.substr(scope + 1);
}

class Analyser {
 public:
  explicit Analyser(const std::string& language) {
    const fs::path folder = fs::path(QUARRY_BUILD_DIR) / "lib/quarry/plugins" / plugin_of(language);
    const fs::path linked = fs::path(QUARRY_BUILD_DIR) / "plugins/symbols-languages";
    const std::string file = plugin_of(language) + ".so";
    const fs::path module = fs::exists(folder / file) ? folder / file : linked / file;
    module_ = ::dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module_ == nullptr) throw std::runtime_error(::dlerror());
    const auto* entry = static_cast<const quarry_entry*>(::dlsym(module_, QUARRY_ENTRY_SYMBOL));
    for (std::uint32_t i = 0; i < entry->component_count; ++i) {
      if (entry->components[i]->name == language) component_ = entry->components[i];
    }
    Answer answer;
    component_->create(nullptr, &call_, {"{}", 2}, &instance_, &answer.reply);
    if (answer.failed) throw std::runtime_error(answer.text);
    const fs::path schema =
        fs::exists(folder / "schema.json") ? folder / "schema.json" : folder / (language + ".json");
    globs_ = Json::parse(read(schema)).at("files").get<std::vector<std::string>>();
  }

  [[nodiscard]] bool reads(const std::string& name) const {
    return std::ranges::any_of(
        globs_, [&](const auto& glob) { return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0; });
  }

  std::vector<Definition> definitions(const std::string& path, const std::string& text) {
    const auto* table = static_cast<const quarry_symbols_v1*>(component_->table);
    Answer answer;
    const double begin = processor_seconds();
    table->definitions(instance_, &call_, {path.data(), path.size()}, {text.data(), text.size()},
                       &answer.reply);
    const double took = processor_seconds() - begin;
    seconds += took;
    if (took > slowest) {
      slowest = took;
      slowest_file = path;
    }
    if (answer.failed) {
      std::cerr << path << ": " << answer.text << '\n';
      return {};
    }
    std::vector<Definition> found;
    const Json value = Json::parse(answer.text);
    for (const Json& one : value.at("definitions")) {
      found.push_back({one[0], one[1], one[2], one[3], one[4]});
    }
    return found;
  }

  double seconds = 0;
  double slowest = 0;
  std::string slowest_file;

 private:
  struct Answer {
    std::string text;
    bool failed = false;
    quarry_reply reply{sizeof(quarry_reply), this,
                       [](const quarry_reply* self, quarry_text json) {
                         static_cast<Answer*>(self->context)->text.assign(json.data, json.size);
                       },
                       [](const quarry_reply* self, const quarry_failure* failure) {
                         auto& answer = *static_cast<Answer*>(self->context);
                         answer.failed = true;
                         answer.text.assign(failure->message.data, failure->message.size);
                       }};
  };

  static std::string plugin_of(const std::string& language) {
    return language == "markdown" || language == "html" ? "symbols-documents"
                                                        : "symbols-" + language;
  }

  void* module_ = nullptr;
  void* instance_ = nullptr;
  const quarry_component* component_ = nullptr;
  std::vector<std::string> globs_;
  quarry_call call_{sizeof(quarry_call), nullptr, [](const quarry_call*) { return QUARRY_OK; },
                    [](const quarry_call*) { return INT64_MAX; },
                    [](const quarry_call*, quarry_text) {}};
};

Definitions run_ctags(const Language& language, const std::vector<std::string>& files) {
  Definitions found;
  const fs::path list = fs::temp_directory_path() / ("bench_symbols." + std::to_string(::getpid()));
  std::ofstream stream(list);
  for (const auto& file : files) stream << file << '\n';
  stream.close();
  const std::string command =
      "ctags --options=NONE --output-format=json --fields=+nK --language-force=" +
      std::string(language.ctags) + " -f - -L " + list.string() + " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  char* line = nullptr;
  std::size_t size = 0;
  while (::getline(&line, &size, pipe.get()) > 0) {
    const Json tag = Json::parse(line, nullptr, false);
    if (tag.is_discarded() || tag.value("_type", "") != "tag") continue;
    const std::string kind = tag.value("kind", "");
    const std::string name = tag.value("name", "");
    const bool made_up = name.starts_with("__anon") || name.starts_with("anonymousFunction") ||
                         name.starts_with("AnonymousFunction") ||
                         name.starts_with("AnonymousClass") || name == "<lambda>";
    if (made_up || language.ignore.contains(kind)) continue;
    if (language.indented_locals && is_variable(kind) && is_indented(tag.value("pattern", "")))
      continue;
    found[tag.value("path", "")].push_back({kind, name, tag.value("line", 0L), 0, 0});
  }
  ::free(line);
  fs::remove(list);
  return found;
}

void match(std::vector<Definition>& ours, std::vector<Definition>& theirs) {
  std::multimap<std::string, Definition*> by_name;
  for (Definition& one : ours) by_name.emplace(plain(one.name), &one);
  for (const long distance : {0L, 1L}) {
    for (Definition& other : theirs) {
      if (other.matched) continue;
      const auto [from, to] = by_name.equal_range(plain(other.name));
      for (auto one = from; one != to; ++one) {
        if (std::abs(one->second->line - other.line) > distance) continue;
        one->second->matched = other.matched = true;
      }
    }
  }
}

void drop_locals(std::vector<Definition>& theirs, const std::vector<Definition>& ours) {
  std::erase_if(theirs, [&](const Definition& other) {
    return is_variable(other.kind) && std::ranges::any_of(ours, [&](const Definition& one) {
             const bool callable =
                 one.kind == "function" || one.kind == "method" || one.kind == "constructor";
             return callable && one.line <= other.line && other.line <= one.last_line;
           });
  });
}

/// What a parser says of the names in each file.
class Truth {
 public:
  explicit Truth(const std::string& file) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
      const Json one = Json::parse(line);
      const std::string name = plain(one.at("name"));
      auto& known = known_[one.at("path")][{name, one.at("line")}];
      known = known || !one.at("local").get<bool>();
    }
  }

  enum class Verdict { kDefinition, kLocal, kWrong };
  [[nodiscard]] Verdict judge(const std::string& file, const Definition& one) const {
    const auto names = known_.find(file);
    Verdict verdict = Verdict::kWrong;
    if (names == known_.end()) return verdict;
    for (const long line : {one.line, one.line - 1, one.line + 1}) {
      const auto name = names->second.find({plain(one.name), line});
      if (name == names->second.end()) continue;
      if (name->second) return Verdict::kDefinition;
      verdict = Verdict::kLocal;
    }
    return verdict;
  }

  /// Files that the parser did not read are not judged.
  [[nodiscard]] bool has(const std::string& file) const { return known_.contains(file); }

 private:
  std::map<std::string, std::map<std::pair<std::string, long>, bool>> known_;  ///< not local
};

void print_verdicts(const Truth& truth, const Definitions& ours, const Definitions& theirs,
                    std::size_t list) {
  struct Count {
    std::size_t all = 0;
    std::size_t wrong = 0;
    std::size_t right = 0;
    std::size_t matched = 0;
  };
  const auto count = [&](const Definitions& all, const char* title) {
    Count out;
    std::size_t shown = 0;
    for (const auto& [file, definitions] : all) {
      if (!truth.has(file)) continue;
      for (const Definition& one : definitions) {
        const auto verdict = truth.judge(file, one);
        ++out.all;
        out.wrong += verdict == Truth::Verdict::kWrong ? 1 : 0;
        out.right += verdict == Truth::Verdict::kDefinition ? 1 : 0;
        const bool matched = verdict == Truth::Verdict::kDefinition && one.matched;
        out.matched += matched ? 1 : 0;
        const bool missed = verdict == Truth::Verdict::kDefinition && !one.matched;
        if ((verdict == Truth::Verdict::kWrong || (missed && &all == &theirs)) && shown < list) {
          ++shown;
          std::printf("    %s %s %s:%ld: %s %s\n", title, missed ? "missed by us" : "wrong",
                      file.c_str(), one.line, one.kind.c_str(), one.name.c_str());
        }
      }
    }
    return out;
  };
  const Count own = count(ours, "ours");
  const Count other = count(theirs, "ctags'");
  std::printf(
      "  judged: wrong %zu of %zu ours, %zu of %zu ctags'; of ctags' %zu definitions %zu = %.4f\n",
      own.wrong, own.all, other.wrong, other.all, other.right, other.matched,
      other.right == 0 ? 0.0
                       : static_cast<double>(other.matched) / static_cast<double>(other.right));
}

struct Difference {
  std::size_t all = 0;
  std::vector<std::string> missing;  ///< from the other
};

std::map<std::string, Difference> differences(const Definitions& all) {
  std::map<std::string, Difference> by_kind;
  for (const auto& [file, definitions] : all) {
    for (const Definition& one : definitions) {
      Difference& kind = by_kind[one.kind];
      ++kind.all;
      if (!one.matched)
        kind.missing.push_back(file + ":" + std::to_string(one.line) + ": " + one.name);
    }
  }
  return by_kind;
}

void print(const char* title, const std::map<std::string, Difference>& by_kind, std::size_t list) {
  for (const auto& [kind, difference] : by_kind) {
    std::printf("  %s %-16s %7zu of %7zu\n", title, kind.c_str(), difference.missing.size(),
                difference.all);
    // Evenly over the trees.
    const std::size_t step =
        std::max<std::size_t>(1, difference.missing.size() / std::max<std::size_t>(1, list));
    for (std::size_t i = 0; i < difference.missing.size() && i / step < list; i += step) {
      std::printf("    %s\n", difference.missing[i].c_str());
    }
  }
}

int run(const std::string& name, const std::vector<std::string>& trees, const Options& options) {
  const Language& language = kLanguages.at(name);
  Analyser analyser(name);
  std::vector<std::string> files;
  for (const auto& tree : trees) {
    if (fs::is_regular_file(tree)) files.push_back(tree);
    if (!fs::is_directory(tree)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(tree)) {
      if (entry.is_regular_file() && !entry.is_symlink() &&
          analyser.reads(entry.path().filename().string())) {
        files.push_back(entry.path().string());
      }
    }
  }
  std::ranges::sort(files);
  if (options.files_only) {
    for (const auto& file : files) std::printf("%s\n", file.c_str());
    return 0;
  }
  Definitions theirs;
  if (language.ctags != nullptr) theirs = run_ctags(language, files);
  Definitions ours;
  std::size_t bytes = 0;
  std::size_t our_count = 0;
  std::size_t their_count = 0;
  std::size_t both = 0;
  for (const auto& file : files) {
    const std::string text = read(file);
    bytes += text.size();
    auto& mine = ours[file] = analyser.definitions(file, text);
    if (language.function_locals) drop_locals(theirs[file], mine);
    match(mine, theirs[file]);
    our_count += mine.size();
    their_count += theirs[file].size();
    both += static_cast<std::size_t>(std::ranges::count(theirs[file], true, &Definition::matched));
  }
  std::printf(
      "%-11s %6zu files %7.2f MB %7zu definitions, %7zu of ctags' %7zu = %.4f; %.1f MB/s, slowest "
      "%.0f ms %s\n",
      name.c_str(), files.size(), static_cast<double>(bytes) / 1e6, our_count, both, their_count,
      their_count == 0 ? 0.0 : static_cast<double>(both) / static_cast<double>(their_count),
      static_cast<double>(bytes) / 1e6 / analyser.seconds, analyser.slowest * 1000,
      analyser.slowest_file.c_str());
  print("only ctags", differences(theirs), options.list);
  print("only ours ", differences(ours), options.list);
  if (!options.truth.empty()) print_verdicts(Truth(options.truth), ours, theirs, options.list);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  Options options;
  const auto take = [&](const char* name, std::size_t count) {
    if (arguments.size() <= count || arguments.front() != name) return std::string();
    std::string value = arguments[count];
    arguments.erase(arguments.begin(), arguments.begin() + 1 + static_cast<std::ptrdiff_t>(count));
    return value;
  };
  if (const std::string list = take("--list", 1); !list.empty()) options.list = std::stoul(list);
  options.truth = take("--truth", 1);
  options.files_only = !take("--files", 0).empty();
  if (arguments.size() < 2 || !kLanguages.contains(arguments.front())) {
    std::cerr << "Usage: bench_symbols [--list N] [--truth FILE] LANGUAGE TREE…\n"
                 "       bench_symbols --files LANGUAGE TREE…\n";
    return 2;
  }
  return run(arguments.front(), {arguments.begin() + 1, arguments.end()}, options);
}
