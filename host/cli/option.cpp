#include "cli/option.h"

#include "base/text.h"

namespace quarry::cli {

std::vector<std::string> long_names(const Option& option) {
  std::vector<std::string> out;
  for (std::string_view name : split(option.names, ',')) {
    if (name.starts_with('!')) name.remove_prefix(1);
    if (name.starts_with("--")) out.emplace_back(name);
  }
  return out;
}

}  // namespace quarry::cli
