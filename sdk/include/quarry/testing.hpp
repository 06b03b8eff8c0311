/// The plugin author's test kit: recording fakes of the host's side of the contract, for
/// GoogleTest. A test links the plugin's own sources and drives it through its entry, so it works
/// for plugins in any language:
///
///   quarry::testing::Component<quarry_resource_v1> notes{quarry_plugin_entry_v1, QUARRY_RESOURCE,
///                                                        "notes"};
///   notes->normalise(notes.instance(), call.get(), resource, reply.get());
#ifndef QUARRY_TESTING_HPP
#define QUARRY_TESTING_HPP

#include <quarry/process_state.hpp>
#include <quarry/resource.h>
#include <quarry/testing_host.hpp>
#include <quarry/testing_model.hpp>

#include <mutex>
#include <utility>

namespace quarry::testing {

/// Expects that the process is left as it was, from construction to destruction: working directory,
/// environment, signals, locale, umask, limits, descriptors, threads and child processes. The same
/// rule as that of the checks of "quarry plugins validate". Construct it before the component and
/// the services of the test.
class UnchangedProcess {
 public:
  UnchangedProcess() {
    for (const ProcessAspect aspect : kProcessAspects)
      before_.emplace_back(aspect, observe(aspect));
  }
  ~UnchangedProcess() {
    for (const auto& [aspect, lines] : before_) {
      for (const auto& change : changes(aspect, lines)) ADD_FAILURE() << change;
    }
  }
  UnchangedProcess(const UnchangedProcess&) = delete;
  UnchangedProcess& operator=(const UnchangedProcess&) = delete;

 private:
  std::vector<std::pair<ProcessAspect, std::vector<std::string>>> before_;
};

/// Records the files of a fetch in memory. Its functions may be called by several threads at once.
class Tree {
 public:
  Tree()
      : tree_{sizeof tree_, this,      add_file, add_directory, use_in_place, get_scratch,
              4u << 20,     add_large, add_link, add_described, keep} {}
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  /// Accepts at most `additions` files and directories.
  void refuse_after(std::size_t additions) { limit_ = additions; }
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
  std::map<std::string, std::uint64_t> large;  ///< sizes by path
  std::vector<std::string> links;
  std::vector<std::string> directories;  ///< added
  std::string in_place;
  std::string scratch;  ///< path given to the plugin; empty = none

 private:
  static Tree& of(const quarry_tree* self) { return *static_cast<Tree*>(self->context); }
  [[nodiscard]] bool full() const {
    return files.size() + large.size() + links.size() + directories.size() >= limit_;
  }
  static quarry_status add_file(const quarry_tree* self, quarry_text path, quarry_text bytes) {
    const std::lock_guard lock(of(self).mutex_);
    if (of(self).full()) return QUARRY_RESOURCE_EXHAUSTED;
    of(self).files[std::string(as_view(path))] = as_view(bytes);
    return QUARRY_OK;
  }
  static quarry_status add_directory(const quarry_tree* self, quarry_text path) {
    const std::lock_guard lock(of(self).mutex_);
    if (of(self).full()) return QUARRY_RESOURCE_EXHAUSTED;
    of(self).directories.emplace_back(as_view(path));
    return QUARRY_OK;
  }
  static quarry_status use_in_place(const quarry_tree* self, quarry_text path) {
    of(self).in_place = as_view(path);
    return QUARRY_OK;
  }
  static quarry_status add_large(const quarry_tree* self, quarry_text path, std::uint64_t size) {
    const std::lock_guard lock(of(self).mutex_);
    if (of(self).full()) return QUARRY_RESOURCE_EXHAUSTED;
    of(self).large[std::string(as_view(path))] = size;
    return QUARRY_OK;
  }
  static quarry_status add_link(const quarry_tree* self, quarry_text path) {
    const std::lock_guard lock(of(self).mutex_);
    if (of(self).full()) return QUARRY_RESOURCE_EXHAUSTED;
    of(self).links.emplace_back(as_view(path));
    return QUARRY_OK;
  }
  static quarry_status add_described(const quarry_tree* self, const quarry_file* file,
                                     quarry_text bytes) {
    const quarry_status added = add_file(self, file->path, bytes);
    if (added != QUARRY_OK) return added;
    const std::lock_guard lock(of(self).mutex_);
    of(self).facts[std::string(as_view(file->path))] = {std::string(as_view(file->permalink)),
                                                        std::string(as_view(file->title)),
                                                        std::string(as_view(file->media_type))};
    return QUARRY_OK;
  }
  static quarry_status keep(const quarry_tree* self, quarry_text path) {
    const auto kept = of(self).last.find(std::string(as_view(path)));
    if (kept == of(self).last.end()) return QUARRY_NOT_FOUND;
    return add_file(self, path, as_text(kept->second));
  }
  static quarry_text get_scratch(const quarry_tree* self) { return as_text(of(self).scratch); }

  quarry_tree tree_;
  std::mutex mutex_;
  std::size_t limit_ = SIZE_MAX;
};

}  // namespace quarry::testing

#endif
