#pragma once

#include "pricing-models-dev/settings.h"
#include "pricing-models-dev/table_file.h"

#include <quarry/host.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::pricing_models_dev {

/// The prices of models.dev as of the last fetch, stored in the plugin's cache.
class Catalogue {
 public:
  /// Uses neither disk nor network.
  Catalogue(Host host, Settings settings) : host_(host), settings_(std::move(settings)) {}

  /// See quarry_pricing_v1.rates. The first call reads the stored table. [any]
  std::string rates(std::string_view provider, std::string_view model);

  /// See quarry_pricing_v1.refresh. Uses the network only when the table is older than
  /// Settings::refresh. A catalogue that is truncated, empty or much smaller than the current one
  /// is a failure, and the current one is kept. [worker]
  Outcome<std::string> refresh(const Call& call);

 private:
  using Shared = std::shared_ptr<const Table>;

  Shared table();
  /// Loads the table that another process or an earlier instance stored; true when prices changed.
  bool take_stored();
  bool take(Shared table);
  /// Uses `table` and stores it on disk.
  bool keep(Shared table);
  Outcome<Shared> fetch_newer(const Call& call, const Shared& old, std::int64_t now);
  [[nodiscard]] std::optional<TableFile> file() const;
  [[nodiscard]] std::int64_t now_ms() const;

  Host host_;
  Settings settings_;
  std::mutex mutex_;  // guards the members below
  bool loaded_ = false;
  Shared table_;
};

}  // namespace quarry::pricing_models_dev
