#include "history/schema.h"

#include "base/file.h"

#include <chrono>
#include <system_error>

namespace quarry::history {
namespace {

// Times are milliseconds since 1970 (UTC), money is nano-dollars; a count not reported is NULL.
// kSteps[n] migrates version n to n + 1. Released steps never change; new ones are appended.
constexpr std::initializer_list<const char*> kFirst = {
    "CREATE TABLE question ("
    " id TEXT PRIMARY KEY,"
    " started INTEGER NOT NULL,"
    " duration_ms INTEGER NOT NULL,"
    " outcome TEXT NOT NULL,"
    " thread TEXT NOT NULL,"
    " cost INTEGER NOT NULL) WITHOUT ROWID",  // amount that its calls count against a budget
    "CREATE INDEX question_started ON question (started, cost)",
    "CREATE TABLE question_resource ("
    " question TEXT NOT NULL REFERENCES question (id) ON DELETE CASCADE,"
    " name TEXT NOT NULL,"
    " version TEXT NOT NULL,"
    " PRIMARY KEY (question, name)) WITHOUT ROWID",
    "CREATE TABLE call ("
    " question TEXT NOT NULL REFERENCES question (id) ON DELETE CASCADE,"
    " position INTEGER NOT NULL,"
    " provider TEXT NOT NULL,"
    " model TEXT NOT NULL,"
    " input INTEGER,"
    " output INTEGER,"
    " reasoning INTEGER,"
    " cache_read INTEGER,"
    " cache_write INTEGER,"
    " cost INTEGER NOT NULL,"
    " unpriced TEXT NOT NULL,"  // the parts without a rate, separated by spaces
    " source TEXT NOT NULL,"    // of the rates; empty if unknown
    " catalogue_date TEXT NOT NULL,"
    " failed INTEGER NOT NULL,"
    " PRIMARY KEY (question, position)) WITHOUT ROWID",
    "CREATE TABLE thread ("
    " id TEXT PRIMARY KEY,"
    " created INTEGER NOT NULL,"
    " updated INTEGER NOT NULL,"
    " title TEXT NOT NULL) WITHOUT ROWID",
    "CREATE INDEX thread_updated ON thread (updated)",
    "CREATE TABLE turn ("
    " thread TEXT NOT NULL REFERENCES thread (id) ON DELETE CASCADE,"
    " position INTEGER NOT NULL,"
    " question TEXT NOT NULL,"
    " answer TEXT NOT NULL,"
    " question_id TEXT NOT NULL,"
    " PRIMARY KEY (thread, position))",
};
constexpr std::initializer_list<const char*> kTurnsNameResources = {
    "ALTER TABLE turn ADD COLUMN resources TEXT NOT NULL DEFAULT '[]'",  // a JSON array
};
// Turns get a rowid that VACUUM keeps, since the index of their words (turn_words) refers to it.
constexpr std::initializer_list<const char*> kTurnsKeepSources = {
    "ALTER TABLE thread ADD COLUMN turns INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE thread ADD COLUMN single INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE thread ADD COLUMN project TEXT NOT NULL DEFAULT ''",
    "UPDATE thread SET turns = (SELECT COUNT(*) FROM turn WHERE turn.thread = thread.id)",
    "ALTER TABLE turn RENAME TO older_turn",
    "CREATE TABLE turn ("
    " number INTEGER PRIMARY KEY,"
    " thread TEXT NOT NULL REFERENCES thread (id) ON DELETE CASCADE,"
    " position INTEGER NOT NULL,"
    " question TEXT NOT NULL,"
    " answer TEXT NOT NULL,"
    " question_id TEXT NOT NULL,"
    " resources TEXT NOT NULL,"      // a JSON array
    " status TEXT NOT NULL,"         // answered, cut, stopped or failed
    " finish_reason TEXT NOT NULL,"  // empty if it failed, or not kept
    " asked INTEGER,"
    " cost INTEGER,"           // of all calls; NULL = not kept
    " details TEXT NOT NULL,"  // a JSON object
    " citations TEXT,"         // a JSON array; NULL = not kept
    " UNIQUE (thread, position))",
    "CREATE INDEX turn_question ON turn (question_id)",
    "INSERT INTO turn (thread, position, question, answer, question_id, resources, status,"
    " finish_reason, asked, cost, details)"
    " SELECT older_turn.thread, position, older_turn.question, answer, question_id, resources,"
    " CASE WHEN COALESCE(outcome, 'stop') = 'stop' THEN 'answered' ELSE 'cut' END,"
    " COALESCE(outcome, ''), started,"
    " (SELECT SUM(call.cost) FROM call WHERE call.question = question.id), '{}'"
    " FROM older_turn LEFT JOIN question ON question.id = question_id"
    " ORDER BY older_turn.rowid",
    "DROP TABLE older_turn",
};
// turn_words has the words of turns without their text, title_words the titles that were given.
constexpr std::initializer_list<const char*> kWordsAreFound = {
    "CREATE VIRTUAL TABLE turn_words USING fts5 (question, answer, content = 'turn',"
    " content_rowid = 'number', tokenize = 'unicode61 remove_diacritics 2')",
    "CREATE TRIGGER turn_added AFTER INSERT ON turn BEGIN"
    " INSERT INTO turn_words (rowid, question, answer)"
    " VALUES (new.number, new.question, new.answer); END",
    "CREATE TRIGGER turn_removed AFTER DELETE ON turn BEGIN"
    " INSERT INTO turn_words (turn_words, rowid, question, answer)"
    " VALUES ('delete', old.number, old.question, old.answer); END",
    "INSERT INTO turn_words (turn_words) VALUES ('rebuild')",
    "CREATE VIRTUAL TABLE title_words USING fts5 (thread UNINDEXED, title,"
    " tokenize = 'unicode61 remove_diacritics 2')",
    "CREATE TRIGGER thread_renamed AFTER UPDATE OF title ON thread BEGIN"
    " DELETE FROM title_words WHERE thread = old.id;"
    " INSERT INTO title_words (thread, title) VALUES (new.id, new.title); END",
    "CREATE TRIGGER thread_removed AFTER DELETE ON thread BEGIN"
    " DELETE FROM title_words WHERE thread = old.id; END",
};
constexpr std::initializer_list<const char*> kSteps[] = {kFirst, kTurnsNameResources,
                                                         kTurnsKeepSources, kWordsAreFound};
static_assert(std::size(kSteps) == kSchemaVersion);

Error newer(const std::filesystem::path& file, std::int64_t version) {
  return {Code::kUnsupported,
          file.string() + " is of version " + std::to_string(version) +
              ", and this program knows versions up to " + std::to_string(kSchemaVersion),
          "Use the newer Quarry that wrote it, or rename the file; a new one is created."};
}

Result<std::int64_t> version_of(Database& database) {
  std::int64_t version = 0;
  const Status read =
      database.each("PRAGMA user_version", {}, [&](const Row& row) { version = row.integer(0); });
  if (!read) return read.error();
  return version;
}

Status migrate(Database& database, std::int64_t version) {
  return database.transaction([&] {
    Status made;
    for (auto step = static_cast<std::size_t>(version); step < std::size(kSteps); ++step) {
      for (const char* sql : kSteps[step]) {
        if (made = database.run(sql); !made) return made;
      }
    }
    return database.run("PRAGMA user_version = " + std::to_string(kSchemaVersion));
  });
}

/// Allows readers beside one writer; commits survive the process, and removed data is
/// overwritten.
Status configure(Database& database) {
  for (const char* pragma : {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL",
                             "PRAGMA foreign_keys = ON", "PRAGMA secure_delete = ON"}) {
    if (Status set = database.run(pragma); !set) return set;
  }
  return {};
}

bool is_damaged(const std::filesystem::path& file) {
  auto database = Database::open(file);
  if (!database) return database.error().tag == kDamageTag;
  bool sound = false;
  const Status checked = database->each("PRAGMA integrity_check(1)", {},
                                        [&](const Row& row) { sound = row.text(0) == "ok"; });
  return checked ? !sound : checked.error().tag == kDamageTag;
}

}  // namespace

Result<std::optional<std::filesystem::path>> rename_damaged_history(
    const std::filesystem::path& file) {
  const auto lock = FileLock::acquire(file.parent_path(), FileLock::Mode::kExclusive);
  if (!lock) return lock.error();
  if (!is_damaged(file)) return std::optional<std::filesystem::path>();
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string suffix =
      ".damaged-" + std::to_string(std::chrono::floor<std::chrono::seconds>(now).count());
  // The file last: after a crash before that, no companion of it is left beside a new file.
  for (const char* const companion : {"-wal", "-shm", ""}) {
    std::error_code failed;
    const std::filesystem::path from = file.string() + companion;
    std::filesystem::rename(from, file.string() + suffix + companion, failed);
    if (failed && failed != std::errc::no_such_file_or_directory) {
      return system_error("cannot rename " + from.string(), failed.value());
    }
  }
  return std::optional(std::filesystem::path(file.string() + suffix));
}

Result<Database> open_history(const std::filesystem::path& file) {
  // SQLite fails instead of waiting while another process creates a file and switches it to WAL.
  const auto lock = FileLock::acquire(file.parent_path(), FileLock::Mode::kExclusive);
  if (!lock) return lock.error();
  auto database = Database::open(file);
  if (!database) return database;
  const auto version = version_of(*database);
  if (!version) return version.error();
  if (*version > kSchemaVersion) return newer(file, *version);
  Status done = configure(*database);
  if (done && *version < kSchemaVersion) done = migrate(*database, *version);
  if (!done) return std::move(done).error();
  return database;
}

}  // namespace quarry::history
