#pragma once

#include "store-postgresql/settings.h"
#include "store_sql/connection.h"

#include <quarry/host.hpp>

namespace quarry::store_postgresql {

/// A database of PostgreSQL 13 or later, which any number of hosts may use at once.
class PostgresqlDatabase final : public store_sql::Database {
 public:
  PostgresqlDatabase(Host host, Settings settings) : host_(host), settings_(std::move(settings)) {}

  [[nodiscard]] store_sql::Dialect dialect() const override;
  [[nodiscard]] std::string name() const override { return "the PostgreSQL database"; }
  Outcome<std::unique_ptr<store_sql::Connection>> connect(const Call& call) override;
  Outcome<bool> committed(store_sql::Connection& connection,
                          const std::string& transaction) override;

 private:
  /// Read for each connection, since a secret may change.
  Outcome<std::string> url(const Call& call) const;

  Host host_;
  Settings settings_;
};

}  // namespace quarry::store_postgresql
