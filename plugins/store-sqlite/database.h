#pragma once

#include "store-sqlite/write_turn.h"
#include "store_sql/connection.h"

#include <filesystem>

namespace quarry::store_sqlite {

/// An SQLite file, created with mode 0600 if missing; its directory must exist. Any number of
/// processes may use it at once.
class SqliteDatabase final : public store_sql::Database {
 public:
  explicit SqliteDatabase(std::filesystem::path file) : file_(std::move(file)) {}

  [[nodiscard]] store_sql::Dialect dialect() const override;
  [[nodiscard]] std::string name() const override { return file_.string(); }
  [[nodiscard]] bool exists() const override;
  Outcome<std::unique_ptr<store_sql::Connection>> connect(const Call& call) override;

 private:
  std::filesystem::path file_;
  WriteTurn turn_;
};

}  // namespace quarry::store_sqlite
