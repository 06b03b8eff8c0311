#include "store_sql/store.h"

#include "store_sql/activity.h"
#include "store_sql/audit.h"
#include "store_sql/dump.h"
#include "store_sql/keys.h"
#include "store_sql/projects.h"
#include "store_sql/request.h"
#include "store_sql/resources.h"
#include "store_sql/schema.h"
#include "store_sql/secrets.h"
#include "store_sql/spending.h"
#include "store_sql/tokens.h"

namespace quarry::store_sql {
namespace {

SqlStore::Answer told(const Outcome<Json>& answer) {
  if (!answer) return answer.failure();
  return to_text(*answer);
}

}  // namespace

SqlStore::SqlStore(std::unique_ptr<Database> database, std::size_t connections)
    : database_(std::move(database)), transactions_(*database_, connections) {}

SqlStore::Answer SqlStore::read(const Call& call, const Request& request, const Work& work) {
  if (request.fault()) return *request.fault();
  return told(transactions_.read(call, work));
}

SqlStore::Answer SqlStore::write(const Call& call, const Request& request, const Work& work,
                                 Durability durability) {
  if (request.fault()) return *request.fault();
  return told(transactions_.write(call, durability, work));
}

SqlStore::Answer SqlStore::open(const Call& call, std::string_view text) {
  const Request request(text);
  return write(call, request, [&](Connection& connection) -> Outcome<Result> {
    const auto done = migrate(connection, database_->dialect(), database_->name());
    if (!done) return done.failure();
    return Result{{{"schema", kSchema}}};
  });
}

SqlStore::Answer SqlStore::key(const Call& call, std::string_view text) {
  Request request(text);
  const std::string name = request.members().text("name");
  return write(call, request, [&](Connection& connection) { return secret_key(connection, name); });
}

SqlStore::Answer SqlStore::create_project(const Call& call, std::string_view text) {
  Request request(text);
  const Project project = read_project(request.members().object("project"));
  return write(call, request, [&](Connection& connection) {
    return store_sql::create_project(connection, project);
  });
}

SqlStore::Answer SqlStore::projects(const Call& call, std::string_view text) {
  const Request request(text);
  return read(call, request, store_sql::projects);
}

SqlStore::Answer SqlStore::remove_project(const Call& call, std::string_view text) {
  Request request(text);
  const std::string name = request.members().text("name");
  const std::int64_t at = request.members().number("at");
  return write(call, request, [&](Connection& connection) {
    return store_sql::remove_project(connection, name, at);
  });
}

SqlStore::Answer SqlStore::create_token(const Call& call, std::string_view text) {
  Request request(text);
  const Token token = read_token(request.members());
  return write(call, request,
               [&](Connection& connection) { return store_sql::create_token(connection, token); });
}

SqlStore::Answer SqlStore::tokens(const Call& call, std::string_view text) {
  Request request(text);
  const auto project = request.members().maybe_text("project");
  return read(call, request,
              [&](Connection& connection) { return store_sql::tokens(connection, project); });
}

SqlStore::Answer SqlStore::find_token(const Call& call, std::string_view text) {
  Request request(text);
  const std::string hash = request.members().hash("hash");
  return read(call, request,
              [&](Connection& connection) { return store_sql::find_token(connection, hash); });
}

SqlStore::Answer SqlStore::revoke_token(const Call& call, std::string_view text) {
  Request request(text);
  const std::string id = request.members().text("id");
  const std::int64_t at = request.members().number("at");
  return write(call, request,
               [&](Connection& connection) { return store_sql::revoke_token(connection, id, at); });
}

SqlStore::Answer SqlStore::resources(const Call& call, std::string_view text) {
  Request request(text);
  const std::string project = request.members().text("project");
  return read(call, request,
              [&](Connection& connection) { return store_sql::resources(connection, project); });
}

SqlStore::Answer SqlStore::add_resource(const Call& call, std::string_view text) {
  Request request(text);
  const NewResource resource = read_resource(request.members());
  return write(call, request, [&](Connection& connection) {
    return store_sql::add_resource(connection, resource);
  });
}

SqlStore::Answer SqlStore::remove_resource(const Call& call, std::string_view text) {
  Request request(text);
  const std::string project = request.members().text("project");
  const std::string name = request.members().text("name");
  return write(call, request, [&](Connection& connection) {
    return store_sql::remove_resource(connection, project, name);
  });
}

SqlStore::Answer SqlStore::set_secret(const Call& call, std::string_view text) {
  Request request(text);
  const NewSecret secret = read_secret(request.members());
  return write(call, request,
               [&](Connection& connection) { return store_sql::set_secret(connection, secret); });
}

SqlStore::Answer SqlStore::secrets(const Call& call, std::string_view text) {
  Request request(text);
  const std::string project = request.members().text("project");
  return read(call, request,
              [&](Connection& connection) { return store_sql::secrets(connection, project); });
}

SqlStore::Answer SqlStore::remove_secret(const Call& call, std::string_view text) {
  Request request(text);
  const SecretPlace place = read_secret_place(request.members());
  return write(call, request,
               [&](Connection& connection) { return store_sql::remove_secret(connection, place); });
}

SqlStore::Answer SqlStore::exchange(const Call& call, std::string_view text) {
  Request request(text);
  const Activity activity = read_activity(request.members());
  // A lost commit only makes the limits of a minute wider.
  return write(
      call, request,
      [&](Connection& connection) { return store_sql::exchange(connection, activity); },
      Durability::kSoon);
}

SqlStore::Answer SqlStore::reserve(const Call& call, std::string_view text) {
  Request request(text);
  const Reservation reservation = read_reservation(request.members());
  return write(call, request,
               [&](Connection& connection) { return store_sql::reserve(connection, reservation); });
}

SqlStore::Answer SqlStore::settle(const Call& call, std::string_view text) {
  Request request(text);
  const std::string id = request.members().text("id");
  const std::int64_t nanos = request.members().nanos("usd");
  // If the commit is lost, the full reservation counts.
  return write(
      call, request,
      [&](Connection& connection) { return store_sql::settle(connection, id, nanos); },
      Durability::kSoon);
}

SqlStore::Answer SqlStore::end_session(const Call& call, std::string_view text) {
  Request request(text);
  const std::string id = request.members().text("id");
  const std::int64_t expires = request.members().number("expires");
  return write(call, request, [&](Connection& connection) {
    return store_sql::end_session(connection, id, expires);
  });
}

SqlStore::Answer SqlStore::record(const Call& call, std::string_view text) {
  Request request(text);
  const auto entries = read_entries(request.members());
  const bool once = request.members().flag("once");
  return write(call, request, [&](Connection& connection) {
    return store_sql::record(connection, entries, once);
  });
}

SqlStore::Answer SqlStore::audit(const Call& call, std::string_view text) {
  Request request(text);
  const AuditWanted wanted = read_wanted(request.members());
  return read(call, request,
              [&](Connection& connection) { return store_sql::audit(connection, wanted); });
}

SqlStore::Answer SqlStore::forget(const Call& call, std::string_view text) {
  Request request(text);
  const std::int64_t before = request.members().number("before");
  return write(call, request,
               [&](Connection& connection) { return store_sql::forget(connection, before); });
}

SqlStore::Answer SqlStore::token_hashes(const Call& call, std::string_view text) {
  Request request(text);
  const std::int64_t known = request.members().maybe_number("known").value_or(-1);
  const std::int64_t most = request.members().number("most");
  return read(call, request, [&](Connection& connection) {
    return store_sql::token_hashes(connection, known, most);
  });
}

SqlStore::Answer SqlStore::schema(const Call& call, std::string_view text) {
  const Request request(text);
  const auto known = [](std::int64_t number) {
    return Result{{{"schema", number}, {"newest", kSchema}}};
  };
  if (!request.fault() && !database_->exists()) return to_text(known(0).answer);
  return read(call, request, [&](Connection& connection) -> Outcome<Result> {
    const auto number = schema_of(connection, database_->dialect());
    if (!number) return number.failure();
    return known(*number);
  });
}

SqlStore::Answer SqlStore::dump(const Call& call, std::string_view text) {
  const Request request(text);
  return write(call, request, store_sql::dump);
}

SqlStore::Answer SqlStore::load(const Call& call, std::string_view text) {
  Request request(text);
  if (auto unknown = unknown_member(request.members().json())) return *unknown;
  const Dump dump = read_dump(request.members());
  return write(call, request,
               [&](Connection& connection) { return store_sql::load(connection, dump); });
}

}  // namespace quarry::store_sql
