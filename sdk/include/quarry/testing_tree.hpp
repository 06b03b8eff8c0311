/// The part of the test kit (<quarry/testing.hpp>) for resource types: the files of a fetch.
#ifndef QUARRY_TESTING_TREE_HPP
#define QUARRY_TESTING_TREE_HPP

#include <quarry/limits.h>
#include <quarry/resource.h>
#include <quarry/tree_rules.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::testing {

/// Records the files of a fetch in memory, under the rules and with the messages of the host: paths
/// are stored in canonical form; a path that leaves the root, or is added twice, ends the fetch,
/// and so do facts beyond their limits and a fetch that both adds files and reads in place. After
/// the first refusal every function fails with its status. A refusal that no test reads with
/// failure() fails the test, because the host would fail the fetch, whatever the plugin replies.
///
/// A file and a folder may have the same name. The host also skips folders of version control and
/// dependencies and files with secrets, and stores bytes only of text; this class keeps all of
/// these. Its functions may be called by several threads at once.
class Tree {
 public:
  Tree()
      : tree_{sizeof tree_, this,      add_file, add_directory, use_in_place, get_scratch,
              4u << 20,     add_large, add_link, add_described, keep} {}
  ~Tree() { expect_no_refusal(); }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  /// Forgets what was added and refused, for the next fetch; the settings stay.
  void clear() {
    expect_no_refusal();
    files.clear();
    facts.clear();
    large.clear();
    links.clear();
    left_out.clear();
    directories.clear();
    in_place.clear();
    paths_.clear();
    additions_ = 0;
    failure_ = none();
    adds_ = read_ = false;
  }
  /// Accepts at most `additions` files and directories.
  void refuse_after(std::size_t additions) { limit_ = additions; }
  /// The first refusal, which is the failure of the whole fetch; status QUARRY_OK if there is none.
  [[nodiscard]] const Failure& failure() {
    read_ = true;
    return failure_;
  }
  [[nodiscard]] const quarry_tree* get() const { return &tree_; }

  std::map<std::string, std::string> files;
  /// Facts about files of add_described.
  struct Facts {
    std::string permalink;
    std::string title;
    std::string media_type;
    bool operator==(const Facts&) const = default;
  };
  std::map<std::string, Facts> facts;
  std::map<std::string, std::string> last;     ///< files of the last snapshot, for keep_file
  std::map<std::string, std::uint64_t> large;  ///< sizes by path, of files beyond file_limit too
  std::vector<std::string> links;
  std::vector<std::string> left_out;     ///< paths that are too long or too deep
  std::vector<std::string> directories;  ///< added
  std::string in_place;
  std::string scratch;  ///< path given to the plugin; empty = none
  /// Bytes and components of a path; a file with more is left out, without a failure.
  std::size_t path_limit = QUARRY_LIMIT_PATH;
  std::size_t depth_limit = QUARRY_LIMIT_LEVELS;

 private:
  static Tree& of(const quarry_tree* self) { return *static_cast<Tree*>(self->context); }
  void expect_no_refusal() const {
    EXPECT_TRUE(read_ || failure_.status == QUARRY_OK)
        << "the host fails this fetch: " << failure_.message
        << " (a test that expects this reads Tree::failure())";
  }
  static Failure none() { return {QUARRY_OK, {}, {}, {}}; }
  static Failure mixed() {
    return {
        QUARRY_INTERNAL, "the resource type both adds files and reads a folder in place", {}, {}};
  }

