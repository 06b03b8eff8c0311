#include "base/file.h"
#include "base/testing/waiting.h"
#include "corpus/index/symbol_index.h"
#include "corpus/index/testing/fake_analyser.h"
#include "resources/testing/setting.h"

#include <future>
#include <memory>

#include <gmock/gmock.h>

namespace quarry::resources {
namespace {

namespace fs = std::filesystem;

Json source(const char* url) {
  return Json{{"type", "fake"}, {"name", "docs"}, {"url", url}};
}

/// A library that indexes symbols, with one file of code.
struct SymbolSetting : Setting {
  SymbolSetting() {
    fake->files = {{"a.fake", "class A 0\n"}, {"b.txt", "text\n"}};
    symbols = &analyser;
    open();
  }
  ~SymbolSetting() { library.reset(); }
  void wait_until_indexed() const {
    std::promise<void> indexed;
    library->when_indexed([&] { indexed.set_value(); });
    indexed.get_future().wait();
  }
  /// Reading a file blocks until it is stopped. The future is ready once the first one is read.
  std::future<void> read_until_stopped() {
    auto reading = std::make_shared<std::promise<void>>();
    auto begun = reading->get_future();
    analyser.on_read = [reading](std::string_view, const std::stop_token& stop) {
      reading->set_value();
      wait_until_stopped(stop);
    };
    return begun;
  }
  static bool has_symbols(const Prepared& prepared) {
    return prepared.snapshot->symbols(0) != nullptr;
  }
  corpus::FakeAnalyser analyser;
};

TEST(Symbols, AreIndexedOnlyOnceTheyAreAskedFor) {
  SymbolSetting setting;
  const auto before = setting.prepare();
  setting.wait_until_indexed();
  EXPECT_TRUE(before->snapshot->words(0));
  EXPECT_FALSE(SymbolSetting::has_symbols(*before));
  setting.library->build_symbols();
  setting.wait_until_indexed();
  EXPECT_TRUE(SymbolSetting::has_symbols(*before)) << "also of what was open";
  const auto after = setting.prepare(source("y"));
  setting.wait_until_indexed();
  EXPECT_TRUE(SymbolSetting::has_symbols(*after));
  EXPECT_TRUE(setting.problems.empty());
}

TEST(Symbols, AreNotIndexedWithoutAnAnalyser) {
  SymbolSetting setting;
  setting.symbols = nullptr;
  setting.open();
  setting.library->build_symbols();
  const auto prepared = setting.prepare();
  setting.wait_until_indexed();
  EXPECT_TRUE(prepared->snapshot->words(0));
  EXPECT_FALSE(SymbolSetting::has_symbols(*prepared));
}

TEST(Symbols, ThatTakeLongDelayNoOtherIndexAndNoPreparation) {
  SymbolSetting setting;
  Gate gate;
  std::promise<void> reading;
  std::once_flag first;
  setting.analyser.on_read = [&](std::string_view, const std::stop_token&) {
    std::call_once(first, [&] { reading.set_value(); });
    gate.wait();
  };
  setting.library->build_symbols();
  const auto slow = setting.prepare();
  reading.get_future().wait();
  EXPECT_TRUE(slow->snapshot->words(0)) << "they come first";
  const auto other = setting.prepare(source("y"));
  wait_until([&] { return other->snapshot->words(0) != nullptr; });
  EXPECT_FALSE(SymbolSetting::has_symbols(*slow));
  gate.open();
  setting.wait_until_indexed();
  EXPECT_TRUE(SymbolSetting::has_symbols(*slow));
  EXPECT_TRUE(SymbolSetting::has_symbols(*other));
}

TEST(Symbols, ThatAreBeingIndexedEndWithTheLibrary) {
  SymbolSetting setting;
  const auto reading = setting.read_until_stopped();
  setting.library->build_symbols();
  const auto prepared = setting.prepare();
  reading.wait();
  setting.library->shutdown();
  EXPECT_FALSE(SymbolSetting::has_symbols(*prepared));
  EXPECT_TRUE(setting.problems.empty());
}

TEST(Symbols, AreReleasedWhenTheCacheIsCleared) {
  SymbolSetting setting;
  const auto reading = setting.read_until_stopped();
  setting.library->build_symbols();
  setting.prepare()->lease.reset();
  reading.wait();
  EXPECT_EQ(setting.library->clear(std::nullopt).value(), 1u);
  EXPECT_TRUE(setting.snapshots().empty());
}

TEST(Symbols, OfALaterStateTakeOverWhatWasBuilt) {
  SymbolSetting setting;
  setting.library->build_symbols();
  setting.fake->version = version_of("v1", false, "one");
  ASSERT_TRUE(setting.prepare());
  setting.wait_until_indexed();
  EXPECT_EQ(setting.analyser.take_read().size(), 1u);
  setting.fake->version = version_of("v2", false, "two");
  setting.fake->files["c.fake"] = "class C 0\n";
  const auto later = setting.sync();
  ASSERT_TRUE(later);
  setting.wait_until_indexed();
  EXPECT_THAT(setting.analyser.take_read(), ::testing::ElementsAre("c.fake"));
  EXPECT_EQ(setting.snapshots().size(), 1u) << "the earlier state is removed";
}

TEST(Symbols, ThatAreDamagedAreIndexedAgain) {
  SymbolSetting setting;
  setting.library->build_symbols();
  const auto prepared = setting.prepare();
  setting.wait_until_indexed();
  const auto index = prepared->snapshot->symbols(0);
  ASSERT_TRUE(index);
  fs::resize_file(prepared->snapshot->segments()[0]->directory() / corpus::SymbolIndex::kFileName,
                  8);
  EXPECT_FALSE(index->record(0));
  EXPECT_FALSE(prepared->snapshot->symbols(0)) << "it is removed, and the library told";
  wait_until([&] { return prepared->snapshot->symbols(0) != nullptr; });
  EXPECT_TRUE(prepared->snapshot->symbols(0)->record(0));
}

}  // namespace
}  // namespace quarry::resources
