#pragma once

#include "base/file.h"
#include "history/history.h"
#include "history/schema.h"

#include <quarry_test.h>

#include <gmock/gmock.h>

namespace quarry::history {

/// A fixture with its own directory for every test.
class InDirectory : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return root_ / "history.db"; }
  /// Content of the file and its companions.
  [[nodiscard]] std::string bytes() const {
    std::string out;
    for (const auto& entry : std::filesystem::directory_iterator(root_)) {
      out += read_file(entry.path()).value_or("");
    }
    return out;
  }

  /// A history as earlier programs left it: a thread of three turns, the record of the last one's
  /// cost removed.
  static void make_old_file(const std::filesystem::path& file, int version) {
    auto database = *Database::open(file);
    const bool first = version == 1;
    const std::string turns = first ? "" : ", resources TEXT NOT NULL DEFAULT '[]'";
    for (const std::string& sql : {
             std::string(
                 "CREATE TABLE question (id TEXT PRIMARY KEY, started INTEGER NOT NULL,"
                 " duration_ms INTEGER NOT NULL, outcome TEXT NOT NULL, thread TEXT NOT NULL,"
                 " cost INTEGER NOT NULL) WITHOUT ROWID"),
             std::string("CREATE TABLE call (question TEXT NOT NULL REFERENCES question (id)"
                         " ON DELETE CASCADE, position INTEGER NOT NULL, cost INTEGER NOT NULL,"
                         " PRIMARY KEY (question, position)) WITHOUT ROWID"),
             std::string("CREATE TABLE thread (id TEXT PRIMARY KEY, created INTEGER NOT NULL,"
                         " updated INTEGER NOT NULL, title TEXT NOT NULL) WITHOUT ROWID"),
             "CREATE TABLE turn (thread TEXT NOT NULL REFERENCES thread (id) ON DELETE CASCADE,"
             " position INTEGER NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL,"
             " question_id TEXT NOT NULL" +
                 turns + ", PRIMARY KEY (thread, position))",
             std::string("INSERT INTO thread VALUES ('t', 1, 1, 'how?')"),
             std::string("INSERT INTO turn (thread, position, question, answer, question_id)"
                         " VALUES ('t', 1, 'how?', 'so', 'q'), ('t', 2, 'and?', 'so', 'p'),"
                         " ('t', 3, 'then?', 'so', 'r')"),
             std::string("INSERT INTO question VALUES ('q', 100000, 1, 'stop', 't', 99),"
                         " ('p', 100000, 1, 'length', 't', 0)"),
             std::string("INSERT INTO call VALUES ('q', 1, 40), ('q', 2, 2)"),
             "PRAGMA user_version = " + std::to_string(version),
         }) {
      const Status made = database.run(sql);
      ASSERT_TRUE(made) << made.error().message;
    }
  }

  const std::filesystem::path root_ = test_directory();
};

inline Time at(std::int64_t seconds) {
  return Time(std::chrono::seconds(seconds));
}

inline Call call(std::string model, std::int64_t input, std::int64_t output, std::int64_t nanos) {
  return {.provider = "openai",
          .model = std::move(model),
          .input = input,
          .output = output,
          .reasoning = {},
          .cache_read = {},
          .cache_write = {},
          .cost = {nanos},
          .charged = {},
          .unpriced = {},
          .source = "static",
          .catalogue_date = "2026-11-01"};
}

inline Question question(std::string id, Time started, std::vector<Call> calls,
                         std::vector<Resource> resources = {{"docs", "v1"}}) {
  return {.id = std::move(id),
          .thread = "",
          .outcome = "stop",
          .started = started,
          .duration = std::chrono::seconds(1),
          .calls = std::move(calls),
          .resources = std::move(resources)};
}

}  // namespace quarry::history
