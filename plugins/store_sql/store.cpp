#include "store_sql/store.h"

#include "store_sql/activity.h"
#include "store_sql/audit.h"
#include "store_sql/connection.h"
#include "store_sql/dump.h"
#include "store_sql/projects.h"
#include "store_sql/request.h"
#include "store_sql/resources.h"
#include "store_sql/schema.h"
#include "store_sql/secrets.h"
#include "store_sql/spending.h"
#include "store_sql/statements.h"
#include "store_sql/tokens.h"
#include "store_sql/transactions.h"

#include <array>
#include <cstddef>
#include <string>
#include <tuple>

#include <sys/random.h>

namespace quarry::store_sql {
namespace {

Outcome<std::string> random_key() {
  std::array<unsigned char, 32> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return Failure{QUARRY_INTERNAL, "the system provides no random bytes", {}, {}};
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string key;
  for (const unsigned char byte : bytes) key += {kDigits[byte >> 4U], kDigits[byte & 15U]};
  return key;
}

/// The key of that name, created if missing; one transaction.
Outcome<Result> secret_key(Connection& connection, const std::string& name) {
  const auto made = random_key();
  if (!made) return made.failure();
  Statements sql(connection);
  const bool is_new =
      sql.run("INSERT INTO secret_keys (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
              {name, *made}) != 0;
  std::string key;
  sql.each("SELECT value FROM secret_keys WHERE name = $1", {name},
           [&](const Row& row) { key = row.text(0); });
  return sql.result({{"key", key}}, is_new);
}

SqlStore::Answer told(const Outcome<Json>& answer) {
  if (!answer) return answer.failure();
  return to_text(*answer);
}

// Arguments of a transaction that are one member of its request.

auto text(const char* key) {
  return [key](const Members& request) { return request.text(key); };
}

auto number(const char* key) {
  return [key](const Members& request) { return request.number(key); };
}

/// `transaction` with the arguments that `readers` read, in their order.
template <class Transaction, class... Readers>
Transactions::Work work_of(const Members& request, const Transaction& transaction,
                           const Readers&... readers) {
  return [&transaction, arguments = std::tuple{readers(request)...}](Connection& connection) {
    return std::apply(
        [&](const auto&... each) -> Outcome<Result> { return transaction(connection, each...); },
        arguments);
  };
}

}  // namespace

SqlStore::SqlStore(std::unique_ptr<Database> database, std::size_t connections)
    : database_(std::move(database)), transactions_(*database_, connections) {}

template <class Transaction, class... Readers>
SqlStore::Answer SqlStore::read(const Call& call, std::string_view text,
                                const Transaction& transaction, const Readers&... readers) {
  Request request(text);
  const auto work = work_of(request.members(), transaction, readers...);
  if (request.fault()) return *request.fault();
  return told(transactions_.read(call, work));
}

template <class Transaction, class... Readers>
SqlStore::Answer SqlStore::write(const Call& call, Durability durability, std::string_view text,
                                 const Transaction& transaction, const Readers&... readers) {
  Request request(text);
  const auto work = work_of(request.members(), transaction, readers...);
  if (request.fault()) return *request.fault();
  return told(transactions_.write(call, durability, work));
}

SqlStore::Answer SqlStore::open(const Call& call, std::string_view request) {
  return write(call, Durability::kNow, request, [&](Connection& connection) -> Outcome<Result> {
    const auto done = migrate(connection, database_->dialect(), database_->name());
    if (!done) return done.failure();
    return Result{{{"schema", kSchema}}};
  });
}

SqlStore::Answer SqlStore::key(const Call& call, std::string_view request) {
  return write(call, Durability::kNow, request, store_sql::secret_key, text("name"));
}

SqlStore::Answer SqlStore::create_project(const Call& call, std::string_view request) {
  return write(call, Durability::kNow, request, store_sql::create_project,
               [](const Members& members) { return read_project(members.object("project")); });
}

SqlStore::Answer SqlStore::projects(const Call& call, std::string_view request) {
  return read(call, request, store_sql::projects);
}

SqlStore::Answer SqlStore::remove_project(const Call& call, std::string_view request) {
  return write(call, Durability::kNow, request, store_sql::remove_project, text("name"),
               number("at"));
}

SqlStore::Answer SqlStore::create_token(const Call& call, std::string_view request) {
  return write(call, Durability::kNow, request, store_sql::create_token,
               [](const Members& members) { return read_token(members); });
}

SqlStore::Answer SqlStore::tokens(const Call& call, std::string_view request) {
  return read(call, request, store_sql::tokens,
              [](const Members& members) { return members.maybe_text("project"); });
}

SqlStore::Answer SqlStore::find_token(const Call& call, std::string_view request) {
  return read(call, request, store_sql::find_token,
              [](const Members& members) { return members.hash("hash"); });
}

SqlStore::Answer SqlStore::revoke_token(const Call& call, std::string_view request) {
  return write(call, Durability::kNow, request, store_sql::revoke_token, text("id"), number("at"));
}

SqlStore::Answer SqlStore::resources(const Call& call, std::string_view request) {
  return read(call, request, store_sql::resources, text("project"));
}

SqlStore::Answer SqlStore::add_resource(const Call& call, std::string_view request) {
  return write(call, Durability::kNow, request, store_sql::add_resource, read_resource);
}

SqlStore::Answer SqlStore::remove_resource(const Call& call, std::string_view request) {
  return write(call, Durability::kNow, request, store_sql::remove_resource, text("project"),
               text("name"));
}

SqlStore::Answer SqlStore::set_secret(const Call& call, std::string_view request) {
  return write(call, Durability::kNow, request, store_sql::set_secret, read_secret);
}

SqlStore::Answer SqlStore::secrets(const Call& call, std::string_view request) {
  return read(call, request, store_sql::secrets, text("project"));
}

SqlStore::Answer SqlStore::remove_secret(const Call& call, std::string_view request) {
  return write(call, Durability::kNow, request, store_sql::remove_secret, read_secret_place);
}

SqlStore::Answer SqlStore::exchange(const Call& call, std::string_view request) {
  // A lost commit only makes the limits of a minute wider.
  return write(call, Durability::kSoon, request, store_sql::exchange, read_activity);
}

SqlStore::Answer SqlStore::reserve(const Call& call, std::string_view request) {
  return write(call, Durability::kNow, request, store_sql::reserve, read_reservation);
}

SqlStore::Answer SqlStore::settle(const Call& call, std::string_view request) {
  // If the commit is lost, the full reservation counts.
  return write(call, Durability::kSoon, request, store_sql::settle, text("id"),
               [](const Members& members) { return members.nanos("usd"); });
}

SqlStore::Answer SqlStore::end_session(const Call& call, std::string_view request) {
  return write(call, Durability::kNow, request, store_sql::end_session, text("id"),
               number("expires"));
}

SqlStore::Answer SqlStore::record(const Call& call, std::string_view request) {
  return write(call, Durability::kNow, request, store_sql::record, read_entries,
               [](const Members& members) { return members.flag("once"); });
}

SqlStore::Answer SqlStore::audit(const Call& call, std::string_view request) {
  return read(call, request, store_sql::audit, read_wanted);
}

SqlStore::Answer SqlStore::forget(const Call& call, std::string_view request) {
  return write(call, Durability::kNow, request, store_sql::forget, number("before"));
}

SqlStore::Answer SqlStore::token_hashes(const Call& call, std::string_view request) {
  return read(
      call, request, store_sql::token_hashes,
      [](const Members& members) { return members.maybe_number("known").value_or(-1); },
      number("most"));
}

SqlStore::Answer SqlStore::schema(const Call& call, std::string_view text) {
  const Request request(text);
  const auto known = [](std::int64_t number) {
    return Result{{{"schema", number}, {"newest", kSchema}}};
  };
  if (!request.fault() && !database_->exists()) return to_text(known(0).answer);
  return read(call, text, [&](Connection& connection) -> Outcome<Result> {
    const auto number = schema_of(connection, database_->dialect());
    if (!number) return number.failure();
    return known(*number);
  });
}

SqlStore::Answer SqlStore::dump(const Call& call, std::string_view request) {
  return write(call, Durability::kNow, request, store_sql::dump);
}

SqlStore::Answer SqlStore::load(const Call& call, std::string_view text) {
  Request request(text);
  if (auto unknown = unknown_member(request.members().json())) return *unknown;
  const auto work = work_of(request.members(), store_sql::load, read_dump);
  if (request.fault()) return *request.fault();
  return told(transactions_.write(call, Durability::kNow, work));
}

}  // namespace quarry::store_sql
