// References to repositories: whatever is read is refused by normalise or becomes a resource that
// normalise leaves as it is.

#include "resource-git/fields.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nlohmann/json.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace git = quarry::resource_git;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool ssh : {false, true}) {
    const git::Settings settings{.ssh = ssh};
    const auto said = nlohmann::json::parse(git::parse_reference(text, settings));
    if (said.is_null()) continue;
    const auto once = git::normalise(said["resource"].dump(), settings);
    if (!once) continue;
    const auto again = git::normalise(*once, settings);
    if (!again || *again != *once || !git::read_fields(*once)) std::abort();
  }
  return 0;
}
