#include "store-sqlite/database.h"
#include "store-sqlite/settings.h"
#include "store_sql/store.h"

#include <quarry/draft/store.hpp>
#include <quarry/plugin.hpp>

namespace {

constexpr std::size_t kConnections = 8;

/// Store in a file, for one machine.
class SqliteStore : public quarry::store_sql::SqlStore {
 public:
  using SqlStore::SqlStore;
  static quarry::Outcome<std::unique_ptr<SqliteStore>> create(quarry::Host host,
                                                              std::string_view configuration) {
    auto settings = quarry::store_sqlite::Settings::read(host, configuration);
    if (!settings) return settings.failure();
    return std::make_unique<SqliteStore>(
        std::make_unique<quarry::store_sqlite::SqliteDatabase>((*settings).file), kConnections);
  }
};

}  // namespace

QUARRY_PLUGIN("io.quarry.store-sqlite", QUARRY_VERSION, quarry::store<SqliteStore>("sqlite"))
