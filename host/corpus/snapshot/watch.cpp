#include "corpus/snapshot/watch.h"

#include "corpus/snapshot/file_system_kind.h"
#include "corpus/snapshot/repository_ignore.h"
#include "corpus/snapshot/walk.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <set>
#include <unistd.h>
#include <unordered_map>

#include <sys/inotify.h>
#include <sys/stat.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;

// A change through a mapping is reported when the file is closed (IN_CLOSE_WRITE).
constexpr std::uint32_t kEvents = IN_CREATE | IN_DELETE | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB |
                                  IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF |
                                  IN_ONLYDIR | IN_DONT_FOLLOW;
constexpr std::uint32_t kNameEvents = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
constexpr std::uint32_t kSelfGone = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT;

/// A folder that cannot be watched: anything may have changed.
class NoWatch final : public FolderWatch {
 public:
  explicit NoWatch(std::string why) : why_(std::move(why)) {}
  TreeChanges changes() override { return {.everything = true}; }
  [[nodiscard]] std::string limitation() const override { return why_; }

 private:
  std::string why_;
};

std::string reason(int number) {
  if (number == ENOSPC) {
    return "the system's limit on watches is reached (fs.inotify.max_user_watches)";
  }
  if (number == EMFILE) {
    return "the system's limit on watchers is reached (fs.inotify.max_user_instances)";
  }
  return system_error("the folder cannot be watched", number).message;
}

bool is_beneath(std::string_view path, std::string_view directory) {
  return directory.empty() || path == directory ||
         (path.starts_with(directory) && path[directory.size()] == '/');
}

class InotifyWatch final : public FolderWatch {
 public:
  InotifyWatch(fs::path path, Beneath root, PackRules rules, Fd queue)
      : path_(std::move(path)),
        root_(std::move(root)),
        rules_(rules),
        queue_(std::move(queue)),
        repository_(read_repository_ignore(root_)) {
    watch_tree(walk_root(root_, rules_));
  }

  TreeChanges changes() override {
    std::lock_guard lock(mutex_);
    if (!limitation_.empty()) return {.everything = true};
    changes_.everything = repository_changed();
    drain();
    if (!still_there()) give_up("the folder was moved or removed");
    refresh();
    if (!limitation_.empty()) changes_.everything = true;
    return std::exchange(changes_, {});
  }

  [[nodiscard]] std::string limitation() const override {
    std::lock_guard lock(mutex_);
    return limitation_;
  }

 private:
  /// Watches a directory and everything below it. Each directory is watched before it is listed, so
  /// a name that appears in between is either listed or reported.
  void watch_tree(OpenDirectory top) {
    std::vector<OpenDirectory> open = {std::move(top)};
    while (!open.empty() && limitation_.empty()) {
      const OpenDirectory directory = std::move(open.back());
      open.pop_back();
      if (!watch(directory)) continue;
      auto below = walk_directory(root_, directory, rules_, WalkDetail::kDirectories).directories;
      std::ranges::move(below, std::back_inserter(open));
    }
  }

  /// False if the directory does not exist or may not be read, or watching has been given up.
  bool watch(const OpenDirectory& directory) {
    const std::string path = (path_ / directory.path).string();
    if (auto why = unwatchable(path); !why.empty()) {
      give_up(std::move(why));
      return false;
    }
    const int id = ::inotify_add_watch(queue_.get(), path.c_str(), kEvents);
    if (id >= 0) {
      directories_.insert_or_assign(id, directory);
      ids_.insert_or_assign(directory.path, id);
      return true;
    }
    // An unreadable directory is one entry of the tree; changes in it are not visible.
    const bool harmless = errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP;
    if (!harmless) give_up(reason(errno));
    return false;
  }

  void forget_tree(std::string_view path) {
    for (auto at = ids_.begin(); at != ids_.end();) {
      if (!is_beneath(at->first, path)) {
        ++at;
        continue;
      }
      ::inotify_rm_watch(queue_.get(), at->second);
      directories_.erase(at->second);
      at = ids_.erase(at);
    }
  }

