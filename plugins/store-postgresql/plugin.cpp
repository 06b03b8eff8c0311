#include "store-postgresql/database.h"
#include "store-postgresql/settings.h"
#include "store_sql/store.h"

#include <quarry/draft/store.hpp>
#include <quarry/plugin.hpp>

namespace {

/// Store in a database, for many hosts.
class PostgresqlStore : public quarry::store_sql::SqlStore {
 public:
  using SqlStore::SqlStore;
  static quarry::Outcome<std::unique_ptr<PostgresqlStore>> create(quarry::Host host,
                                                                  std::string_view configuration) {
    const auto settings = quarry::store_postgresql::Settings::read(configuration);
    if (!settings) return settings.failure();
    return std::make_unique<PostgresqlStore>(
        std::make_unique<quarry::store_postgresql::PostgresqlDatabase>(host, *settings),
        settings->connections);
  }
};

}  // namespace

QUARRY_PLUGIN("io.quarry.store-postgresql", QUARRY_VERSION,
              quarry::store<PostgresqlStore>("postgresql"))
