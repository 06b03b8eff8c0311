#pragma once

#include "base/clock.h"
#include "plugins/manifest.h"
#include "services/service_tables.h"

#include <quarry/http.h>

#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

namespace quarry::conformance {

/// A host for one generation of a plugin: the real services with directories of its own, two
/// workers, no secrets, and an HTTP service that fails every request as without a network.
class KitHost {
 public:
  KitHost(const plugins::Manifest& manifest, const std::filesystem::path& directory);
  KitHost(const KitHost&) = delete;
  KitHost& operator=(const KitHost&) = delete;

  [[nodiscard]] const quarry_host* get() const { return &host_; }
  /// Uses of the HTTP service so far. [any thread]
  [[nodiscard]] int requests() const { return requests_; }

 private:
  static KitHost& of(const quarry_host* self) { return *static_cast<KitHost*>(self->context); }
  [[nodiscard]] const void* find(std::string_view id) const;
  static void refuse(const quarry_http_v1* self, const quarry_reply* reply);

  SystemClock clock_;
  services::Redactor redactor_;
  services::Log log_;
  services::Metrics metrics_;
  services::Paths paths_;
  services::ProcessRunner processes_;
  services::SecretStore secrets_;
  services::WorkerPool workers_;
  services::ServiceTables tables_;
  quarry_http_v1 http_;
  quarry_host host_;
  std::atomic<int> requests_ = 0;
};

}  // namespace quarry::conformance
