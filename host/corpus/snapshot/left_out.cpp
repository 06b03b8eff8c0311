#include "corpus/snapshot/left_out.h"

#include "corpus/snapshot/walk.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace quarry::corpus {

Result<std::vector<IgnoredBy>> left_out_of(const std::filesystem::path& root,
                                           const PackRules& rules, const std::stop_token& stop) {
  const auto beneath = Beneath::open(root);
  if (!beneath) return beneath.error();
  std::map<std::string, IgnoredBy> found;
  std::vector<OpenDirectory> open = {walk_root(*beneath, rules)};
  while (!open.empty()) {
    if (stop.stop_requested()) return Error{Code::kCancelled, "the walk was cancelled"};
    const OpenDirectory next = std::move(open.back());
    open.pop_back();
    WalkedDirectory walked = walk_directory(*beneath, next, rules, WalkDetail::kReport);
    std::ranges::move(walked.directories, std::back_inserter(open));
    for (IgnoredBy& by : walked.ignored) {
      IgnoredBy& sum = found.try_emplace(by.rule, IgnoredBy{.rule = by.rule}).first->second;
      sum.entries += by.entries;
      sum.directories += by.directories;
      for (std::string& path : by.examples) {
        if (sum.examples.size() < kMostExamples) sum.examples.push_back(std::move(path));
      }
    }
  }
  std::vector<IgnoredBy> sorted;
  for (auto& [rule, by] : found) sorted.push_back(std::move(by));
  std::ranges::stable_sort(sorted, std::greater(), &IgnoredBy::entries);
  return sorted;
}

}  // namespace quarry::corpus
