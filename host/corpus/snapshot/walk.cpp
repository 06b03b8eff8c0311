#include "corpus/snapshot/walk.h"

#include "corpus/snapshot/builtin_ignore.h"
#include "corpus/snapshot/left_out.h"
#include "corpus/snapshot/repository_ignore.h"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <functional>
#include <map>

#include <sys/stat.h>

namespace quarry::corpus {
namespace {

struct Name {
  std::string text;
  unsigned char type;  // DT_…
};

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using DirectoryStream = std::unique_ptr<DIR, CloseDirectory>;

DirectoryStream open_stream(const Beneath& root, const std::string& path) {
  const auto fd = root.open_directory(path);
  if (!fd) return nullptr;
  // The stream takes ownership of its descriptor, so it gets a duplicate.
  const int own = ::fcntl(fd->get(), F_DUPFD_CLOEXEC, 0);
  return DirectoryStream(own < 0 ? nullptr : ::fdopendir(own));
}

std::vector<Name> read_names(DIR* stream) {
  std::vector<Name> names;
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.push_back({std::string(name), entry->d_type});
  }
  return names;
}

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

Signature signature_of(const struct stat& status) {
  return {nanoseconds(status.st_mtim), nanoseconds(status.st_ctim),
          static_cast<std::uint64_t>(status.st_size), status.st_ino, status.st_dev};
}

std::string join_path(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : directory + '/' + name;
}

// The host's own rules.
constexpr const char* kDependencyRule = "directories of dependencies and builds";
constexpr const char* kSecretRule = "files that may hold secrets";

/// The walk of one directory.
class Visit {
 public:
  Visit(const Beneath& root, const OpenDirectory& directory, const PackRules& rules,
        WalkDetail detail)
      : root_(root), directory_(directory), rules_(rules), detail_(detail) {}

  WalkedDirectory run() {
    const DirectoryStream stream = open_stream(root_, directory_.path);
    if (!stream) return unreadable();
    names_ = read_names(stream.get());
    const auto holds = [this](std::string_view name) { return this->holds(name); };
    const bool is_root = directory_.path.empty();
    if (!is_root && rules_.skip_dependencies && is_marked_directory(holds)) return marked();
    enter_scopes();
    for (const Name& name : names_) visit(::dirfd(stream.get()), name);
    for (auto& [rule, by] : ignored_) found_.ignored.push_back(std::move(by));
    return std::move(found_);
  }

 private:
  WalkedDirectory unreadable() {
    if (detail_ == WalkDetail::kDirectories) return {};
    return {{{directory_.path, TreeEntry::Type::kUnreadable, {}}}, {}, 0, {}};
  }

  /// A directory that says itself that it is left out.
  WalkedDirectory marked() {
    WalkedDirectory nothing;
    if (detail_ != WalkDetail::kReport) return nothing;
    nothing.ignored.push_back({.rule = kDependencyRule,
                               .entries = 1,
                               .directories = 1,
                               .examples = {directory_.path + '/'}});
    return nothing;
  }

  [[nodiscard]] bool holds(std::string_view name) const {
    return std::ranges::find(names_, name, &Name::text) != names_.end();
  }

  void enter_scopes() {
    if (!rules_.honour_ignore_files) return;
    scopes_ = directory_.scopes;
    if (!directory_.path.empty() && holds(".git")) enter_repository();
    if (scopes_.in_repository && holds(".gitignore"))
      add_patterns(".gitignore", scopes_.repository);
    if (holds(".ignore")) add_patterns(".ignore", scopes_.own);
  }

  /// A repository within the tree: git's files above do not hold in it. (walk_root() has read the
  /// files of the repository of the root.)
  void enter_repository() {
    scopes_.in_repository = true;
    scopes_.repository = nullptr;
    const auto files =
        unshared_ignore_files(root_.path() / directory_.path, GitUser::of_environment());
    for (const RepositoryIgnore::File& file : files) {
      const std::string origin =
          file.origin.empty() ? join_path(directory_.path, file.name) : file.origin;
      scopes_.repository = std::make_shared<const IgnoreScope>(
          directory_.path, GitIgnore::parse(file.text, origin), scopes_.repository);
    }
  }

