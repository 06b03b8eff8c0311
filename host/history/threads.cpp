#include "history/threads.h"

#include "base/json.h"
#include "base/text.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <functional>

#include <nlohmann/json.hpp>

namespace quarry::history {
namespace {

constexpr std::size_t kTitleCharacters = 80;
constexpr std::size_t kSnippetCharacters = 300;
constexpr std::int64_t kMostFound = 100;

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// The first `most` characters, runs of white space and control characters replaced with one space.
std::string one_line(std::string_view text, std::size_t most) {
  std::string out;
  std::size_t characters = 0;
  for (const char c : text) {
    const bool blank = static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
    if (blank && (out.empty() || out.back() == ' ')) continue;
    if (!continues_character(c) && ++characters > most) break;
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

// The order of the row ids is that of the index: it is read until enough turns are found, and
// nothing is ranked. CROSS JOIN keeps SQLite from beginning with another table.
constexpr std::string_view kFoundTurns =
    "SELECT id, title, created, updated, turns, single, project, question_id, position,"
    " snippet(turn_words, -1, '', '', '…', 14)"
    " FROM turn_words CROSS JOIN turn ON turn.number = turn_words.rowid"
    " CROSS JOIN thread ON thread.id = turn.thread"
    " WHERE turn_words MATCH ? ORDER BY turn_words.rowid DESC LIMIT ?";
constexpr std::string_view kFoundTitles =
    "SELECT id, thread.title, created, updated, turns, single, project"
    " FROM title_words CROSS JOIN thread ON thread.id = title_words.thread"
    " WHERE title_words MATCH ? ORDER BY title_words.rowid DESC LIMIT ?";

bool is_in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

/// A prefix of one letter would be looked up as each of the words that begin with it.
bool can_be_prefix(std::string_view word) {
  return word.size() > 1 && is_in_word(word.back()) && is_in_word(word[word.size() - 2]);
}

/// The expression of FTS5 for all words of `text`, each a phrase, the last a prefix; empty without
/// words.
std::string match_of(std::string_view text) {
  std::string out;
  bool is_prefix = false;
  const std::string line = one_line(text, text.size());
  for (const std::string_view word : split(line, ' ')) {
    if (std::ranges::none_of(word, is_in_word)) continue;
    out += out.empty() ? "\"" : " \"";
    for (const char c : word) out += c == '"' ? ' ' : c;
    out += '"';
    is_prefix = can_be_prefix(word);
  }
  return is_prefix ? out + '*' : out;
}

/// The thread of a row, appended if it is not there.
FoundThread& found_of(const Row& row, std::vector<FoundThread>& all) {
  const std::string id = row.text(0);
  const auto known =
      std::ranges::find(all, id, [](const FoundThread& one) { return one.summary.id; });
  return known != all.end() ? *known : all.emplace_back(summary_of(row));
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
      {thread, to_milliseconds(at), to_milliseconds(at), one_line(turn.question, kTitleCharacters),
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
  // "+" keeps SQLite from the index of times, by which each row would be looked up.
  const Status read = database_.each(std::string(kSummaries) + " ORDER BY +updated DESC, id", {},
                                     [&](const Row& row) { out.push_back(summary_of(row)); });
  if (!read) return read.error();
  return out;
}

Result<std::vector<FoundThread>> Threads::search(std::string_view words) {
  std::vector<FoundThread> out;
  const std::string wanted = match_of(words);
  if (wanted.empty()) return out;
  Status read = database_.each(kFoundTurns, {wanted, kMostFound}, [&](const Row& row) {
    found_of(row, out).matches.push_back(
        {row.text(7), row.integer(8), one_line(row.text(9), kSnippetCharacters)});
  });
  if (read) {
    read = database_.each(kFoundTitles, {wanted, kMostFound},
                          [&](const Row& row) { found_of(row, out); });
  }
  if (!read) return read.error();
  std::ranges::stable_sort(out, std::greater(),
                           [](const FoundThread& one) { return one.summary.updated; });
  return out;
}

Result<std::optional<ThreadSummary>> Threads::rename(std::string_view id, std::string_view title) {
  std::optional<ThreadSummary> out;
  const Status done = database_.each(
      "UPDATE thread SET title = ? WHERE id = ?"
      " RETURNING id, title, created, updated, turns, single, project",
      {one_line(title, kTitleCharacters), id}, [&](const Row& row) { out = summary_of(row); });
  if (!done) return done.error();
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
  if (removed) {
    if (Status cleaned = clean_words(); !cleaned) return cleaned.error();
  }
  // The WAL still has the text; if another program is reading, the next checkpoint clears it.
  if (removed) static_cast<void>(database_.run("PRAGMA wal_checkpoint(TRUNCATE)"));
  return removed;
}

Status Threads::forget(Time before) {
  bool removed = false;
  const auto hour = std::chrono::floor<std::chrono::hours>(before);  // clean_words reads all words
  Status done = database_.each("DELETE FROM thread WHERE updated < ? RETURNING 1",
                               {to_milliseconds(hour)}, [&](const Row&) { removed = true; });
  return done && removed ? clean_words() : done;
}

Status Threads::clean_words() {
  Status done = database_.run("INSERT INTO turn_words (turn_words) VALUES ('optimize')");
  return done ? database_.run("INSERT INTO title_words (title_words) VALUES ('optimize')") : done;
}

}  // namespace quarry::history
