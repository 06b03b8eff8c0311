#include "plugins/testing/fake_store.h"

#include "plugins/testing/store_contract.h"

#include <gmock/gmock.h>

namespace quarry::plugins {
namespace {

/// Hosts sharing a FakeStore.
class SharedFake final : public StoreDatabase {
 public:
  std::shared_ptr<Store> connect() override { return store_; }

 private:
  std::shared_ptr<Store> store_ = std::make_shared<FakeStore>();
};

INSTANTIATE_TEST_SUITE_P(Fake, StoreContract,
                         ::testing::Values(StoreMaker{
                             "fake", [] { return std::make_unique<SharedFake>(); }}),
                         testing::PrintToStringParamName());

TEST(FakeStore, FailsAsItIsTold) {
  FakeStore store;
  store.fail_with(Error(Code::kUnavailable, "the database is unreachable"));
  EXPECT_EQ(store.projects({}).error().message, "the database is unreachable");
  EXPECT_EQ(store.settle({}, "r", {}).error().code, Code::kUnavailable);
  store.fail_with({});
  EXPECT_TRUE(store.projects({}));
  EXPECT_EQ(store.calls(), 3);
}

}  // namespace
}  // namespace quarry::plugins
