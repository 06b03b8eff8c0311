// Archives: any input is refused, or all its files have paths inside their directory.

#include "resource-archive/unpack.h"

#include <quarry/testing.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

bool stays_inside(std::string_view path) {
  if (path.empty() || path.starts_with('/') || path.ends_with('/')) return false;
  const std::string parts = "/" + std::string(path) + "/";
  return parts.find("/../") == parts.npos && parts.find("/./") == parts.npos &&
         parts.find("//") == parts.npos && parts.find('\0') == parts.npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarry;
  const auto file = package_source::File::in_memory();
  require(file.write(0, {reinterpret_cast<const char*>(data), size}));
  quarry::testing::Tree kept;
  const quarry::testing::FakeCall call;
  Tree tree(kept.get());
  resource_archive::Limits limits;
  limits.unpacked = std::uint64_t{16} << 20U;
  const std::string commit = resource_archive::commit_of(Call(call.get()), file);
  require(commit.empty() || commit.size() == 40 || commit.size() == 64);
  const auto notes = resource_archive::unpack(Call(call.get()), {}, file, limits, {}, tree);
  for (const auto& [name, bytes] : kept.files) require(stays_inside(name));
  for (const auto& [name, bytes] : kept.large) require(stays_inside(name));
  for (const auto& name : kept.links) require(stays_inside(name));
  if (notes) require(!kept.files.empty() || !kept.large.empty() || !kept.links.empty());
  return 0;
}
