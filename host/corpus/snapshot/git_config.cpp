#include "corpus/snapshot/git_config.h"

#include "base/file.h"
#include "base/text.h"
#include "corpus/text/glob.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostConfigurationBytes = 1u << 20;
constexpr int kMostFiles = 50;  // of configuration, since one may include itself

std::string text_of_file(const fs::path& path) {
  auto text = read_file(path, kMostConfigurationBytes);
  return text ? std::move(*text) : std::string();
}

/// The path in the file `path`, relative to `base`: "gitdir: ../x" or "../x"; empty if none is.
fs::path path_in(const fs::path& path, std::string_view prefix, const fs::path& base) {
  const std::string text = text_of_file(path);
  std::string_view line = text;
  if (!line.starts_with(prefix)) return {};
  line = trim(line.substr(prefix.size()));
  if (line.empty() || line.contains('\0')) return {};
  return (base / line).lexically_normal();
}

/// One "key = value" of a file of configuration; names in lower case.
struct GitSetting {
  std::string section;    ///< with its subsection
  std::string condition;  ///< the subsection, as it is written
  std::string key;
  std::string value;
};

/// Reads the syntax of git-config(1).
class GitSettings {
 public:
  explicit GitSettings(std::string_view text) : rest_(text) {}

  /// The next setting; nullopt at the end.
  std::optional<GitSetting> next() {
    while (!rest_.empty()) {
      skip_space();
      if (rest_.starts_with('[')) {
        read_section();
      } else if (rest_.starts_with('#') || rest_.starts_with(';')) {
        skip_line();
      } else if (!rest_.empty()) {
        return setting();
      }
    }
    return std::nullopt;
  }

 private:
  void skip_space() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }
  void skip_line() { rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size())); }

  void read_section() {
    const std::size_t end = std::min(rest_.find_first_of("]\n"), rest_.size());
    const std::string_view section = trim(rest_.substr(1, end - 1));
    const std::size_t quote = std::min(section.find('"'), section.size());
    section_ = to_lower(section);
    condition_ = section.substr(quote);
    std::erase(condition_, '"');
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
  }

  GitSetting setting() {
    const std::size_t end = std::min(rest_.find_first_of("=\n"), rest_.size());
    GitSetting out{section_, condition_, to_lower(trim(rest_.substr(0, end))), "true"};
    rest_.remove_prefix(end);
    if (!rest_.starts_with('=')) return out;
    rest_.remove_prefix(1);
    out.value = value();
    return out;
  }

  std::string value() {
    std::string out;
    std::size_t kept = 0;  // without white space at the end
    bool quoted = false;
    while (!rest_.empty() && !rest_.starts_with('\n')) {
      char byte = take();
      if (byte == '"') {
        quoted = !quoted;
        kept = out.size();
        continue;
      }
      if (!quoted && (byte == '#' || byte == ';')) {
        skip_line();
        break;
      }
      const bool escaped = byte == '\\' && !rest_.empty();
      if (escaped) byte = take();
      if (escaped && byte == '\n') continue;
      out += escaped && byte == 't' ? '\t' : escaped && byte == 'n' ? '\n' : byte;
      if (quoted || escaped || !std::string_view(" \t\r").contains(byte)) kept = out.size();
    }
    out.resize(kept);
    out.erase(0, std::min(out.find_first_not_of(" \t"), out.size()));
    return out;
  }

  char take() {
    const char byte = rest_.front();
    rest_.remove_prefix(1);
    return byte;
  }

  std::string_view rest_;
  std::string section_;
  std::string condition_;
};

/// A path as git reads it: "~/" is the home, and others are relative to `base`.
fs::path expanded(const std::string& value, const GitUser& user, const fs::path& base) {
  if (value.empty()) return {};
  if (value.starts_with("~/")) return user.home.empty() ? fs::path() : user.home / value.substr(2);
  return (base / value).lexically_normal();
}

