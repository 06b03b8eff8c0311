#include "places.h"
#include "plugins/testing/store_contract.h"
#include "plugins/testing/store_contract_dump.h"
#include "store-postgresql/testing/server.h"

namespace quarry::plugins {
namespace {

using store_postgresql::Server;

/// The server for all tests, each with its own database.
Server& server() {
  static Server only;
  return only;
}

class PostgresqlDatabase final : public StoreDatabase {
 public:
  std::shared_ptr<Store> connect() override {
    static const auto kStores = store_tests::load_stores();
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    return kStores->make_store("postgresql", to_text(Json{{"url", url_}})).value();
  }

 private:
  const std::string url_ = server().new_database();
};

std::vector<StoreMaker> makers() {
  if (!Server::missing().empty()) return {};
  return {{"postgresql", [] { return std::make_unique<PostgresqlDatabase>(); }}};
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StoreContract);
INSTANTIATE_TEST_SUITE_P(Postgresql, StoreContract, ::testing::ValuesIn(makers()),
                         testing::PrintToStringParamName());

TEST(Postgresql, IsTested) {
  if (!Server::missing().empty()) GTEST_SKIP() << Server::missing();
}

}  // namespace
}  // namespace quarry::plugins
