#include "corpus/query/imported_files.h"

#include "base/text.h"
#include "corpus/query/candidates.h"
#include "corpus/text/file_role.h"
#include "corpus/text/file_traits.h"
#include "corpus/text/import_lines.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>

namespace quarry::corpus {
namespace {

constexpr std::size_t kPassages = 50;   // best passages, whose files are compared
constexpr std::size_t kImporters = 10;  // best files whose imports are read

/// A file of the best passages.
struct BestFile {
  std::uint32_t shard;
  FileId file;
  std::string folder;      // that holds it, lower case; empty in the root
  std::size_t users = 0;   // best files that import it
  bool is_counted = true;  // among the users of the file that is read
};

std::string_view last_part(std::string_view& path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view part = path.substr(slash + 1);
  path = slash == path.npos ? std::string_view() : path.substr(0, slash);
  return part;
}

/// The best files of code, by the names that imports have for them.
class ImportGraph {
 public:
  ImportGraph(std::span<const Shard> shards, std::span<const RankedPassage> best)
      : shards_(shards) {
    for (const RankedPassage& one : best) {
      const bool known = std::ranges::any_of(files_, [&](const BestFile& file) {
        return file.shard == one.shard && file.file == one.file;
      });
      const std::string_view path = shards[one.shard].path(one.file);
      const FileRole role = role_of(path);
      if (known || (role != FileRole::kSource && role != FileRole::kDeclaration)) continue;
      add(one, path);
    }
  }

  /// Counts the imports of the best files.
  void count_users() {
    for (std::size_t i = 0; i < std::min(kImporters, files_.size()); ++i) {
      const Shard& shard = shards_[files_[i].shard];
      if (!shard.text) continue;
      for (BestFile& file : files_) file.is_counted = false;
      files_[i].is_counted = true;  // does not import itself
      for (const ImportLine& line : find_imports(shard.text(files_[i].file))) count(line);
    }
  }

  [[nodiscard]] std::size_t users_of(const RankedPassage& one) const {
    for (const BestFile& file : files_) {
      if (file.shard == one.shard && file.file == one.file) return file.users;
    }
    return 0;
  }

 private:
  /// A file that stands for its folder has the folder's name.
  void add(const RankedPassage& one, std::string_view path) {
    const std::string lower = to_lower(path);
    std::string_view rest = lower;
    std::string_view name = last_part(rest);
    name = name.substr(0, name.find('.', 1));
    const bool is_entry = (shards_[one.shard].table->traits(one.file) & kEntryFile) != 0;
    if (is_entry && !rest.empty()) name = last_part(rest);
    by_name_.emplace(name, files_.size());
    files_.push_back(
        {.shard = one.shard, .file = one.file, .folder = std::string(last_part(rest))});
  }

  void count(const ImportLine& line) {
    for (const std::string_view word : line.words) {
      const auto [first, last] = by_name_.equal_range(to_lower(word));
      for (auto named = first; named != last; ++named) {
        BestFile& file = files_[named->second];
        const bool is_meant = line.is_relative || file.folder.empty() ||
                              std::ranges::any_of(line.words, [&](std::string_view other) {
                                return to_lower(other) == file.folder;
                              });
        if (file.is_counted || !is_meant) continue;
        file.is_counted = true;
        ++file.users;
      }
    }
  }

  std::span<const Shard> shards_;
  std::vector<BestFile> files_;  // best first
  std::unordered_multimap<std::string, std::size_t> by_name_;
};

}  // namespace

void raise_imported(std::span<const Shard> shards, double imported,
                    std::vector<RankedPassage>& found) {
  const auto end = found.begin() + static_cast<std::ptrdiff_t>(std::min(kPassages, found.size()));
  std::ranges::partial_sort(found, end, is_better);
  const std::span<RankedPassage> best(found.begin(), end);
  ImportGraph graph(shards, best);
  graph.count_users();
  for (RankedPassage& one : best) {
    one.factors.imported = std::pow(1 + static_cast<double>(graph.users_of(one)), imported);
    one.score *= one.factors.imported;
  }
}

}  // namespace quarry::corpus
