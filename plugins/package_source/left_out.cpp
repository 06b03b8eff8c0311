#include "package_source/left_out.h"

#include <quarry/tree_rules.hpp>

namespace quarry::package_source {

std::string shown(std::string_view name) {
  constexpr std::size_t kMost = 80;
  std::string out;
  while (!name.empty()) {
    const std::size_t size = detail::utf8_sequence(name);
    if (out.size() + size > kMost) return out + "…";
    const bool control = static_cast<unsigned char>(name.front()) < 0x20 || name.front() == 0x7F;
    if (size == 0 || control) {
      out += '?';
    } else {
      out += name.substr(0, size);
    }
    name.remove_prefix(size == 0 ? 1 : size);
  }
  return out;
}

std::string LeftOut::note(const std::string& one, const std::string& several) const {
  return (count == 1 ? "1 " + one : std::to_string(count) + " " + several) + ", such as " +
         shown(first) + ".";
}

std::string LeftOut::note_of_links() const {
  return note("symbolic link is listed, and not followed",
              "symbolic links are listed, and not followed");
}

}  // namespace quarry::package_source
