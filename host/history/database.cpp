#include "history/database.h"

#include "base/file.h"

#include <fcntl.h>

#include <sqlite3.h>
#include <sys/stat.h>

namespace quarry::history {
namespace {

constexpr int kBusyMilliseconds = 5000;
constexpr const char* kCheckDirectory =
    "Check that the directory can be written and that its file system has free space.";

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

void bind(sqlite3_stmt* statement, int position, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    sqlite3_bind_int64(statement, position, *number);
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    // A null pointer would be NULL, not the empty text.
    sqlite3_bind_text64(statement, position, text->empty() ? "" : text->data(), text->size(),
                        SQLITE_TRANSIENT, SQLITE_UTF8);
  }
}

/// Creates the file with mode 0600, because SQLite would use the umask; SQLite gives its companion
/// files the same mode. An existing file is not opened: closing it would drop the locks of other
/// connections.
Status make_private(const std::filesystem::path& file) {
  const Fd made(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (made) return {};
  if (errno == EEXIST) {
    Status restricted = restrict_to_owner(file);
    if (!restricted) restricted.error().code = Code::kInternal;  // no right of the caller's
    return restricted;
  }
  return Error{Code::kInternal, system_error("cannot create " + file.string(), errno).message,
               kCheckDirectory};
}

/// An error of SQLite with a hint for the user.
Error explained(int result, const std::string& file, const std::string& cause) {
  const std::string message = file + ": " + cause;
  switch (result & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return Error{Code::kInternal, file + " is damaged: " + cause,
                   "Rename it (mv " + file + " " + file + ".damaged); a new one is created."}
          .tagged(kDamageTag);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Code::kUnavailable, message, "Another program uses it; try again."};
    case SQLITE_FULL:
      return {Code::kResourceExhausted, message, "Free space on its file system."};
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
      return {Code::kInternal, message, kCheckDirectory};
    default:
      return {Code::kInternal, message, {}};
  }
}

}  // namespace

std::int64_t Row::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string Row::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return {text == nullptr ? "" : text,
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

bool Row::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

void Database::Close::operator()(sqlite3* connection) const {
  sqlite3_close_v2(connection);
}

Result<Database> Database::open(const std::filesystem::path& file) {
  if (Status made = make_private(file); !made) return std::move(made).error();
  sqlite3* connection = nullptr;
  const int opened = sqlite3_open_v2(file.c_str(), &connection,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(Connection(connection), file);
  if (opened != SQLITE_OK) return database.failure();
  sqlite3_extended_result_codes(connection, 1);
  sqlite3_busy_timeout(connection, kBusyMilliseconds);
  return database;
}

Error Database::failure() const {
  if (!connection_) return {Code::kResourceExhausted, file_.string() + ": out of memory"};
  return explained(sqlite3_extended_errcode(connection_.get()), file_.string(),
                   sqlite3_errmsg(connection_.get()));
}

Status Database::run(std::string_view sql, std::initializer_list<Value> values) {
  return each(sql, values, [](const Row&) {});
}

Status Database::each(std::string_view sql, std::initializer_list<Value> values,
                      const std::function<void(const Row&)>& visit) {
  sqlite3_stmt* prepared = nullptr;
  const int result = sqlite3_prepare_v2(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                        &prepared, nullptr);
  const Statement statement(prepared);
  if (result != SQLITE_OK) return failure();
  int position = 0;
  for (const Value& value : values) bind(prepared, ++position, value);
  for (;;) {
    const int step = sqlite3_step(prepared);
    if (step == SQLITE_DONE) return {};
    if (step != SQLITE_ROW) return failure();
    visit(Row(prepared));
  }
}

Status Database::copy_from(Database& source) {
  sqlite3_backup* const copying =
      sqlite3_backup_init(connection_.get(), "main", source.connection_.get(), "main");
  if (copying == nullptr) return failure();
  const int result = sqlite3_backup_step(copying, -1);
  sqlite3_backup_finish(copying);
  if (result == SQLITE_DONE) return {};
  return explained(result, file_.string(), sqlite3_errstr(result));
}

Status Database::transaction(const std::function<Status()>& body) {
  // Starts as a writer: a reader that writes later may fail with SQLITE_BUSY without waiting.
  if (Status begun = run("BEGIN IMMEDIATE"); !begun) return begun;
  Status done = body();
  if (done) done = run("COMMIT");
  if (!done) static_cast<void>(run("ROLLBACK"));
  return done;
}

}  // namespace quarry::history
