#pragma once

#include "resource-npm/packages.h"

#include <quarry/paths.h>
#include <quarry/secrets.h>
#include <quarry/testing.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_npm::testing {

/// A temporary directory of one test.
class TempDirectory {
 public:
  TempDirectory();
  ~TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// "sha512-…" of `bytes`.
std::string sha512_of(std::string_view bytes);

/// A host with a cache, secrets, an environment and registries with canned responses.
class RegistryHost {
 public:
  RegistryHost();
  RegistryHost(const RegistryHost&) = delete;
  RegistryHost& operator=(const RegistryHost&) = delete;

  /// Publishes these versions of a package at `registry`; each value is the JSON of its "dist".
  void publish(const std::string& registry, const std::string& package,
               const std::map<std::string, std::string>& versions,
               const std::string& tags = R"({"latest":"1.0.0"})");
  void answer(const std::string& url, int status, const std::string& body,
              std::vector<HttpHeader> headers = {});

  /// JSON of the resolved version, or "<status>: <message> | <hint>".
  std::string resolve(const std::string& resource);
  std::string fetch(const std::string& resource, const std::string& version);
  /// A header of the latest request for `url`; "none" when it had none.
  [[nodiscard]] std::string sent(const std::string& url, const char* name) const;
  [[nodiscard]] std::size_t requests() const { return http.requests.size(); }
  [[nodiscard]] Host host() const { return Host(fake.get()); }

  TempDirectory directory;
  quarry::testing::FakeHost fake;
  quarry::testing::FakeHttp http;
  quarry::testing::FakeCall call;
  quarry::testing::Tree tree;  ///< of the last fetch
  std::map<std::string, std::string> environment;
  std::vector<std::string> hidden;  ///< from the host's output
  Settings settings;

 private:
  [[nodiscard]] Packages packages();

  std::string cache_;
  quarry_paths_v1 paths_;
  quarry_secrets_v1 secrets_;
};

}  // namespace quarry::resource_npm::testing
