#include "store-sqlite/connection.h"

#include "store-sqlite/explain.h"

#include <thread>

#include <sqlite3.h>

namespace quarry::store_sqlite {
namespace {

using store_sql::Done;
using store_sql::Durability;
using store_sql::Value;

// Time for which other programs may lock the file, and the interval of retries.
constexpr std::chrono::seconds kBusy{10};
constexpr std::chrono::milliseconds kRetryInterval{2};
constexpr int kStepsBetweenLooks = 10'000;
constexpr std::size_t kMostStatements = 100;
// A commit is on the disk before it returns, or with the next such commit.
constexpr const char* kNow = "PRAGMA synchronous = FULL";
constexpr const char* kSoon = "PRAGMA synchronous = NORMAL";

class SqliteRow final : public store_sql::Row {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}
  [[nodiscard]] bool null(int column) const override {
    return sqlite3_column_type(statement_, column) == SQLITE_NULL;
  }
  [[nodiscard]] std::int64_t integer(int column) const override {
    return sqlite3_column_int64(statement_, column);
  }
  [[nodiscard]] std::string text(int column) const override {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return {text == nullptr ? "" : text,
            static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }

 private:
  sqlite3_stmt* statement_;
};

/// Resets a statement for its next run.
struct Reset {
  void operator()(sqlite3_stmt* statement) const {
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
  }
};
using Run = std::unique_ptr<sqlite3_stmt, Reset>;

/// For SQLite, `$2` is a name; its index is that of its first use.
void bind(sqlite3_stmt* statement, std::size_t number, const Value& value) {
  const int place = sqlite3_bind_parameter_index(statement, ('$' + std::to_string(number)).c_str());
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    sqlite3_bind_int64(statement, place, *integer);
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    // A null pointer would bind NULL instead of an empty text.
    sqlite3_bind_text64(statement, place, text->empty() ? "" : text->data(), text->size(),
                        SQLITE_STATIC, SQLITE_UTF8);
  }
}

}  // namespace

void SqliteConnection::Close::operator()(sqlite3* connection) const {
  sqlite3_close_v2(connection);
}

void SqliteConnection::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Outcome<std::unique_ptr<SqliteConnection>> SqliteConnection::open(const std::filesystem::path& file,
                                                                  WriteTurn& turn,
                                                                  const Call& call) {
  std::unique_ptr<SqliteConnection> made(new SqliteConnection(file, turn, call));
  sqlite3* opened = nullptr;
  const int result =
      sqlite3_open_v2(file.c_str(), &opened,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  made->connection_.reset(opened);
  if (result != SQLITE_OK) return made->failure();
  sqlite3_busy_handler(opened, wait_while_busy, made.get());
  sqlite3_progress_handler(opened, kStepsBetweenLooks, is_over, made.get());
  for (const char* pragma : {"PRAGMA journal_mode = WAL", kNow, "PRAGMA foreign_keys = ON"}) {
    if (auto set = made->run(pragma); !set) return set.failure();
  }
  return made;
}

SqliteConnection::~SqliteConnection() {
  end_turn();
}

int SqliteConnection::wait_while_busy(void* self, int times) {
  auto& mine = *static_cast<SqliteConnection*>(self);
  const auto now = std::chrono::steady_clock::now();
  if (times == 0) mine.busy_since_ = now;
  if (mine.call_.over() || now - mine.busy_since_ > kBusy) return 0;
  std::this_thread::sleep_for(kRetryInterval);
  return 1;
}

int SqliteConnection::is_over(void* self) {
  return static_cast<SqliteConnection*>(self)->call_.over() ? 1 : 0;
}

Failure SqliteConnection::failure() const {
  const int result =
      connection_ == nullptr ? SQLITE_NOMEM : sqlite3_extended_errcode(connection_.get());
  const bool waited = (result & 0xff) == SQLITE_BUSY || result == SQLITE_INTERRUPT;
  if (waited && call_.over()) return call_.why();
  return explained(result, file_.string(),
                   connection_ == nullptr ? "out of memory" : sqlite3_errmsg(connection_.get()));
}

Outcome<sqlite3_stmt*> SqliteConnection::prepared(std::string_view sql) {
  if (const auto known = statements_.find(sql); known != statements_.end()) {
    return known->second.get();
  }
  sqlite3_stmt* made = nullptr;
  const int result = sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &made, nullptr);
  Statement statement(made);
  if (result != SQLITE_OK) return failure();
  if (statements_.size() == kMostStatements) statements_.clear();
  statements_.emplace(sql, std::move(statement));
  return made;
}

Outcome<std::int64_t> SqliteConnection::each(std::string_view sql, std::span<const Value> values,
                                             const Visit& visit) {
  const auto statement = prepared(sql);
  if (!statement) return statement.failure();
  const Run run(*statement);
  for (std::size_t i = 0; i < values.size(); ++i) bind(run.get(), i + 1, values[i]);
  return step(run.get(), visit);
}

Outcome<std::int64_t> SqliteConnection::step(sqlite3_stmt* statement, const Visit& visit) {
  const bool answers = sqlite3_column_count(statement) > 0;
  for (std::int64_t rows = 0;; ++rows) {
    const int result = sqlite3_step(statement);
    if (result == SQLITE_DONE) {
      return answers ? rows : std::int64_t{sqlite3_changes64(connection_.get())};
    }
    if (result != SQLITE_ROW) return failure();
    visit(SqliteRow(statement));
  }
}

Outcome<Done> SqliteConnection::begin(Durability durability) {
  if (!turn_.take(call_)) return call_.why();
  has_turn_ = true;
  if (durability != durability_) {
    auto set = run(durability == Durability::kNow ? kNow : kSoon);
    if (!set) return set.failure();
    durability_ = durability;
  }
  // Starts as a writer, since a transaction that reads first may fail with SQLITE_BUSY at once.
  auto begun = run("BEGIN IMMEDIATE");
  if (!begun) return begun.failure();
  return Done{};
}

Outcome<Done> SqliteConnection::commit() {
  auto committed = run("COMMIT");
  if (!committed) return committed.failure();
  end_turn();
  return Done{};
}

void SqliteConnection::rollback() {
  // Some failures end the transaction.
  if (sqlite3_get_autocommit(connection_.get()) == 0) static_cast<void>(run("ROLLBACK"));
  end_turn();
}

void SqliteConnection::end_turn() {
  if (has_turn_) turn_.release();
  has_turn_ = false;
}

}  // namespace quarry::store_sqlite
