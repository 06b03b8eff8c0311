#pragma once

#include "resource-npm/kept_packuments.h"
#include "resource-npm/packument.h"
#include "resource-npm/registry.h"
#include "resource-npm/registry_failure.h"

#include <quarry/http.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace quarry::resource_npm {

/// Asks one registry about one package. What is referred to must outlive it.
class Client {
 public:
  Client(const Host& host, const Registry& registry, std::string package)
      : host_(host), registry_(registry), package_(std::move(package)) {}

  /// What the registry knows now. It is asked with the ETag of what is kept, and what it says is
  /// kept. [worker]
  [[nodiscard]] Outcome<Packument> packument(const Call& call) const;
  /// What is kept if that holds `version`, since versions do not change; else as above. [worker]
  [[nodiscard]] Outcome<Packument> packument_with(const Call& call,
                                                  const std::string& version) const;
  /// The readme the registry shows for a version; empty when it has none. [worker]
  [[nodiscard]] Outcome<std::string> readme(const Call& call, std::string_view version) const;
  /// Streams the tarball to the new file `path`; it is what `integrities` say. [worker]
  [[nodiscard]] Outcome<std::uint64_t> tarball(const Call& call, const std::string& version,
                                               const Release& release,
                                               const std::vector<Integrity>& integrities,
                                               const std::filesystem::path& path) const;

 private:
  using Take = std::function<bool(std::string_view bytes)>;
  /// As receive(), of the document about the package.
  [[nodiscard]] Outcome<HttpResponse> get(const Call& call, const char* accept,
                                          const std::string& etag, const Take& take) const;
  [[nodiscard]] std::string url() const { return registry_.packument_url(package_); }
  [[nodiscard]] KeptPackuments kept() const;
  [[nodiscard]] Asked asked(std::string what, bool with_credentials) const;

  const Host& host_;
  const Registry& registry_;
  std::string package_;
};

}  // namespace quarry::resource_npm