  void add_patterns(const std::string& name, std::shared_ptr<const IgnoreScope>& scope) const {
    const std::string path = join_path(directory_.path, name);
    const auto text = root_.read(path, kMostIgnoreBytes);
    if (!text) return;
    scope =
        std::make_shared<const IgnoreScope>(directory_.path, GitIgnore::parse(*text, path), scope);
  }

  [[nodiscard]] bool is_ignored(const std::string& path, bool is_directory) {
    const IgnoreRule* rule = scopes_.ignoring(path, is_directory);
    if (rule == nullptr) return false;
    if (detail_ != WalkDetail::kDirectories) leave_out(rule->origin, path, is_directory);
    return true;
  }

  void leave_out(std::string_view rule, const std::string& path, bool is_directory) {
    auto found = ignored_.find(rule);
    if (found == ignored_.end()) {
      found = ignored_.emplace(rule, IgnoredBy{.rule = std::string(rule)}).first;
    }
    IgnoredBy& by = found->second;
    ++by.entries;
    by.directories += is_directory ? 1 : 0;
    if (detail_ != WalkDetail::kReport || by.examples.size() == kMostExamples) return;
    by.examples.push_back(is_directory ? path + '/' : path);
  }
  void report(std::string_view rule, const std::string& path, bool is_directory) {
    if (detail_ == WalkDetail::kReport) leave_out(rule, path, is_directory);
  }

  void visit(int fd, const Name& name) {
    unsigned char type = name.type;
    struct stat status {};
    const bool wants_status = detail_ == WalkDetail::kSignatures && type != DT_DIR;
    if (type == DT_UNKNOWN || wants_status) {
      if (::fstatat(fd, name.text.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return;
      type = IFTODT(status.st_mode);
    }
    if (type == DT_DIR) return visit_directory(name.text);
    if (detail_ == WalkDetail::kDirectories || (type != DT_REG && type != DT_LNK)) return;
    visit_file(name.text, type, status);
  }

  void visit_directory(const std::string& name) {
    if (is_version_control(name)) return;
    const auto has_sibling = [this](std::string_view sibling) { return holds(sibling); };
    std::string path = join_path(directory_.path, name);
    if (rules_.skip_dependencies &&
        (is_dependency_directory(name) || is_build_directory(name, has_sibling))) {
      return report(kDependencyRule, path, true);
    }
    if (is_ignored(path, true)) return;
    found_.directories.push_back({std::move(path), scopes_});
  }

  void visit_file(const std::string& name, unsigned char type, const struct stat& status) {
    if (is_version_control(name)) return;
    std::string path = join_path(directory_.path, name);
    if (is_ignored(path, false)) return;
    if (rules_.skip_secrets && is_secret_file(path)) {
      ++found_.secrets;
      return report(kSecretRule, path, false);
    }
    const auto kind = type == DT_LNK ? TreeEntry::Type::kLink : TreeEntry::Type::kFile;
    found_.entries.push_back({std::move(path), kind, signature_of(status)});
  }

  const Beneath& root_;
  const OpenDirectory& directory_;
  const PackRules& rules_;
  WalkDetail detail_;
  std::vector<Name> names_;
  IgnoreScopes scopes_;
  std::map<std::string, IgnoredBy, std::less<>> ignored_;  // by rule
  WalkedDirectory found_;
};

}  // namespace

OpenDirectory walk_root(const Beneath& root, const PackRules& rules) {
  if (!rules.honour_ignore_files) return {};
  return {"", read_repository_ignore(root).scopes()};
}

Signature signature_in(const Beneath& root, const std::string& name) {
  struct stat status {};
  const bool found = ::fstatat(root.fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                     S_ISREG(status.st_mode);
  return found ? signature_of(status) : Signature();
}

WalkedDirectory walk_directory(const Beneath& root, const OpenDirectory& directory,
                               const PackRules& rules, WalkDetail detail) {
  return Visit(root, directory, rules, detail).run();
}

}  // namespace quarry::corpus
