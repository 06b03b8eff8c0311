#include "history/threads.h"

#include "base/json.h"

#include <nlohmann/json.hpp>

namespace quarry::history {
namespace {

constexpr std::size_t kTitleCharacters = 80;

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// Replaces runs of white space and control characters with one space.
std::string title_of(std::string_view question) {
  std::string out;
  std::size_t characters = 0;
  for (const char c : question) {
    const bool blank = static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
    if (blank && (out.empty() || out.back() == ' ')) continue;
    if (!continues_character(c) && ++characters > kTitleCharacters) break;
    out += blank ? ' ' : c;
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

/// Returns no names unless `json` is a list: a damaged row leaves the conversation readable.
std::vector<std::string> names_in(std::string_view json) {
  std::vector<std::string> out;
  const auto list = parse_json(json);
  if (!list || !list->is_array()) return out;
  for (const Json& name : *list) {
    if (name.is_string()) out.push_back(name);
  }
  return out;
}

constexpr std::string_view kSummaries =
    "SELECT id, title, created, updated, turns, single, project FROM thread";

ThreadSummary summary_of(const Row& row) {
  return {row.text(0),
          row.text(1),
          from_milliseconds(row.integer(2)),
          from_milliseconds(row.integer(3)),
          row.integer(4),
          {row.integer(5) != 0, row.text(6)}};
}

constexpr std::string_view kTurns =
    "SELECT question, answer, question_id, resources, status, finish_reason, asked, cost, details,"
    " citations FROM turn WHERE thread = ? ORDER BY position";

Turn turn_of(const Row& row) {
  Turn out{row.text(0), row.text(1), row.text(2), names_in(row.text(3)), row.text(4), row.text(5)};
  if (!row.is_null(6)) out.asked = from_milliseconds(row.integer(6));
  if (!row.is_null(7)) out.cost = Money{row.integer(7)};
  out.details = row.text(8);
  if (!row.is_null(9)) out.citations = row.text(9);
  return out;
}

Value value_of(const std::optional<std::string>& text) {
  return text ? Value(std::string_view(*text)) : Value(nullptr);
}

}  // namespace

Status Threads::add(std::string_view thread, const Turn& turn, Time at,
                    const ThreadOrigin& origin) {
  Status done = database_.run(
      "INSERT INTO thread (id, created, updated, title, turns, single, project)"
      " VALUES (?, ?, ?, ?, 1, ?, ?)"
      " ON CONFLICT (id) DO UPDATE SET updated = MAX(updated, excluded.updated),"
      " turns = turns + 1, single = MIN(single, excluded.single)",
      {thread, to_milliseconds(at), to_milliseconds(at), title_of(turn.question),
       std::int64_t{origin.single}, origin.project});
  if (!done) return done;
  return database_.run(
      "INSERT INTO turn (thread, position, question, answer, question_id, resources, status,"
      " finish_reason, asked, cost, details, citations)"
      " SELECT ?1, COALESCE(MAX(position), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11"
      " FROM turn WHERE thread = ?1",
      {thread, turn.question, turn.answer, turn.question_id, to_text(Json(turn.resources)),
       turn.status, turn.finish_reason,
       turn.asked ? Value(to_milliseconds(*turn.asked)) : Value(nullptr),
       turn.cost ? Value(turn.cost->nanos) : Value(nullptr), turn.details,
       value_of(turn.citations)});
}

Result<std::vector<ThreadSummary>> Threads::list() {
  std::vector<ThreadSummary> out;
  const Status read = database_.each(std::string(kSummaries) + " ORDER BY updated DESC, id", {},
                                     [&](const Row& row) { out.push_back(summary_of(row)); });
  if (!read) return read.error();
  return out;
}

Result<std::optional<Thread>> Threads::find(std::string_view id) {
  std::optional<Thread> out;
  Status read =
      database_.each(std::string(kSummaries) + " WHERE id = ?", {id}, [&](const Row& row) {
        out = Thread{summary_of(row), {}};
      });
  if (read && out) {
    read =
        database_.each(kTurns, {id}, [&](const Row& row) { out->turns.push_back(turn_of(row)); });
  }
  if (!read) return read.error();
  return out;
}

Result<std::optional<std::string>> Threads::citations(std::string_view question_id) {
  std::optional<std::string> out;
  const Status read = database_.each(
      "SELECT citations FROM turn WHERE question_id = ? AND citations IS NOT NULL LIMIT 1",
      {question_id}, [&](const Row& row) { out = row.text(0); });
  if (!read) return read.error();
  return out;
}

Result<bool> Threads::remove(std::string_view id) {
  bool removed = false;
  const Status done = database_.each("DELETE FROM thread WHERE id = ? RETURNING id", {id},
                                     [&](const Row&) { removed = true; });
  if (!done) return done.error();
  // The WAL still has the text; if another program is reading, the next checkpoint clears it.
  if (removed) static_cast<void>(database_.run("PRAGMA wal_checkpoint(TRUNCATE)"));
  return removed;
}

Status Threads::forget(Time before) {
  return database_.run("DELETE FROM thread WHERE updated < ?", {to_milliseconds(before)});
}

}  // namespace quarry::history