/// True if `directory`, that of a repository, matches the condition "gitdir:<pattern>" or
/// "gitdir/i:<pattern>" of a file in the folder `base`; others are not met.
bool is_met(std::string_view condition, const fs::path& directory, const GitUser& user,
            const fs::path& base) {
  const bool any_case = condition.starts_with("gitdir/i:");
  if (!any_case && !condition.starts_with("gitdir:")) return false;
  std::string pattern(condition.substr(condition.find(':') + 1));
  if (pattern.starts_with("~/")) pattern = user.home.string() + pattern.substr(1);
  if (pattern.starts_with("./")) pattern = base.string() + pattern.substr(1);
  if (!pattern.starts_with('/')) pattern.insert(0, "/**/");
  if (pattern.ends_with('/')) pattern += "**";
  const auto glob = Glob::compile(any_case ? to_lower(pattern) : pattern, Glob::Dialect::kGit);
  std::error_code failed;
  for (const fs::path& path : {directory, fs::weakly_canonical(directory, failed)}) {
    const std::string text = path.relative_path().string();
    if (glob && glob->matches(any_case ? to_lower(text) : text)) return true;
  }
  return false;
}

/// Reads what files of configuration, and those that they include, say of core.excludesFile.
class ExcludesSearch {
 public:
  ExcludesSearch(const GitUser& user, fs::path top, fs::path directory)
      : user_(user), top_(std::move(top)), directory_(std::move(directory)) {}

  void read(const fs::path& file) {
    if (++files_ > kMostFiles) return;
    const std::string text = text_of_file(file);
    GitSettings settings(text);
    while (const auto setting = settings.next()) {
      if (setting->section == "core" && setting->key == "excludesfile") {
        found_ = expanded(setting->value, user_, top_);
      } else if (setting->key == "path" && is_included(*setting, file.parent_path())) {
        const fs::path included = expanded(setting->value, user_, file.parent_path());
        if (!included.empty()) read(included);
      }
    }
  }
  /// The last one; nullopt if none says anything.
  [[nodiscard]] const std::optional<fs::path>& found() const { return found_; }

 private:
  [[nodiscard]] bool is_included(const GitSetting& setting, const fs::path& base) const {
    if (setting.section == "include") return true;
    return setting.section.starts_with("includeif ") &&
           is_met(setting.condition, directory_, user_, base);
  }

  const GitUser& user_;
  fs::path top_;
  fs::path directory_;
  int files_ = 0;
  std::optional<fs::path> found_;
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read only
  return value == nullptr ? std::string() : value;
}

}  // namespace

std::optional<GitDirectories> git_directories(const fs::path& top) {
  std::error_code ignored;
  fs::path own = top / ".git";
  if (!fs::is_directory(own, ignored)) own = path_in(own, "gitdir:", top);
  if (own.empty() || !fs::is_directory(own, ignored)) return std::nullopt;
  fs::path common = path_in(own / "commondir", "", own);
  if (common.empty()) common = own;
  return GitDirectories{std::move(own), std::move(common)};
}

GitUser GitUser::of_environment() {
  GitUser user{.home = variable("HOME"), .configuration = {}, .default_excludes = {}};
  fs::path folder = variable("XDG_CONFIG_HOME");
  if (folder.empty() && !user.home.empty()) folder = user.home / ".config";
  if (!folder.empty()) user.default_excludes = folder / "git/ignore";
  const std::string system = variable("GIT_CONFIG_SYSTEM");
  if (variable("GIT_CONFIG_NOSYSTEM").empty()) {
    user.configuration.push_back(system.empty() ? fs::path("/etc/gitconfig") : fs::path(system));
  }
  const char* global = std::getenv("GIT_CONFIG_GLOBAL");  // NOLINT(concurrency-mt-unsafe)
  if (global != nullptr) {
    user.configuration.emplace_back(global);
    return user;
  }
  if (!folder.empty()) user.configuration.push_back(folder / "git/config");
  if (!user.home.empty()) user.configuration.push_back(user.home / ".gitconfig");
  return user;
}

fs::path excludes_file(const fs::path& top, const GitDirectories& directories,
                       const GitUser& user) {
  ExcludesSearch search(user, top, directories.own);
  for (const fs::path& file : user.configuration) search.read(file);
  search.read(directories.common / "config");
  search.read(directories.own / "config.worktree");
  return search.found() ? *search.found() : user.default_excludes;
}

}  // namespace quarry::corpus
