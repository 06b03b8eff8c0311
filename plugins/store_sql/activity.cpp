#include "store_sql/activity.h"

#include "store_sql/statements.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace quarry::store_sql {
namespace {

constexpr std::int64_t kMostCount = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kAliveMs = 5000;

void add_requests(Statements& sql, const std::vector<Requests>& requests) {
  std::vector<Value> values;
  for (const auto& [minute, token, count] : requests) {
    values.insert(values.end(), {minute, token, count});
  }
  insert_rows(sql, "requests (minute, token, number)", values,
              "ON CONFLICT (minute, token) DO UPDATE SET number = requests.number + "
              "excluded.number");
}

void update_host(Statements& sql, const Activity& activity) {
  sql.run(
      "INSERT INTO hosts (id, seen, streams) VALUES ($1, $2, $3)"
      " ON CONFLICT (id) DO UPDATE SET seen = excluded.seen, streams = excluded.streams",
      {activity.host, activity.at, activity.streams});
}

std::int64_t revision(Statements& sql) {
  std::int64_t number = 0;
  sql.each("SELECT number FROM revision", {}, [&](const Row& row) { number = row.integer(0); });
  return number;
}

Json shared_requests(Statements& sql, std::int64_t window) {
  Json out = Json::array();
  sql.each("SELECT token, minute, number FROM requests WHERE minute IN ($1, $2)",
           {window, window - 1}, [&](const Row& row) {
             out.push_back({{"token", row.text(0)},
                            {"window", row.integer(1)},
                            {"count", std::min(row.integer(2), kMostCount)}});
           });
  return out;
}

Json streams_of_others(Statements& sql, const Activity& activity) {
  std::map<std::string, std::int64_t> sums;
  sql.each("SELECT streams FROM hosts WHERE id <> $1 AND seen >= $2",
           {activity.host, activity.at - kAliveMs}, [&](const Row& row) {
             const Json streams = parsed(row.text(0));
             for (const auto& [token, count] : streams.items()) {
               sums[token] += count.get<std::int64_t>();
             }
           });
  Json out = Json::array();
  for (const auto& [token, count] : sums) {
    out.push_back({{"token", token}, {"count", std::min(count, kMostCount)}});
  }
  return out;
}

Json ended_sessions(Statements& sql, std::int64_t at) {
  Json out = Json::array();
  sql.each("SELECT id FROM ended_sessions WHERE expires > $1", {at},
           [&](const Row& row) { out.push_back(row.text(0)); });
  return out;
}

}  // namespace

Activity read_activity(const Members& request) {
  Activity out{request.text("host"), request.number("at"), request.number("window"), {}, {}};
  std::map<std::pair<std::int64_t, std::string>, std::int64_t> requests;
  for (const Members& said : request.objects("requests")) {
    requests[{said.number("window"), said.text("token")}] += said.number("count", kMostCount);
  }
  for (const auto& [key, count] : requests) {
    out.requests.push_back({key.first, key.second, count});
  }
  Json streams = Json::object();
  for (const Members& said : request.objects("streams")) {
    const std::int64_t count = said.number("count", kMostCount);
    Json& sum = streams[said.text("token")];
    sum = sum.is_null() ? count : sum.get<std::int64_t>() + count;
  }
  out.streams = to_text(streams);
  return out;
}

Outcome<Result> exchange(Connection& connection, const Activity& activity) {
  Statements sql(connection);
  add_requests(sql, activity.requests);
  update_host(sql, activity);
  Json answer{{"revision", revision(sql)},
              {"requests", shared_requests(sql, activity.window)},
              {"streams", streams_of_others(sql, activity)},
              {"endedSessions", ended_sessions(sql, activity.at)}};
  return sql.result(std::move(answer));
}

Outcome<Result> end_session(Connection& connection, const std::string& id, std::int64_t expires) {
  Statements sql(connection);
  sql.run(
      "INSERT INTO ended_sessions (id, expires) VALUES ($1, $2)"
      " ON CONFLICT (id) DO UPDATE SET expires = excluded.expires",
      {id, expires});
  return sql.result(Json::object());
}

}  // namespace quarry::store_sql
