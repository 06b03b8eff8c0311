#include "plugins/probed_list.h"

#include "base/file.h"
#include "base/text.h"

#include <system_error>
#include <utility>

namespace quarry::plugins {

ProbedList::ProbedList(std::filesystem::path path) : path_(std::move(path)) {
  const auto text = read_file(path_);
  if (!text) return;
  for (const auto line : split(*text, '\n')) {
    if (line.size() == 64) digests_.emplace(line);
  }
}

void ProbedList::add(std::span<const std::string> digests) {
  digests_.insert(digests.begin(), digests.end());
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(path_.parent_path(), ignored);
  std::string text;
  for (const auto& known : digests_) text += known + "\n";
  const auto written = write_file_atomically(path_, text);
  static_cast<void>(written);
}

}  // namespace quarry::plugins
