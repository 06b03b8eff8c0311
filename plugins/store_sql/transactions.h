#pragma once

#include "store_sql/connection.h"
#include "store_sql/pool.h"

#include <functional>

#include <nlohmann/json.hpp>

namespace quarry::store_sql {

using Json = nlohmann::json;

/// What a transaction answers, and whether what it wrote shall stand.
struct Result {
  Json answer;
  bool keep = true;
};

/// Runs pieces of work on the connections of a pool, each as one transaction, and again when it
/// lost: against another transaction, or with its connection before it was told to commit. Any
/// thread.
class Transactions {
 public:
  /// May be run several times; only the last one counts.
  using Work = std::function<Outcome<Result>(Connection&)>;

  Transactions(Database& database, std::size_t connections)
      : database_(database), pool_(database, connections) {}

  /// `work` must be one statement that writes nothing.
  Outcome<Json> read(const Call& call, const Work& work);
  Outcome<Json> write(const Call& call, Durability durability, const Work& work);

 private:
  using Attempt = std::function<Outcome<Json>(Connection&)>;

  /// `answer` is what the last attempt would have answered, had its commit been heard of.
  Outcome<Json> repeat(const Call& call, const Attempt& attempt, const Json& answer);
  Outcome<bool> was_committed(const Call& call, const std::string& transaction);

  Database& database_;
  Pool pool_;
};

}  // namespace quarry::store_sql
