#include "conformance/memory_tree.h"

#include "base/hash.h"
#include "base/relative_path.h"
#include "plugins/compose.h"

#include <utility>

namespace quarry::conformance {

Status MemoryTree::add(std::string_view path, std::string content) {
  auto name = normalise_relative_path(path);
  if (!name) return std::move(name.error());
  if (name->empty()) return Error(Code::kInvalidArgument, "a file has the path of the root");
  if (entries_.size() >= most_) {
    return Error(Code::kResourceExhausted, "the fetch has more files than are permitted");
  }
  entries_.insert_or_assign(std::move(*name), std::move(content));
  return {};
}

Status MemoryTree::add_file(std::string_view path, std::string_view bytes) {
  return add(path, sha256_hex(bytes));
}

Status MemoryTree::add_described(std::string_view path, std::string_view bytes,
                                 plugins::FileFacts facts) {
  return add(path, sha256_hex(bytes) + " " + facts.permalink + " " + facts.title);
}

Result<bool> MemoryTree::keep_file(std::string_view path) {
  const auto kept = last_.find(std::string(path));
  if (kept == last_.end()) return false;
  if (auto added = add(path, kept->second); !added) return std::move(added.error());
  return true;
}

Status MemoryTree::add_absolute(std::string_view kind, const std::filesystem::path& directory) {
  if (!directory.is_absolute()) {
    return Error(Code::kInvalidArgument,
                 plugins::compose("the directory {} is not absolute", directory.string()));
  }
  // Its name may differ from one fetch to the next.
  entries_.insert_or_assign(std::string(kind), "");
  return {};
}

Status MemoryTree::add_directory(const std::filesystem::path& directory) {
  return add_absolute("/directory", directory);
}

Status MemoryTree::add_large(std::string_view path, std::uint64_t size) {
  return add(path, plugins::compose("{} bytes", size));
}

Status MemoryTree::add_link(std::string_view path) {
  return add(path, "link");
}

Status MemoryTree::use_in_place(const std::filesystem::path& directory) {
  return add_absolute("/in place", directory);
}

Result<std::string_view> MemoryTree::scratch() {
  std::error_code failed;
  std::filesystem::create_directories(scratch_, failed);
  if (failed) return system_error("cannot create " + scratch_, failed.value());
  return std::string_view(scratch_);
}

}  // namespace quarry::conformance
