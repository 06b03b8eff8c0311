#include "base/file_replacement.h"

#include "base/directory_entries.h"

#include <string>
#include <system_error>

namespace quarry {

namespace fs = std::filesystem;

fs::path real_file(const fs::path& path) {
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(path, ignored);
  return real.empty() ? path : real;
}

void remove_temporaries(const fs::path& path) {
  constexpr std::size_t kRandomLetters = 6;  // of mkostemp
  const std::string prefix = "." + path.filename().string() + ".";
  std::error_code ignored;
  for (const auto& entry : entries_of(path.parent_path())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.size() == prefix.size() + kRandomLetters) {
      fs::remove(entry, ignored);
    }
  }
}

}  // namespace quarry
