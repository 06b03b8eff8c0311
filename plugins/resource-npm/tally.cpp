#include "resource-npm/tally.h"

#include "resource-npm/text.h"

namespace quarry::resource_npm {
namespace {

constexpr std::size_t kShown = 100;

/// Singular and plural, with "#" for the number.
struct Words {
  std::string_view one;
  std::string_view several;
};

constexpr std::array<Words, 5> kWords = {{
    {"1 symbolic link is listed but leads nowhere", "# symbolic links are listed but lead nowhere"},
    {"1 hard link is left out, as npm does", "# hard links are left out, as npm does"},
    {"1 file outside the package's folder is left out, as npm does",
     "# files outside the package's folder are left out, as npm does"},
    {"1 file is left out because its path is too long or too deep",
     "# files are left out because their paths are too long or too deep"},
    {"1 path stands twice in the tarball with different files; the first is here, npm keeps the "
     "last",
     "# paths stand twice in the tarball with different files; the first ones are here, npm keeps "
     "the last"},
}};

}  // namespace

void Tally::add(Left why, std::string_view path) {
  Count& count = counts_[static_cast<std::size_t>(why)];
  if (count.count++ == 0) count.first = shown(path, kShown);
}

std::vector<std::string> Tally::notes() const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const auto& [count, first] = counts_[i];
    if (count == 0) continue;
    std::string note(count == 1 ? kWords[i].one : kWords[i].several);
    if (count > 1) note.replace(0, 1, std::to_string(count));
    if (!first.empty()) note += (count == 1 ? ": " : ", such as ") + first;
    out.push_back(note + ".");
  }
  return out;
}

}  // namespace quarry::resource_npm
