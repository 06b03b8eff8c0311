#include "resource-debian/content.h"

#include "package_source/path.h"
#include "package_source/unpack.h"

#include <filesystem>
#include <unordered_set>

namespace quarry::resource_debian {
namespace {

// Writes the files of one archive to the spill.
class NodeSink : public package_source::FileSink {
 public:
  NodeSink(Spill& spill, Nodes& nodes) : spill_(spill), nodes_(nodes) {}

  bool add_file(const std::string& path, std::string_view content) override {
    return add(path, Node::Kind::kFile, content);
  }
  // The target is needed only to read a patch that is a link.
  bool add_link(const std::string& path, const std::string& target) override {
    return add(path, Node::Kind::kLink, target);
  }
  bool add_large(const std::string& path, std::uint64_t size) override {
    nodes_[path] = {Node::Kind::kFile, 0, size, false};
    return true;
  }
  [[nodiscard]] std::uint64_t file_limit() const override { return kMostOfFile; }

  std::optional<Failure> failed;

 private:
  bool add(const std::string& path, Node::Kind kind, std::string_view bytes) {
    nodes_[path] = {kind, spill_.size(), bytes.size(), true};
    if (spill_.size() + bytes.size() > kMostOfAll) {
      failed = failure(QUARRY_RESOURCE_EXHAUSTED,
                       "the package unpacks to more than this program accepts",
                       "4 GiB of files can be read");
    } else if (!spill_.append(bytes)) {
      failed = spill_failure();
    }
    return !failed;
  }

  Spill& spill_;
  Nodes& nodes_;
};

}  // namespace

Spill::Spill(std::string_view folder)
    : file_(folder.empty()
                ? package_source::File::in_memory()
                : package_source::File::create(std::filesystem::path(folder) / "contents")) {}

bool Spill::append(std::string_view bytes) {
  if (!file_.write(size_, bytes)) return false;
  size_ += bytes.size();
  return true;
}

std::optional<std::string> Spill::read(const Node& node) const {
  return file_.read(node.at, node.size);
}

Outcome<Unpacked> unpack(const Call& call, const package_source::File& file,
                         const std::string& label, Spill& spill, bool strip_root) {
  package_source::UnpackRules rules;
  rules.limits = kLimits;
  rules.refused = {.outside = true, .dangling = true, .clashes = true, .unreadable = true};
  rules.strip_root = strip_root;
  Unpacked out;
  NodeSink sink(spill, out.nodes);
  const auto unpacked = package_source::unpack(tar_archive(call, file, label), rules, sink);
  if (sink.failed) return *sink.failed;
  if (!unpacked) return unpacked.failure();
  out.devices = unpacked->special;
  out.long_paths = unpacked->long_paths;
  return out;
}

std::optional<std::string> clean_path(std::string_view path) {
  if (path.find('\0') != std::string_view::npos) return std::nullopt;
  return package_source::plain_path(path);
}

bool has_beneath(const Nodes& nodes, const std::string& path) {
  const std::string prefix = path + '/';
  const auto next = nodes.lower_bound(prefix);
  return next != nodes.end() && next->first.starts_with(prefix);
}

void erase_beneath(Nodes& nodes, const std::string& path) {
  const std::string prefix = path + '/';
  nodes.erase(path);
  auto next = nodes.lower_bound(prefix);
  while (next != nodes.end() && next->first.starts_with(prefix)) next = nodes.erase(next);
}

const std::string* blocking_parent(const Nodes& nodes, std::string_view path) {
  for (std::size_t at = path.find('/'); at != std::string_view::npos; at = path.find('/', at + 1)) {
    const auto found = nodes.find(path.substr(0, at));
    if (found != nodes.end()) return &found->first;
  }
  return nullptr;
}

Problem check_total(const Nodes& nodes, std::uint64_t packed, const std::string& package,
                    std::uint64_t file_limit) {
  package_source::UnpackBudget budget({.entries = kLimits.entries, .bytes = kMostOfAll}, packed);
  std::unordered_set<std::uint64_t> places;  // a copy has that of its file
  for (const auto& [path, node] : nodes) {
    const bool is_written = node.kind == Node::Kind::kFile && node.kept && node.size <= file_limit;
    if (!is_written || node.size == 0) continue;
    const bool is_hard_link = !places.insert(node.at).second;
    if (const auto exceeded = budget.add_file(node.size, is_hard_link)) {
      return failure(QUARRY_RESOURCE_EXHAUSTED, package + " unpacks to " + *exceeded,
                     "if you trust it, unpack it yourself and add its folder as a local resource");
    }
  }
  return std::nullopt;
}

Failure spill_failure() {
  return failure(QUARRY_RESOURCE_EXHAUSTED, "the files of the package could not be written",
                 "free space in the cache directory of this program");
}

}  // namespace quarry::resource_debian
