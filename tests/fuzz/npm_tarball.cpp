// Tarballs of npm: any input is rejected, or all its files have paths inside their directory.

#include "resource-npm/tarball.h"

#include <quarry/testing.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
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
  quarry::testing::Tree kept;
  const quarry::testing::FakeCall call;
  Tree tree(kept.get());
  package_source::UnpackLimits limits = resource_npm::kTarballLimits;
  limits.bytes = std::uint64_t{16} << 20;
  const auto file = package_source::File::in_memory();
  require(file.write(0, {reinterpret_cast<const char*>(data), size}));
  const auto tarball = resource_npm::unpack(file, limits, Call(call.get()), tree);
  for (const auto& [path, bytes] : kept.files) require(stays_inside(path));
  for (const auto& [path, bytes] : kept.large) require(stays_inside(path));
  for (const auto& path : kept.links) require(stays_inside(path));
  if (tarball) require(tarball->files == kept.files.size() + kept.large.size());
  return 0;
}
