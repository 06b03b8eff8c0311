#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::package_source {

/// `name` for a message: at most 80 bytes, control characters and malformed UTF-8 as '?'.
std::string shown(std::string_view name);

/// Members of an archive that were left out for one reason.
struct LeftOut {
  std::size_t count = 0;
  std::string first;  ///< the name of the first one

  void add(std::string_view name) {
    if (count++ == 0) first = name;
  }
  void add(const LeftOut& other) {
    if (count == 0) first = other.first;
    count += other.count;
  }
  /// "2 files were left out, such as a/b."; `one` and `several` are the words between.
  [[nodiscard]] std::string note(const std::string& one, const std::string& several) const;
  /// The note of symbolic links.
  [[nodiscard]] std::string note_of_links() const;
};

}  // namespace quarry::package_source
