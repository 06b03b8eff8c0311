#pragma once

#include "package_source/download.h"
#include "resource-npm/packument.h"
#include "resource-npm/registry.h"
#include "resource-npm/registry_failure.h"

#include <quarry/http.hpp>

#include <functional>
#include <string>
#include <vector>

namespace quarry::resource_npm {

/// Requests one package from one registry. The referenced objects must outlive it.
class Client {
 public:
  Client(const Host& host, const Registry& registry, std::string package)
      : host_(host), registry_(registry), package_(std::move(package)) {}

  /// The registry's current packument, requested with the ETag of the cached one and then cached.
  /// [worker]
  [[nodiscard]] Outcome<Packument> packument(const Call& call) const;
  /// The cached packument if it contains `version`, since versions do not change; else as above.
  /// [worker]
  [[nodiscard]] Outcome<Packument> packument_with(const Call& call,
                                                  const std::string& version) const;
  /// The registry's readme of a version; empty when it has none. [worker]
  [[nodiscard]] Outcome<std::string> readme(const Call& call, std::string_view version) const;
  /// The tarball, verified against each of `integrities` (at least one); from the cache if it is
  /// there, so that no version is fetched twice, under any name. Its key is the reader, the
  /// registry and the integrity: integrity alone proves no right, because a registry may claim the
  /// integrity of a tarball that its reader must not see. [worker]
  [[nodiscard]] Outcome<package_source::FileSlot> tarball(const Call& call,
                                                          const std::string& version,
                                                          const Release& release,
                                                          const std::vector<Integrity>& integrities,
                                                          std::string_view scratch) const;

 private:
  using Take = std::function<bool(std::string_view bytes)>;
  /// receive() for the package's document.
  [[nodiscard]] Outcome<HttpResponse> get(const Call& call, const char* accept,
                                          const std::string& etag, const Take& take) const;
  [[nodiscard]] std::string url() const { return registry_.packument_url(package_); }
  /// The name of the cache's entry with `text`; readers share none.
  [[nodiscard]] std::string entry_name(const std::string& kind, const std::string& text) const;
  [[nodiscard]] std::optional<Packument> kept_packument() const;
  [[nodiscard]] Asked asked(std::string what, bool with_credentials) const;

  const Host& host_;
  const Registry& registry_;
  std::string package_;
};

}  // namespace quarry::resource_npm
