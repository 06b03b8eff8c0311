// Ranges, versions, packuments and references of npm: any input that parses survives writing and
// parsing again, and a range then contains the same versions.

#include "resource-npm/npmrc.h"
#include "resource-npm/packument.h"
#include "resource-npm/resource.h"
#include "resource-npm/wanted.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

namespace npm = quarry::resource_npm;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_wanted(std::string_view text) {
  const auto wanted = npm::Wanted::parse(text);
  if (!wanted) return;
  const auto again = npm::Wanted::parse(wanted->text);
  require(again && again->text == wanted->text && again->is_tag() == wanted->is_tag());
  if (!wanted->range) return;
  for (const char* version : {"0.0.0", "1.2.3", "1.2.3-beta.1", "2.0.0-0", "10.0.0"}) {
    const auto tested = npm::Version::parse(version);
    require(wanted->range->contains(*tested) == again->range->contains(*tested));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_wanted(text);
  if (const auto version = npm::Version::parse(text)) {
    require(*npm::Version::parse(version->text()) == *version);
  }
  if (const auto packument = npm::Packument::read(text)) {
    const auto again = npm::Packument::read(packument->text());
    require(again && again->text() == packument->text());
  }
  if (const auto url = npm::registry_url(text)) require(npm::registry_url(*url) == url);
  const npm::Npmrc npmrc(text, [](const std::string&) { return std::nullopt; });
  static_cast<void>(npmrc.credentials(*npm::Url::parse("https://a/b/c")));
  static_cast<void>(npm::parse_reference(text));
  return 0;
}
