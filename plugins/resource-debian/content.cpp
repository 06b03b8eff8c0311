#include "resource-debian/content.h"

#include "resource_files/path.h"

#include <fcntl.h>
#include <unistd.h>
#include <unordered_set>

namespace quarry::resource_debian {
namespace {

Failure refused_archive(const std::string& label, const std::string& what) {
  return failure(QUARRY_DATA_LOSS, label + " " + what,
                 "do not unpack this package; report it to the archive that has it");
}

// Takes the members of one archive.
class Unpacking {
 public:
  Unpacking(const std::string& label, Spill& spill) : label_(label), spill_(spill) {}

  Problem take(const Member& member, const ReadMember& read) {
    const auto path = clean_path(member.path);
    if (!path)
      return refused_archive(label_,
                             "has the path \"" + shown(member.path) + "\", which leads out of it");
    if (path->empty()) return std::nullopt;  // "./"
    // The one top folder is taken away later.
    if (!resource_files::fits_tree(*path, 1)) return leave_out(member, *path);
    if (out_.nodes.size() + out_.directories.size() >= kMostNodes) {
      return failure(QUARRY_RESOURCE_EXHAUSTED,
                     label_ + " has more than " + std::to_string(kMostNodes) + " files",
                     "it is larger than this program accepts");
    }
    if (const auto* parent = blocking_parent(out_.nodes, *path)) {
      return refused_archive(label_, "has \"" + shown(*path) + "\" beneath \"" + shown(*parent) +
                                         "\", which is no directory");
    }
    add_parents(*path);
    return add(member, *path, read);
  }
  Unpacked finish() { return std::move(out_); }

 private:
  Problem leave_out(const Member& member, const std::string& path) {
    if (member.kind != Member::Kind::kDirectory) out_.long_paths.add(path);
    return std::nullopt;
  }
  void add_parents(std::string_view path) {
    for (std::size_t at = path.find('/'); at != std::string_view::npos;
         at = path.find('/', at + 1)) {
      out_.directories.emplace(path.substr(0, at), true);
    }
  }
  Problem add(const Member& member, const std::string& path, const ReadMember& read) {
    if (member.kind == Member::Kind::kDirectory) {
      out_.nodes.erase(path);
      out_.directories.emplace(path, true);
      return std::nullopt;
    }
    if (out_.directories.contains(path)) {
      if (has_beneath(out_.nodes, path))
        return refused_archive(label_,
                               "has \"" + shown(path) + "\" twice, as a directory and as a file");
      out_.directories.erase(path);
    }
    switch (member.kind) {
      case Member::Kind::kFile:
        return add_file(path, read);
      case Member::Kind::kLink:
        return add_link(path, member.target);
      case Member::Kind::kHardLink:
        return add_hard_link(path, member.target);
      default:
        ++out_.others;
        return std::nullopt;  // pipes and devices have no content
    }
  }
  Problem add_file(const std::string& path, const ReadMember& read) {
    Node node{Node::Kind::kFile, spill_.size(), 0, true};
    for (;;) {
      const auto bytes = read();
      if (!bytes || bytes->empty()) break;
      node.size += bytes->size();
      total_ += bytes->size();
      if (total_ > kMostRead) return too_large();
      if (node.size > kMostOfFile) {
        node.kept = false;
        spill_.cut(node.at);
      } else if (spill_.size() + bytes->size() > kMostOfAll) {
        return too_large();
      } else if (!spill_.append(*bytes)) {
        return spill_failure();
      }
    }
    out_.nodes[path] = node;
    return std::nullopt;
  }
  // The target is needed only to read a patch that is a link.
  Problem add_link(const std::string& path, const std::string& target) {
    const Node node{Node::Kind::kLink, spill_.size(), target.size(), true};
    if (!spill_.append(target)) return spill_failure();
    out_.nodes[path] = node;
    return std::nullopt;
  }
  Problem add_hard_link(const std::string& path, const std::string& target) {
    const auto clean = clean_path(target);
    const auto found = clean ? out_.nodes.find(*clean) : out_.nodes.end();
    if (clean && !resource_files::fits_tree(*clean, 1)) {  // the target was left out
      out_.long_paths.add(path);
      return std::nullopt;
    }
    if (found == out_.nodes.end()) {
      return refused_archive(label_, "has the hard link \"" + shown(path) + "\" to \"" +
                                         shown(target) + "\", which is not in it");
    }
    const Node same = found->second;
    out_.nodes[path] = same;
    return std::nullopt;
  }
  [[nodiscard]] Failure too_large() const {
    return failure(QUARRY_RESOURCE_EXHAUSTED, label_ + " unpacks to more than this program accepts",
                   "4 GiB of files can be read");
  }

