#pragma once

#include "base/error.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

namespace quarry::history {

/// Value bound to a `?` of a statement.
using Value = std::variant<std::nullptr_t, std::int64_t, std::string_view>;

/// The current row of a statement. Columns count from 0.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] bool is_null(int column) const;

 private:
  sqlite3_stmt* statement_;
};

/// Tag of errors caused by a damaged file.
inline constexpr std::string_view kDamageTag = "HistoryDamaged";

/// One connection to an SQLite file. Errors name the file, the cause and the next step. One thread
/// at a time; any number of connections, of this and other processes.
class Database {
 public:
  /// Opens `file`, created with mode 0600 if missing. Its directory must exist.
  static Result<Database> open(const std::filesystem::path& file);

  /// Runs one statement and ignores its rows.
  Status run(std::string_view sql, std::initializer_list<Value> values = {});
  /// Runs one statement and visits every row of its result.
  Status each(std::string_view sql, std::initializer_list<Value> values,
              const std::function<void(const Row&)>& visit);
  /// Replaces the whole content by that of `source`, in one transaction. Both must have pages of
  /// one size.
  Status copy_from(Database& source);
  /// Runs `body` in a transaction; rolls back when it fails.
  Status transaction(const std::function<Status()>& body);

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  using Connection = std::unique_ptr<sqlite3, Close>;

  Database(Connection connection, std::filesystem::path file)
      : connection_(std::move(connection)), file_(std::move(file)) {}
  [[nodiscard]] Error failure() const;

  Connection connection_;
  std::filesystem::path file_;
};

}  // namespace quarry::history
