#include "places.h"
#include "plugins/testing/store_contract.h"
#include "plugins/testing/store_contract_dump.h"

#include <quarry_test.h>

namespace quarry::plugins {
namespace {

/// A new file, and as many stores on it as a test requests.
class SqliteFile final : public StoreDatabase {
 public:
  std::shared_ptr<Store> connect() override {
    static const auto kStores = store_tests::load_stores();
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    const Json configuration{{"file", (directory_ / "store.db").string()}};
    return kStores->make_store("sqlite", to_text(configuration)).value();
  }

 private:
  const std::filesystem::path directory_ = test_directory();
};

INSTANTIATE_TEST_SUITE_P(Sqlite, StoreContract,
                         ::testing::Values(StoreMaker{
                             "sqlite", [] { return std::make_unique<SqliteFile>(); }}),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace quarry::plugins
