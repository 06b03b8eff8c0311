#include "resource-debian/unpack.h"

namespace quarry::resource_debian {
namespace {

Failure refused_package(const std::string& what) {
  return failure(QUARRY_DATA_LOSS, what,
                 "do not unpack this package; report it to the archive that has it");
}

// Puts a package together, in the order of dpkg-source.
class Assembly {
 public:
  Assembly(const Call& call, const Parts& parts, Blobs& blobs, Spill& spill, Notes& notes)
      : call_(call), parts_(parts), blobs_(blobs), spill_(spill), notes_(notes) {}

  Outcome<Nodes> run() {
    if (auto failed = add_main()) return *failed;
    if (auto failed = add_extra()) return *failed;
    if (parts_.debian != nullptr) {
      if (auto failed = add_debian()) return *failed;
    }
    if (parts_.format == "3.0 (quilt)") {
      if (auto failed = apply_series()) return *failed;
    }
    if (parts_.diff != nullptr) {
      if (auto failed = apply_diff()) return *failed;
    }
    if (parts_.format != "1.0") {
      if (auto failed = add_format()) return *failed;
    }
    return std::move(nodes_);
  }

 private:
  Outcome<Unpacked> open(const Listed& part, bool strip_root) {
    call_.progress("{\"message\":\"unpacking " + part.name + "\"}");
    auto unpacked = unpack(call_, blobs_.at(part.name).file(), part.name, spill_, strip_root);
    if (!unpacked) return unpacked;
    notes_.devices.add(unpacked->devices);
    notes_.long_paths.add(unpacked->long_paths);
    return unpacked;
  }
  Problem add_main() {
    auto main = open(*parts_.main, true);
    if (!main) return main.failure();
    nodes_ = std::move((*main).nodes);
    // Upstream's own .pc would be taken for the data of quilt.
    if (parts_.format == "3.0 (quilt)") erase_beneath(nodes_, ".pc");
    return std::nullopt;
  }
  Problem add_extra() {
    for (const auto& [folder, part] : parts_.extra) {
      auto extra = open(*part, true);
      if (!extra) return extra.failure();
      erase_beneath(nodes_, folder);
      for (const auto& [path, node] : extra->nodes) {
        nodes_[folder + '/' + path] = node;
      }
    }
    return std::nullopt;
  }
  Problem add_debian() {
    auto debian = open(*parts_.debian, false);
    if (!debian) return debian.failure();
    erase_beneath(nodes_, "debian");
    for (const auto& [path, node] : debian->nodes) {
      if (const auto* parent = blocking_parent(nodes_, path)) nodes_.erase(std::string(*parent));
      if (has_beneath(nodes_, path)) {
        return refused_package(parts_.debian->name + " has the file \"" + shown(path) +
                               "\", which is a directory of upstream");
      }
      nodes_[path] = node;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::string> text_of(const std::string& path) const {
    const auto found = nodes_.find(path);
    if (found == nodes_.end() || found->second.kind != Node::Kind::kFile || !found->second.kept) {
      return std::nullopt;
    }
    return spill_.read(found->second);
  }
  // Where a link leads within the package; a patch may be one.
  [[nodiscard]] std::string followed(std::string path) const {
    for (int links = 0; links < 8; ++links) {
      const auto found = nodes_.find(path);
      if (found == nodes_.end() || found->second.kind != Node::Kind::kLink) break;
      const auto target = spill_.read(found->second);
      if (!target || target->empty() || target->front() == '/') break;
      const auto next = beside(path, *target);
      if (!next) break;
      path = *next;
    }
    return path;
  }
  // The path that `target` names as the target of the link `path`; nullopt outside of the package.
  static std::optional<std::string> beside(const std::string& path, std::string_view target) {
    auto parts = words(path, "/");
    parts.pop_back();
    for (const auto part : words(target, "/")) {
      if (part == ".") continue;
      if (part == ".." && parts.empty()) return std::nullopt;
      if (part == "..") {
        parts.pop_back();
      } else {
        parts.push_back(part);
      }
    }
    return joined(parts, "/");
  }
  // The names of a series file. Options but -p1 are not supported by dpkg-source either.
  static std::vector<std::string> names_in(std::string_view series) {
    std::vector<std::string> out;
    while (!series.empty()) {
      const auto parts = words(next_line(series));
      if (!parts.empty() && !parts[0].starts_with('#')) out.emplace_back(parts[0]);
    }
    return out;
  }
  Problem apply_series() {
    const std::string folder = "debian/patches/";
    const bool vendor = nodes_.contains(folder + "debian.series");
    const auto series = text_of(folder + (vendor ? "debian.series" : "series"));
    if (vendor) nodes_.emplace(folder + "series", Node{Node::Kind::kLink, 0, 0, true});
    if (!series) return std::nullopt;
    for (const std::string& name : names_in(*series)) {
      if (call_.over()) return call_.why();
      const auto path = clean_path(folder + name);
      if (!path)
        return refused_package("the series file names the patch \"" + shown(name) +
                               "\", which leads out of the package");
      if (const auto* link = blocking_parent(nodes_, *path)) {
        return refused_package("the patch \"" + shown(name) + "\" is beneath the link \"" +
                               shown(*link) + "\"");
      }
      const auto text = text_of(followed(*path));
      if (!text)
        return refused_package("the series file names the patch \"" + shown(name) +
                               "\", which is not in the package");
      if (auto failed = apply_patch(nodes_, spill_, name, *text, true)) return failed;
    }
    return std::nullopt;
  }
  Problem apply_diff() {
    std::string text;
    if (auto failed =
            unpack_stream(call_, blobs_.at(parts_.diff->name).file(), std::uint64_t{512} << 20,
                          parts_.diff->name, [&](std::string_view bytes) {
                            text += bytes;
                            return true;
                          })) {
      return failed;
    }
    return apply_patch(nodes_, spill_, parts_.diff->name, text, false);
  }
  // dpkg-source writes the format down where the package does not.
  Problem add_format() {
    const std::string path = "debian/source/format";
    if (nodes_.contains(path) || blocking_parent(nodes_, path) != nullptr) return std::nullopt;
    const std::string text = parts_.format + '\n';
    const Node node{Node::Kind::kFile, spill_.size(), text.size(), true};
    if (!spill_.append(text)) return spill_failure();
    nodes_[path] = node;
    notes_.generated.push_back(path);
    return std::nullopt;
  }

  const Call& call_;
  const Parts& parts_;
  Blobs& blobs_;
  Spill& spill_;
  Notes& notes_;
  Nodes nodes_;
};

}  // namespace

Outcome<Nodes> put_together(const Call& call, const Parts& parts, Blobs& blobs, Spill& spill,
                            Notes& notes) {
  return Assembly(call, parts, blobs, spill, notes).run();
}

}  // namespace quarry::resource_debian
