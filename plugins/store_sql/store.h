#pragma once

#include "store_sql/connection.h"
#include "store_sql/transactions.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::store_sql {

/// quarry.store.draft/1 (<quarry/draft/store.h>) on any database with a Connection (connection.h).
/// Any thread, several at once.
class SqlStore {
 public:
  using Answer = Outcome<std::string>;

  /// Uses at most `connections` at once.
  SqlStore(std::unique_ptr<Database> database, std::size_t connections);

  Answer open(const Call& call, std::string_view request);
  Answer key(const Call& call, std::string_view request);
  Answer create_project(const Call& call, std::string_view request);
  Answer projects(const Call& call, std::string_view request);
  Answer remove_project(const Call& call, std::string_view request);
  Answer create_token(const Call& call, std::string_view request);
  Answer tokens(const Call& call, std::string_view request);
  Answer find_token(const Call& call, std::string_view request);
  Answer revoke_token(const Call& call, std::string_view request);
  Answer resources(const Call& call, std::string_view request);
  Answer add_resource(const Call& call, std::string_view request);
  Answer remove_resource(const Call& call, std::string_view request);
  Answer set_secret(const Call& call, std::string_view request);
  Answer secrets(const Call& call, std::string_view request);
  Answer remove_secret(const Call& call, std::string_view request);
  Answer exchange(const Call& call, std::string_view request);
  Answer reserve(const Call& call, std::string_view request);
  Answer settle(const Call& call, std::string_view request);
  Answer end_session(const Call& call, std::string_view request);
  Answer record(const Call& call, std::string_view request);
  Answer audit(const Call& call, std::string_view request);
  Answer forget(const Call& call, std::string_view request);
  Answer token_hashes(const Call& call, std::string_view request);
  Answer schema(const Call& call, std::string_view request);
  Answer dump(const Call& call, std::string_view request);
  Answer load(const Call& call, std::string_view request);

 private:
  // Run a transaction with the arguments that `readers` take from the request's members, unless one
  // of these is invalid.
  template <class Transaction, class... Readers>
  Answer read(const Call& call, std::string_view text, const Transaction& transaction,
              const Readers&... readers);
  template <class Transaction, class... Readers>
  Answer write(const Call& call, Durability durability, std::string_view text,
               const Transaction& transaction, const Readers&... readers);

  std::unique_ptr<Database> database_;
  Transactions transactions_;
};

}  // namespace quarry::store_sql