  const std::string& label_;
  Spill& spill_;
  Unpacked out_;
  std::uint64_t total_ = 0;
};

}  // namespace

Spill::Spill(std::string_view folder) {
  if (folder.empty()) return;
  const std::string path = std::string(folder) + "/contents";
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  failed_ = file_ < 0;
}

Spill::~Spill() {
  if (file_ >= 0) ::close(file_);
}

bool Spill::append(std::string_view bytes) {
  if (file_ < 0 && !failed_) {
    memory_.resize(size_);
    memory_ += bytes;
    size_ += bytes.size();
    return true;
  }
  while (!failed_ && !bytes.empty()) {
    const ssize_t count = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
    failed_ = count <= 0 && errno != EINTR;
    if (count <= 0) continue;
    size_ += static_cast<std::uint64_t>(count);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return !failed_;
}

std::optional<std::string> Spill::read(const Node& node) const {
  if (file_ < 0) return memory_.substr(node.at, node.size);
  std::string out(node.size, '\0');
  for (std::size_t done = 0; done < out.size();) {
    const ssize_t count =
        ::pread(file_, out.data() + done, out.size() - done, static_cast<off_t>(node.at + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    done += static_cast<std::size_t>(count);
  }
  return out;
}

Outcome<Unpacked> unpack(const Call& call, const Blob& blob, const std::string& label,
                         Spill& spill) {
  Unpacking unpacking(label, spill);
  auto failed = unpack_tar(
      call, blob, label, kLimits,
      [&](const Member& member, const ReadMember& read) { return unpacking.take(member, read); });
  if (failed) return *failed;
  return unpacking.finish();
}

Unpacked without_top(Unpacked unpacked) {
  std::string top;
  const auto is_beneath = [&](std::string_view path) {
    const std::string_view first = path.substr(0, path.find('/'));
    if (top.empty()) top = first;
    return first == top;
  };
  for (const auto& [path, yes] : unpacked.directories) {
    if (!is_beneath(path)) return unpacked;
  }
  for (const auto& [path, node] : unpacked.nodes) {
    if (!is_beneath(path) || path == top) return unpacked;
  }
  if (top.empty()) return unpacked;
  Unpacked out;
  out.others = unpacked.others;
  out.long_paths = unpacked.long_paths;
  for (const auto& [path, node] : unpacked.nodes) out.nodes[path.substr(top.size() + 1)] = node;
  for (const auto& [path, yes] : unpacked.directories) {
    if (path.size() > top.size()) out.directories[path.substr(top.size() + 1)] = yes;
  }
  return out;
}

std::optional<std::string> clean_path(std::string_view path) {
  if (path.find('\0') != std::string_view::npos) return std::nullopt;
  return resource_files::plain_path(path);
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
  resource_files::UnpackBudget budget({.entries = kMostNodes, .bytes = kMostOfAll}, packed);
  std::unordered_set<std::uint64_t> places;  // a hard link has that of its target
  for (const auto& [path, node] : nodes) {
    const bool is_written = node.kind == Node::Kind::kFile && node.kept && node.size <= file_limit;
    if (!is_written || node.size == 0) continue;
    const bool is_hard_link = !places.insert(node.at).second;
    if (const auto exceeded = budget.add_file(node.size, is_hard_link)) {
      return too_much(package, *exceeded);
    }
  }
  return std::nullopt;
}

Failure spill_failure() {
  return failure(QUARRY_RESOURCE_EXHAUSTED, "the files of the package could not be written",
                 "free space in the cache directory of this program");
}

}  // namespace quarry::resource_debian
