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

/// The prices of models.dev, as they were when they were fetched last. Kept in the plugin's cache.
class Catalogue {
 public:
  /// Touches neither disk nor network.
  Catalogue(Host host, Settings settings) : host_(host), settings_(std::move(settings)) {}

  /// As quarry_pricing_v1.rates. The first call reads the kept table. [any]
  std::string rates(std::string_view provider, std::string_view model);

  /// As quarry_pricing_v1.refresh. Asks the network only when the table is older than
  /// Settings::refresh. A catalogue that is cut, empty or much smaller than the one there is fails,
  /// and the old one stays. [worker]
  Outcome<std::string> refresh(const Call& call);

 private:
  using Shared = std::shared_ptr<const Table>;

  Shared table();
  /// Takes what another process or an earlier instance has stored; true when prices changed.
  bool take_stored();
  bool take(Shared table);
  /// Keeps it on disk, too.
  bool keep(Shared table);
  Outcome<Shared> fetch_newer(const Call& call, const Shared& old, std::int64_t now);
  [[nodiscard]] std::optional<TableFile> file() const;
  [[nodiscard]] std::int64_t now_ms() const;

  Host host_;
  Settings settings_;
  std::mutex mutex_;  // guards what follows
  bool loaded_ = false;
  Shared table_;
};

}  // namespace quarry::pricing_models_dev