  /// The status of an addition. `add` returns its failure, of status QUARRY_OK if there is none.
  template <class Add>
  quarry_status note(const Add& add) {
    const std::lock_guard lock(mutex_);
    if (failure_.status == QUARRY_OK) failure_ = add();
    return failure_.status;
  }
  [[nodiscard]] Failure begin() {
    if (!in_place.empty()) return mixed();
    adds_ = true;
    return none();
  }
  [[nodiscard]] Failure count() {
    if (++additions_ <= limit_) return none();
    read_ = true;  // the test asked for it
    return {QUARRY_RESOURCE_EXHAUSTED,
            "there are more than " + std::to_string(limit_) + " files",
            "Choose a part of it with searchPath, or ignore what is not needed.",
            {}};
  }
  [[nodiscard]] bool fits(std::string_view path) const {
    const auto depth = static_cast<std::size_t>(std::count(path.begin(), path.end(), '/')) + 1;
    return path.size() <= path_limit && depth <= depth_limit;
  }
  /// Calls `add` with the canonical path of one more file, unless it is left out.
  template <class Add>
  Failure admit(std::string_view given, const Add& add) {
    if (Failure begun = begin(); begun.status != QUARRY_OK) return begun;
    if (given.size() > kMostTreePath) {
      left_out.emplace_back(given);
      return none();
    }
    const Outcome<std::string> path = tree_path(given);
    if (!path) return path.failure();
    if (path->empty()) return {QUARRY_INVALID_ARGUMENT, "a file's path is empty", {}, {}};
    if (!fits(*path)) {
      left_out.push_back(*path);
      return none();
    }
    if (!paths_.insert(*path).second) {
      return {QUARRY_INVALID_ARGUMENT, "the path \"" + *path + "\" was added twice", {}, {}};
    }
    Failure counted = count();
    if (counted.status == QUARRY_OK) add(*path);
    return counted;
  }
  Failure add(std::string_view given, std::string_view bytes, const Facts& about = {}) {
    return admit(given, [&](const std::string& path) {
      if (bytes.size() > tree_.file_limit) {
        large[path] = bytes.size();
      } else {
        files[path] = bytes;
      }
      if (about != Facts()) facts[path] = about;
    });
  }
  Failure add(const quarry_file* file, std::string_view bytes) {
    if (file == nullptr || !QUARRY_HAS(file, media_type)) {
      return {QUARRY_INTERNAL, "the plugin added a file without its facts", {}, {}};
    }
    if (Failure refused = reserved_failure(*file); refused.status != QUARRY_OK) return refused;
    const Facts about{std::string(as_view(file->permalink)), std::string(as_view(file->title)),
                      std::string(as_view(file->media_type))};
    Failure refused = file_facts_failure(about.permalink, about.title, about.media_type);
    return refused.status == QUARRY_OK ? add(as_view(file->path), bytes, about) : refused;
  }

  static quarry_status add_file(const quarry_tree* self, quarry_text path, quarry_text bytes) {
    return of(self).note([&] { return of(self).add(as_view(path), as_view(bytes)); });
  }
  static quarry_status add_directory(const quarry_tree* self, quarry_text path) {
    return of(self).note([&]() -> Failure {
      if (Failure begun = of(self).begin(); begun.status != QUARRY_OK) return begun;
      if (as_view(path).substr(0, 1) != "/") {
        return {QUARRY_INTERNAL, "the resource type adds a relative directory", {}, {}};
      }
      Failure counted = of(self).count();
      if (counted.status == QUARRY_OK) of(self).directories.emplace_back(as_view(path));
      return counted;
    });
  }
  static quarry_status use_in_place(const quarry_tree* self, quarry_text path) {
    return of(self).note([&] {
      if (of(self).adds_) return mixed();
      of(self).in_place = as_view(path);
      return none();
    });
  }
  static quarry_status add_large(const quarry_tree* self, quarry_text path, std::uint64_t size) {
    return of(self).note([&] {
      return of(self).admit(as_view(path),
                            [&](const std::string& added) { of(self).large[added] = size; });
    });
  }
  static quarry_status add_link(const quarry_tree* self, quarry_text path) {
    return of(self).note([&] {
      return of(self).admit(as_view(path),
                            [&](const std::string& added) { of(self).links.push_back(added); });
    });
  }
  static quarry_status add_described(const quarry_tree* self, const quarry_file* file,
                                     quarry_text bytes) {
    return of(self).note([&] { return of(self).add(file, as_view(bytes)); });
  }
  static quarry_status keep(const quarry_tree* self, quarry_text path) {
    bool found = false;
    const quarry_status status = of(self).note([&] {
      if (Failure begun = of(self).begin(); begun.status != QUARRY_OK) return begun;
      const auto kept = of(self).last.find(std::string(as_view(path)));
      found = kept != of(self).last.end();
      return found ? of(self).add(kept->first, kept->second) : none();
    });
    return status != QUARRY_OK || found ? status : QUARRY_NOT_FOUND;
  }
  static quarry_text get_scratch(const quarry_tree* self) { return as_text(of(self).scratch); }

  quarry_tree tree_;
  std::mutex mutex_;
  std::size_t limit_ = SIZE_MAX;
  std::size_t additions_ = 0;
  std::set<std::string> paths_;
  Failure failure_{QUARRY_OK, {}, {}, {}};
  bool adds_ = false;  ///< files, instead of reading in place
  bool read_ = false;  ///< the failure, by the test
};

}  // namespace quarry::testing

#endif
