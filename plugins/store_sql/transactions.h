#pragma once

#include "store_sql/connection.h"
#include "store_sql/pool.h"

#include <functional>

#include <nlohmann/json.hpp>

namespace quarry::store_sql {

using Json = nlohmann::json;

/// Result of a transaction; it is rolled back if `keep` is false.
struct Result {
  Json answer;
  bool keep = true;
};

/// Runs work on the connections of a pool, each as one transaction. Retries after a conflict with
/// another transaction, and after a connection was lost before the commit. Any thread.
class Transactions {
 public:
  /// May run several times; only the last run counts.
  using Work = std::function<Outcome<Result>(Connection&)>;

  Transactions(Database& database, std::size_t connections)
      : database_(database), pool_(database, connections) {}

  /// `work` must be one statement that writes nothing.
  Outcome<Json> read(const Call& call, const Work& work);
  Outcome<Json> write(const Call& call, Durability durability, const Work& work);

 private:
  using Attempt = std::function<Outcome<Json>(Connection&)>;

  /// `answer` is the result of the last attempt, used if its commit turns out to have succeeded.
  Outcome<Json> repeat(const Call& call, const Attempt& attempt, const Json& answer);
  Outcome<bool> was_committed(const Call& call, const std::string& transaction);

  Database& database_;
  Pool pool_;
};

}  // namespace quarry::store_sql
