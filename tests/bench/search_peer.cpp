#include "search_peer.h"

#include <cstdio>
#include <cstdlib>

#include <sqlite3.h>

namespace quarry::bench {
namespace {

constexpr int kLines = 60;

void check(sqlite3* database, int result) {
  if (result == SQLITE_OK || result == SQLITE_ROW || result == SQLITE_DONE) return;
  std::fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(database));
  std::exit(1);
}

}  // namespace

struct FtsPeer::State {
  sqlite3* database = nullptr;
  sqlite3_stmt* insert = nullptr;
  sqlite3_stmt* query = nullptr;
  std::vector<std::string> paths;  // by row

  void run(const char* sql) {
    check(database, sqlite3_exec(database, sql, nullptr, nullptr, nullptr));
  }
  void add_row(std::string_view path, std::string_view text) {
    paths.emplace_back(path);
    sqlite3_bind_int64(insert, 1, static_cast<sqlite3_int64>(paths.size()));
    sqlite3_bind_text(insert, 2, path.data(), static_cast<int>(path.size()), SQLITE_STATIC);
    sqlite3_bind_text(insert, 3, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
    check(database, sqlite3_step(insert));
    sqlite3_reset(insert);
  }
};

FtsPeer::FtsPeer() : state_(std::make_unique<State>()) {
  check(nullptr, sqlite3_open(":memory:", &state_->database));
  state_->run(
      "CREATE VIRTUAL TABLE passages USING fts5(path, body, content='', "
      "tokenize='porter unicode61'); BEGIN");
  check(state_->database,
        sqlite3_prepare_v2(state_->database,
                           "INSERT INTO passages(rowid, path, body) VALUES (?, ?, ?)", -1,
                           &state_->insert, nullptr));
}

FtsPeer::~FtsPeer() {
  sqlite3_finalize(state_->insert);
  sqlite3_finalize(state_->query);
  sqlite3_close(state_->database);
}

void FtsPeer::add(std::string_view path, std::string_view text) {
  while (!text.empty()) {
    std::size_t end = 0;
    for (int line = 0; line < kLines && end < text.size(); ++line) {
      const std::size_t newline = text.find('\n', end);
      end = newline == text.npos ? text.size() : newline + 1;
    }
    state_->add_row(path, text.substr(0, end));
    text.remove_prefix(end);
  }
}

void FtsPeer::finish() {
  state_->run("COMMIT");
  state_->run("INSERT INTO passages(passages) VALUES ('optimize')");
  check(state_->database, sqlite3_prepare_v2(state_->database,
                                             "SELECT rowid FROM passages WHERE passages MATCH ? "
                                             "ORDER BY bm25(passages, 2.0, 1.0) LIMIT ?",
                                             -1, &state_->query, nullptr));
}

std::vector<std::string> FtsPeer::search(const std::vector<std::string>& words, int limit) {
  std::string match;
  for (const std::string& word : words) {
    match += (match.empty() ? "\"" : " OR \"") + word + "\"";
  }
  sqlite3_bind_text(state_->query, 1, match.data(), static_cast<int>(match.size()),
                    SQLITE_TRANSIENT);
  sqlite3_bind_int(state_->query, 2, limit);
  std::vector<std::string> found;
  while (sqlite3_step(state_->query) == SQLITE_ROW) {
    found.push_back(
        state_->paths[static_cast<std::size_t>(sqlite3_column_int64(state_->query, 0) - 1)]);
  }
  sqlite3_reset(state_->query);
  return found;
}

std::size_t FtsPeer::bytes() const {
  sqlite3_stmt* statement = nullptr;
  check(state_->database,
        sqlite3_prepare_v2(state_->database,
                           "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
                           -1, &statement, nullptr));
  sqlite3_step(statement);
  const auto bytes = static_cast<std::size_t>(sqlite3_column_int64(statement, 0));
  sqlite3_finalize(statement);
  return bytes;
}

}  // namespace quarry::bench
