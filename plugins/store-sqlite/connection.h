#pragma once

#include "store-sqlite/write_turn.h"
#include "store_sql/connection.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

struct sqlite3;
struct sqlite3_stmt;

namespace quarry::store_sqlite {

/// A connection to an existing SQLite file.
class SqliteConnection final : public store_sql::Connection {
 public:
  /// `turn` is shared by all connections of this process to the file, and must outlive this one.
  static Outcome<std::unique_ptr<SqliteConnection>> open(const std::filesystem::path& file,
                                                         WriteTurn& turn, const Call& call);
  ~SqliteConnection() override;

  using Connection::each;
  void work_for(const Call& call) override { call_ = call; }
  Outcome<std::int64_t> each(std::string_view sql, std::span<const store_sql::Value> values,
                             const Visit& visit) override;
  Outcome<store_sql::Done> begin(store_sql::Durability durability) override;
  Outcome<store_sql::Done> commit() override;
  void rollback() override;
  /// A connection to a file cannot be lost.
  [[nodiscard]] State state() const override { return State::kUsable; }

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  SqliteConnection(std::filesystem::path file, WriteTurn& turn, const Call& call)
      : file_(std::move(file)), turn_(turn), call_(call) {}

  static int wait_while_busy(void* self, int times);
  static int is_over(void* self);
  Outcome<sqlite3_stmt*> prepared(std::string_view sql);
  Outcome<std::int64_t> step(sqlite3_stmt* statement, const Visit& visit);
  void end_turn();
  [[nodiscard]] Failure failure() const;

  std::filesystem::path file_;
  WriteTurn& turn_;
  bool has_turn_ = false;
  store_sql::Durability durability_ = store_sql::Durability::kNow;
  Call call_;
  std::chrono::steady_clock::time_point busy_since_;
  std::unique_ptr<sqlite3, Close> connection_;
  std::unordered_map<std::string, Statement, Hash, std::equal_to<>> statements_;
};

}  // namespace quarry::store_sqlite
