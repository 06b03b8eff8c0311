// Applies a patch to the files of a package.
#include "resource-debian/patch.h"
#include "resource-debian/unpack.h"

namespace quarry::resource_debian {
namespace {

// Applies the changes of one patch, file by file.
class Patching {
 public:
  Patching(Nodes& nodes, Spill& spill, const std::string& name, bool removes_empty)
      : nodes_(nodes), spill_(spill), name_(name), removes_empty_(removes_empty) {}

  Problem check(const FilePatch& file) const {
    for (const std::string* path :
         {&file.old_name, &file.new_name, &file.rename_from, &file.rename_to}) {
      if (path->empty()) continue;
      const auto clean = clean_path(*path);
      if (!clean || clean->empty())
        return refused("changes \"" + shown(*path) + "\", which is outside of the package");
      if (const auto* parent = blocking_parent(nodes_, *clean)) {
        return refused("changes \"" + shown(*path) + "\" through \"" + shown(*parent) +
                       "\", which is no directory");
      }
      const auto found = nodes_.find(*clean);
      if (found != nodes_.end() && found->second.kind == Node::Kind::kLink) {
        return refused("changes \"" + shown(*path) + "\", which is a symbolic link");
      }
      if (has_beneath(nodes_, *clean))
        return refused("changes \"" + shown(*path) + "\", which is a directory");
    }
    return std::nullopt;
  }

  Problem apply(const FilePatch& file) {
    if (!file.rename_from.empty() && !file.rename_to.empty()) return apply_rename(file);
    const std::string path = *clean_path(chosen(file));
    return change(file, path, path);
  }

 private:
  [[nodiscard]] Failure refused(const std::string& what) const {
    return failure(QUARRY_DATA_LOSS, "the patch " + shown(name_) + " " + what,
                   "do not unpack this package; report it to the archive that has it");
  }
  [[nodiscard]] Failure does_not_fit(const std::string& path, const std::string& why) const {
    return failure(
        QUARRY_UNSUPPORTED,
        "the patch " + shown(name_) + " does not apply to " + shown(path) + ": " + why,
        "dpkg-source refuses this package too, unless the patch is of a form that is not "
        "supported here");
  }
  [[nodiscard]] bool exists(const std::string& path) const {
    return nodes_.contains(clean_path(path).value_or(path));
  }
  // The file that patch would change, of the two names of the header.
  [[nodiscard]] std::string chosen(const FilePatch& file) const {
    const std::string& old_name = file.old_name;
    const std::string& new_name = file.new_name;
    if (old_name.empty()) return new_name;
    if (new_name.empty()) return old_name;
    if (exists(old_name) != exists(new_name)) return exists(old_name) ? old_name : new_name;
    const auto rank = [](const std::string& path) {
      const std::size_t slash = path.rfind('/');
      const std::size_t base = slash == std::string::npos ? 0 : slash + 1;
      return std::tuple(std::count(path.begin(), path.end(), '/'), path.size() - base, path.size());
    };
    return rank(new_name) < rank(old_name) ? new_name : old_name;
  }
  Problem apply_rename(const FilePatch& file) {
    const std::string from = *clean_path(file.rename_from);
    const std::string to = *clean_path(file.rename_to);
    if (!exists(from)) return does_not_fit(from, "there is no such file");
    if (exists(to)) return does_not_fit(to, "it exists already");
    if (auto failed = change(file, from, to)) return failed;
    if (!file.copies) nodes_.erase(from);
    return std::nullopt;
  }
  Problem change(const FilePatch& file, const std::string& from, const std::string& to) {
    const auto found = nodes_.find(from);
    const bool is_there = found != nodes_.end();
    if (is_there && !found->second.kept) {
      return does_not_fit(from, "it is larger than " + std::to_string(kMostOfFile) + " bytes");
    }
    if (!is_there && !file.hunks.empty() && !file.hunks.front().before.empty()) {
      return does_not_fit(from, "there is no such file");
    }
    if (is_there && file.creates && found->second.size != 0)
      return does_not_fit(from, "it exists already");
    if (is_there && file.hunks.empty()) {  // renamed or copied as it is
      const Node same = found->second;
      nodes_[to] = same;
      return std::nullopt;
    }
    const auto text = is_there ? spill_.read(found->second) : std::string();
    if (!text) return spill_failure();
    const auto changed = apply_hunks(*text, file.hunks);
    if (!changed) return does_not_fit(from, "its lines are others");
    if (file.removes && !changed->empty())
      return does_not_fit(from, "more would be left of it than the patch says");
    if (changed->empty() && (removes_empty_ || file.removes)) {
      nodes_.erase(to);
      return std::nullopt;
    }
    return store(file, to, *changed);
  }
  Problem store(const FilePatch& file, const std::string& path, const std::string& text) {
    if (spill_.size() + text.size() > kMostOfAll) {
      return failure(QUARRY_RESOURCE_EXHAUSTED, "the patches make more than this program accepts",
                     "4 GiB of files can be read");
    }
    const bool link = file.makes_link && !nodes_.contains(path);
    const Node node{link ? Node::Kind::kLink : Node::Kind::kFile, spill_.size(), text.size(), true};
    if (!spill_.append(text)) return spill_failure();
    nodes_[path] = node;
    return std::nullopt;
  }

  Nodes& nodes_;
  Spill& spill_;
  const std::string& name_;
  bool removes_empty_;
};

}  // namespace

Problem apply_patch(Nodes& nodes, Spill& spill, const std::string& name, std::string_view text,
                    bool removes_empty) {
  std::deque<std::string> storage;
  const ReadPatch patch = read_patch(text, storage);
  if (!patch.wrong.empty()) {
    return failure(
        QUARRY_UNSUPPORTED, "the patch " + shown(name) + " cannot be read: " + patch.wrong,
        "dpkg-source refuses this package too, unless the patch is of a form that is not "
        "supported here");
  }
  Patching patching(nodes, spill, name, removes_empty);
  for (const FilePatch& file : patch.files) {
    if (auto failed = patching.check(file)) return failed;
  }
  for (const FilePatch& file : patch.files) {
    if (auto failed = patching.check(file)) return failed;
    if (auto failed = patching.apply(file)) return failed;
  }
  return std::nullopt;
}

}  // namespace quarry::resource_debian
