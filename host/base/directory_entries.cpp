#include "base/directory_entries.h"

namespace quarry {

namespace fs = std::filesystem;

std::vector<fs::directory_entry> entries_of(const fs::path& directory, std::error_code& failed) {
  std::vector<fs::directory_entry> out;
  for (fs::directory_iterator entry(directory, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    out.push_back(*entry);
  }
  return out;
}

std::vector<fs::directory_entry> entries_of(const fs::path& directory) {
  std::error_code ignored;
  return entries_of(directory, ignored);
}

}  // namespace quarry
