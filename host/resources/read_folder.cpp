#include "resources/read_folder.h"

#include "base/file.h"
#include "corpus/snapshot/pack_limits.h"
#include "corpus/snapshot/walk.h"

namespace quarry::resources {
namespace {

using Take = std::function<Status(std::string_view, std::string_view)>;

/// Maps a large file without reading it, through its descriptor, so that the path cannot be
/// redirected meanwhile.
Status take_large(const corpus::Beneath& root, const std::string& path, const Take& take) {
  const auto fd = root.open_file(path);
  if (!fd) return fd.error();
  const auto file = MappedFile::open("/proc/self/fd/" + std::to_string(fd->get()));
  if (!file) return file.error();
  return take(path, file->bytes());
}

Status take_entry(const corpus::Beneath& root, const corpus::TreeEntry& entry,
                  std::uint64_t file_bytes, const Take& take) {
  using Type = corpus::TreeEntry::Type;
  if (entry.type == Type::kUnreadable) {
    return Error{Code::kPermissionDenied, entry.path + " cannot be read"};
  }
  if (entry.type != Type::kFile) return {};
  if (entry.signature.size > file_bytes) return take_large(root, entry.path, take);
  const auto bytes = root.read(entry.path, file_bytes);
  if (!bytes) return bytes.error();
  return take(entry.path, *bytes);
}

}  // namespace

Result<std::uint64_t> read_folder(const std::filesystem::path& directory,
                                  const corpus::PackRules& rules, const corpus::PackLimits& limits,
                                  const std::stop_token& stop, const Take& take) {
  const corpus::LimitCheck check(limits);
  std::uint64_t left_out = 0;
  const auto root = corpus::Beneath::open(directory);
  if (!root) return root.error();
  std::vector<corpus::OpenDirectory> open{corpus::walk_root(*root, rules)};
  while (!open.empty()) {
    const corpus::OpenDirectory next = std::move(open.back());
    open.pop_back();
    auto walked = corpus::walk_directory(*root, next, rules, corpus::WalkDetail::kSignatures);
    for (const corpus::TreeEntry& entry : walked.entries) {
      if (stop.stop_requested()) return Error{Code::kCancelled, "the fetch was cancelled"};
      Status taken = take_entry(*root, entry, limits.file_bytes, take);
      if (!taken) return std::move(taken).error();
    }
    left_out += std::erase_if(walked.directories,
                              [&](const auto& below) { return !check.fits(below.path); });
    std::ranges::move(walked.directories, std::back_inserter(open));
  }
  return left_out;
}

}  // namespace quarry::resources
