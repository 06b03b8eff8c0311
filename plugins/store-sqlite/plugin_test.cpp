#include "store-sqlite/settings.h"
#include "store-sqlite/testing/fixture.h"

#include <quarry/paths.h>

namespace quarry::store_sqlite {
namespace {

using quarry::testing::Component;
using quarry::testing::Reply;
using ::testing::HasSubstr;

class Plugin : public InDirectory {
 protected:
  quarry::testing::FakeHost host_;
};

TEST_F(Plugin, IsAStoreInAFile) {
  const Component<quarry_store_v1> store(quarry_plugin_entry_v1, QUARRY_STORE, "sqlite",
                                         R"({"file":")" + file().string() + "\"}");
  const quarry::testing::FakeCall call;
  Reply opened;
  store->open(store.instance(), call.get(), as_text("{}"), opened.get());
  EXPECT_EQ(opened.value(), R"({"schema":3})");
  Reply wrong;
  store->key(store.instance(), call.get(), as_text("{}"), wrong.get());
  EXPECT_EQ(wrong.failure().status, QUARRY_INVALID_ARGUMENT);
  EXPECT_TRUE(std::filesystem::exists(file()));
}

TEST_F(Plugin, KeepsItsFileWhereItIsTold) {
  EXPECT_EQ(Settings::read(Host(host_.get()), R"({"file":"/a/b.db"})")->file, "/a/b.db");
  EXPECT_THAT(Settings::read(Host(host_.get()), R"({"fille":"/a"})").failure().message,
              HasSubstr("fille is not known"));
  for (const char* wrong : {R"({"file":"b.db"})", R"({"file":7})", R"({"file":"/a/"})"}) {
    const auto refused = Settings::read(Host(host_.get()), wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_THAT(refused.failure().message, HasSubstr("file must be the full path"));
  }
}

TEST_F(Plugin, KeepsItsFileWithItsDataElse) {
  EXPECT_THAT(Settings::read(Host(host_.get()), "{}").failure().hint, HasSubstr("[store] file"));
  const quarry_paths_v1 paths{.struct_size = sizeof paths,
                              .context = nullptr,
                              .cache = [](const quarry_paths_v1*) { return as_text(""); },
                              .data = [](const quarry_paths_v1*) { return as_text("/data/here"); }};
  host_.offer(QUARRY_PATHS, &paths);
  EXPECT_EQ(Settings::read(Host(host_.get()), "{}")->file, "/data/here/store.db");
}

}  // namespace
}  // namespace quarry::store_sqlite
