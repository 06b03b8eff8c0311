#include "backup/store_files.h"

#include "backup/testing/backup_fixture.h"

namespace quarry::backup {
namespace {

using plugins::AuditEntry;
using ::testing::HasSubstr;

class StoreFiles : public ::testing::Test {
 protected:
  static AuditEntry entry(std::int64_t when, const std::string& request) {
    AuditEntry out;
    out.at = Clock::Wall(std::chrono::milliseconds(when));
    out.request = request;
    out.status = 200;
    return out;
  }
  static void record(TextStore& store, int count, std::int64_t every_ms) {
    std::vector<AuditEntry> entries;
    for (int i = 0; i < count; ++i) {
      entries.push_back(entry(i * every_ms, std::to_string(i)));
    }
    ASSERT_TRUE(store.record({}, entries, true));
  }
  static std::vector<std::string> requests(TextStore& store) {
    std::vector<std::string> out;
    for (const AuditEntry& entry : store.audit({}, {{}, {}, "", 100'000}).value()) {
      out.push_back(entry.request);
    }
    return out;
  }
  Status written(TextStore& store) {
    return write_store(store, root_ / "dump", root_ / "audit", never_);
  }
  Status loaded(TextStore& store) {
    return load_store(store, root_ / "dump", root_ / "audit", never_);
  }

  const std::filesystem::path root_ = test_directory();
  const Cancelled never_ = [] { return false; };
};

TEST_F(StoreFiles, HaveDumpAndAuditInTheirOrder) {
  TextStore from;
  from.text = "a";
  record(from, 2500, 1);
  ASSERT_TRUE(written(from));
  TextStore to;
  ASSERT_TRUE(loaded(to));
  EXPECT_EQ(to.text, "a");
  EXPECT_EQ(requests(to).size(), 2500u);
  EXPECT_EQ(requests(to), requests(from));
  EXPECT_EQ(std::filesystem::status(root_ / "audit").permissions(), std::filesystem::perms(0600));
}

TEST_F(StoreFiles, HaveEveryEntryOfOneTime) {
  TextStore from;
  record(from, 3500, 0);
  ASSERT_TRUE(from.record({}, {entry(5, "later")}, true));
  ASSERT_TRUE(written(from));
  TextStore to;
  ASSERT_TRUE(loaded(to));
  EXPECT_EQ(requests(to), requests(from));
}

TEST_F(StoreFiles, LoadedTwiceHaveEachEntryOnce) {
  TextStore from;
  record(from, 1001, 1);
  ASSERT_TRUE(written(from));
  TextStore to;
  ASSERT_TRUE(to.record({}, {entry(3, "3"), entry(9000, "own")}, true));
  ASSERT_TRUE(loaded(to));
  ASSERT_TRUE(loaded(to));
  EXPECT_EQ(requests(to).size(), 1002u);
}

TEST_F(StoreFiles, AreNotLoadedWhenALineIsNoEntry) {
  TextStore store;
  record(store, 3, 1);
  ASSERT_TRUE(written(store));
  for (const char* line : {"{", "[]", R"({"at":1})"}) {
    ASSERT_TRUE(write_file_atomically(root_ / "audit", std::string(line) + "\n"));
    store.text = "before";
    const Status refused = loaded(store);
    EXPECT_EQ(refused.error().code, Code::kDataLoss) << line;
    EXPECT_THAT(refused.error().message, HasSubstr("audit"));
    EXPECT_EQ(store.text, "before");
  }
}

TEST_F(StoreFiles, AreNotLoadedWhenTheDumpIsNoObject) {
  TextStore store;
  ASSERT_TRUE(written(store));
  store.text = "before";
  for (const char* dump : {"[]", "{"}) {
    ASSERT_TRUE(write_file_atomically(root_ / "dump", dump));
    const Status refused = loaded(store);
    EXPECT_EQ(refused.error().code, Code::kDataLoss) << dump;
    EXPECT_THAT(refused.error().message, HasSubstr("dump"));
    EXPECT_EQ(store.text, "before");
  }
}

TEST_F(StoreFiles, OfAnEmptyAuditAreLoaded) {
  TextStore store;
  ASSERT_TRUE(written(store));
  ASSERT_TRUE(loaded(store));
  EXPECT_TRUE(requests(store).empty());
}

TEST_F(StoreFiles, AreCancelled) {
  TextStore store;
  store.text = "before";
  record(store, 3, 1);
  const Cancelled at_once = [] { return true; };
  EXPECT_EQ(write_store(store, root_ / "d", root_ / "a", at_once).error().code, Code::kCancelled);
  ASSERT_TRUE(written(store));
  store.text = "after";
  EXPECT_EQ(load_store(store, root_ / "dump", root_ / "audit", at_once).error().code,
            Code::kCancelled);
  EXPECT_EQ(store.text, "after");
}

}  // namespace
}  // namespace quarry::backup