  /// Reads all queued events.
  void drain() {
    alignas(inotify_event) std::array<char, 64 << 10> buffer;
    for (;;) {
      const ssize_t got = ::read(queue_.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return;
      for (ssize_t at = 0; at < got;) {
        const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
        take(*event);
        at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      }
    }
  }

  void take(const inotify_event& event) {
    if ((event.mask & IN_Q_OVERFLOW) != 0) {
      stale_.insert("");
      changes_.everything = true;
      return;
    }
    const auto found = directories_.find(event.wd);
    if (found == directories_.end()) return;
    const std::string path = found->second.path;
    // What a directory that appears or disappears does to others is not followed.
    if ((event.mask & (IN_ISDIR | IN_IGNORED | kSelfGone)) != 0) changes_.everything = true;
    changes_.directories.insert(path);
    if ((event.mask & IN_IGNORED) != 0) {
      directories_.erase(found);
      const auto id = ids_.find(path);
      if (id != ids_.end() && id->second == event.wd) ids_.erase(id);
      return;
    }
    const std::string_view name = event.len > 0 ? event.name : "";
    // A name that appears or disappears may turn its siblings into build output.
    if ((event.mask & kNameEvents) != 0) changed_names_.insert(path);
    const bool is_repository = name == ".git" && (event.mask & kNameEvents) != 0;
    if (name == ".gitignore" || name == ".ignore" || is_repository) {
      stale_.insert(path);
      changes_.everything = true;
    }
    if ((event.mask & IN_MOVED_FROM) != 0 && (event.mask & IN_ISDIR) != 0) {
      forget_tree(path.empty() ? std::string(name) : path + '/' + std::string(name));
    }
    if (path.empty() && (event.mask & kSelfGone) != 0) give_up("the folder was moved or removed");
  }

  /// True if the repository around the watched tree, or an ignore file outside the tree, has
  /// changed.
  bool repository_changed() {
    if (!rules_.honour_ignore_files) return false;
    auto now = read_repository_ignore(root_);
    if (now == repository_) return false;
    repository_ = std::move(now);
    stale_.insert("");
    return true;
  }

  /// Watches directories that the events revealed.
  void refresh() {
    for (const std::string& path : std::exchange(stale_, {})) {
      const auto id = ids_.find(path);
      if (id != ids_.end()) watch_tree(path.empty() ? walk_root(root_, rules_) : directory_of(id));
    }
    for (const std::string& path : std::exchange(changed_names_, {})) {
      const auto id = ids_.find(path);
      if (id == ids_.end()) continue;
      const OpenDirectory directory = directory_of(id);
      auto walked = walk_directory(root_, directory, rules_, WalkDetail::kDirectories);
      for (OpenDirectory& below : walked.directories) {
        if (!ids_.contains(below.path)) watch_tree(std::move(below));
      }
    }
  }

  [[nodiscard]] OpenDirectory directory_of(
      std::unordered_map<std::string, int>::const_iterator id) const {
    return directories_.at(id->second);
  }

  /// True if the path still refers to the watched folder.
  [[nodiscard]] bool still_there() const {
    struct stat named {
    }, held{};
    return ::stat(path_.c_str(), &named) == 0 && ::fstat(root_.fd(), &held) == 0 &&
           named.st_ino == held.st_ino && named.st_dev == held.st_dev;
  }

  void give_up(std::string why) {
    if (!limitation_.empty()) return;
    limitation_ = std::move(why);
    queue_ = Fd();
    directories_.clear();
    ids_.clear();
  }

  const fs::path path_;
  const Beneath root_;
  const PackRules rules_;
  mutable std::mutex mutex_;
  Fd queue_;
  RepositoryIgnore repository_;
  std::string limitation_;
  TreeChanges changes_;                                 // since the last call
  std::unordered_map<int, OpenDirectory> directories_;  // by watch
  std::unordered_map<std::string, int> ids_;            // watches by path
  std::set<std::string> changed_names_;  // directories in which a name appeared or disappeared
  std::set<std::string> stale_;          // directories whose whole subtree must be walked again
};

}  // namespace

std::unique_ptr<FolderWatch> FolderWatch::start(const fs::path& root, const PackRules& rules) {
  auto beneath = Beneath::open(root);
  if (!beneath) return std::make_unique<NoWatch>(beneath.error().message);
  Fd queue(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!queue) return std::make_unique<NoWatch>(reason(errno));
  return std::make_unique<InotifyWatch>(root, std::move(*beneath), rules, std::move(queue));
}

}  // namespace quarry::corpus
