#pragma once

#include "base/file.h"
#include "plugins/registry.h"

#include <quarry/paths.h>

#include <filesystem>
#include <quarry_places.h>
#include <string>

#include <gtest/gtest.h>

namespace quarry::store_tests {

/// The stores of this tree, as a host loads them, but without services.
inline std::unique_ptr<plugins::Registry> load_stores() {
  plugins::RegistryOptions options;
  options.drafts = true;
  options.host_version = "test";
  options.directories = {std::filesystem::path(QUARRY_BUILD_DIR) / "lib/quarry/plugins"};
  options.own_directories = 1;
  options.wanted = [](const plugins::Manifest& manifest, const std::vector<plugins::Manifest>&) {
    return manifest.id.starts_with("io.quarry.store-");
  };
  auto registry = plugins::Registry::load(std::move(options));
  for (const Error& problem : registry->problems()) ADD_FAILURE() << problem.message;
  return registry;
}

}  // namespace quarry::store_tests
