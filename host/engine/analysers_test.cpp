#include "engine/analysers.h"

#include "base/testing/fake_clock.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <latch>
#include <thread>

#include <gmock/gmock.h>
#include <re2/re2.h>

namespace quarry::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class FakeAnalyser final : public plugins::Analyser {
 public:
  FakeAnalyser(std::string title, std::atomic<int>& alive)
      : title_(std::move(title)), alive_(alive) {
    ++alive_;
  }
  ~FakeAnalyser() override { --alive_; }
  FakeAnalyser(const FakeAnalyser&) = delete;
  FakeAnalyser& operator=(const FakeAnalyser&) = delete;

  [[nodiscard]] const std::string& title() const override { return title_; }
  [[nodiscard]] Status ready() const override {
    if (is_quarantined_) return Error{Code::kPermissionDenied, "it is quarantined"};
    return {};
  }
  Result<std::vector<plugins::Definition>> definitions(const services::Call&, std::string_view,
                                                       std::string_view text) override {
    if (text == "end") {
      is_quarantined_ = true;
      return refusal();
    }
    if (text == "crash" || (text == "crash once" && crashes_ == 0)) {
      ++crashes_;
      return refusal();
    }
    if (text == "crash together") {
      if (++crashes_ <= 2) together_.arrive_and_wait();
      return refusal();
    }
    return std::vector<plugins::Definition>{{"function", title_ + std::string(text), 1, 1, 2, -1}};
  }
  Result<std::vector<std::uint32_t>> references(const services::Call&, std::string_view,
                                                std::string_view, std::string_view name) override {
    return std::vector<std::uint32_t>{static_cast<std::uint32_t>(name.size())};
  }

  [[nodiscard]] int crashes() const { return crashes_; }

  static Error refusal() { return {Code::kUnavailable, "its process has ended"}; }

 private:
  const std::string title_;
  std::atomic<int>& alive_;
  std::atomic<bool> is_quarantined_ = false;
  std::atomic<int> crashes_ = 0;
  std::latch together_{2};
};

class AnalysersTest : public ::testing::Test {
 protected:
  OfferedAnalyser offer(const std::string& name, const std::string& glob,
                        const std::string& digest = std::string(64, 'd')) {
    return {.name = name,
            .digest = digest,
            .files = {*corpus::Glob::compile(glob)},
            .load = [this, name]() -> Result<std::shared_ptr<plugins::Analyser>> {
              ++loads_;
              if (failure_) return *failure_;
              auto made = std::make_shared<FakeAnalyser>(name, alive_);
              last_ = made;
              return made;
            }};
  }
  Analysers::Parts parts() {
    return {.find =
                [this] {
                  ++finds_;
                  return offered_();
                },
            .plugins = [this]() -> std::weak_ptr<const void> { return plugins_; },
            .retire =
                [this](const auto& destruction) {
                  destruction();
                  on_retired_();
                },
            .after = [this](std::chrono::seconds,
                            std::function<void()> job) { later_.push_back(std::move(job)); },
            .clock = clock_};
  }
  void run_later() {
    for (const auto& job : std::exchange(later_, {})) job();
  }

  std::function<std::vector<OfferedAnalyser>()> offered_ = [this] {
    std::vector<OfferedAnalyser> out;
    out.push_back(offer("c", "*.c"));
    out.push_back(offer("python", "*.py"));
    return out;
  };
  std::shared_ptr<const void> plugins_ = std::make_shared<int>(1);
  std::weak_ptr<FakeAnalyser> last_;  ///< loaded
  std::atomic<int> loads_ = 0;
  std::atomic<int> finds_ = 0;
  std::atomic<int> alive_ = 0;
  std::optional<Error> failure_;
  std::vector<std::function<void()>> later_;
  std::function<void()> on_retired_ = [] {};
  FakeClock clock_;
  Analysers analysers_{parts()};
};

TEST_F(AnalysersTest, FilesAreReadByTheAnalyserOfTheirName) {
  EXPECT_EQ(analysers_.reader_of("src/main.c", ""), "c@dddddddddddddddd");
  EXPECT_EQ(analysers_.reader_of("setup.py", ""), "python@dddddddddddddddd");
  EXPECT_EQ(analysers_.reader_of("README", ""), "");
  EXPECT_EQ(loads_, 0) << "a name alone loads nothing";
  const auto found = analysers_.definitions("a.c", "!", {});
  ASSERT_TRUE(found);
  ASSERT_THAT(*found, SizeIs(1));
  EXPECT_EQ(found->front().name, "c!");
  EXPECT_EQ(found->front().kind, "function");
  EXPECT_EQ(found->front().last_line, 2u);
  EXPECT_EQ(found->front().parent, -1);
  EXPECT_EQ(analysers_.references("a.c", "", "name", {}).value().front(), 4u);
  EXPECT_EQ(loads_, 1);
  EXPECT_EQ(finds_, 1);
}

TEST_F(AnalysersTest, AFileWithoutAnalyserIsUnsupported) {
  EXPECT_EQ(analysers_.definitions("README", "", {}).error().code, Code::kUnsupported);
  EXPECT_EQ(analysers_.references("README", "", "x", {}).error().code, Code::kUnsupported);
}

TEST_F(AnalysersTest, OneThatIsNotUsedForAMinuteIsReleased) {
  ASSERT_TRUE(analysers_.definitions("a.c", "", {}));
  ASSERT_TRUE(analysers_.definitions("a.py", "", {}));
  ASSERT_THAT(later_, SizeIs(1));
  clock_.advance(Analysers::kKeep - std::chrono::seconds(1));
  ASSERT_TRUE(analysers_.definitions("a.py", "", {}));
  clock_.advance(std::chrono::seconds(1));
  run_later();
  EXPECT_EQ(alive_, 1);
  ASSERT_THAT(later_, SizeIs(1)) << "the other one is still loaded";
  clock_.advance(Analysers::kKeep);
  run_later();
  EXPECT_EQ(alive_, 0);
  EXPECT_THAT(later_, SizeIs(0));
  ASSERT_TRUE(analysers_.definitions("a.c", "", {})) << "loaded again";
  EXPECT_EQ(loads_, 3);
  EXPECT_THAT(later_, SizeIs(1));
}

TEST_F(AnalysersTest, OneThatCannotBeLoadedFailsOnceUntilAReload) {
  failure_ = Error{Code::kUnavailable, "it is quarantined"};
  EXPECT_THAT(analysers_.definitions("a.c", "", {}).error().message, HasSubstr("quarantined"));
  EXPECT_THAT(analysers_.definitions("b.c", "", {}).error().message, HasSubstr("quarantined"));
  EXPECT_EQ(loads_, 1);
  failure_.reset();
  plugins_ = std::make_shared<int>(2);
  EXPECT_TRUE(analysers_.definitions("a.c", "", {}));
}

TEST_F(AnalysersTest, AFileIsReadAgainAloneAfterACrash) {
  EXPECT_TRUE(analysers_.definitions("a.c", "crash once", {})) << "another file may be the cause";
  const auto crashed = analysers_.definitions("a.c", "crash", {});
  ASSERT_FALSE(crashed);
  EXPECT_EQ(crashed.error().code, Code::kUnavailable);
  EXPECT_EQ(crashed.error().tag, "") << "the file is to blame";
  EXPECT_TRUE(analysers_.definitions("a.c", "", {}));
  const auto again = analysers_.definitions("b.c", "crash", {});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().tag, "");
  EXPECT_TRUE(analysers_.definitions("a.c", "", {})) << "a text that crashed it is not read again";
}

TEST_F(AnalysersTest, AFileThatTwoReadAtOnceIsReadAgainAloneOnce) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back(
        [&] { EXPECT_FALSE(analysers_.definitions("a.c", "crash together", {})); });
  }
  threads.clear();
  EXPECT_EQ(last_.lock()->crashes(), 3);
}

TEST_F(AnalysersTest, OneThatIsRefusedAfterCrashesIsLoadedAnewAfterAMinute) {
  EXPECT_FALSE(analysers_.definitions("a.c", "end", {}));
  const auto refused = analysers_.definitions("a.c", "", {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().tag, corpus::kAnalyserUnavailable) << "the file is not to blame";
  clock_.advance(Analysers::kKeep);
  EXPECT_FALSE(analysers_.definitions("a.c", "", {})) << "the attempt does not keep it";
  run_later();
  EXPECT_EQ(alive_, 0);
  EXPECT_TRUE(analysers_.definitions("a.c", "", {}));
  EXPECT_EQ(loads_, 2);
}

TEST_F(AnalysersTest, AFileWithoutExtensionIsReadByItsFirstLine) {
  offered_ = [this] {
    std::vector<OfferedAnalyser> out;
    out.push_back(offer("python", "*.py"));
    out.back().first_lines = {std::make_shared<const re2::RE2>("^#!.*\\bpython")};
    return out;
  };
  EXPECT_EQ(analysers_.reader_of("tool", "#!/usr/bin/env python3"), "python@dddddddddddddddd");
  EXPECT_EQ(analysers_.reader_of("tool", "#!/bin/sh"), "");
  EXPECT_EQ(analysers_.reader_of("tool", ""), "");
  EXPECT_TRUE(analysers_.definitions("bin/tool", "#!/usr/bin/python\nx", {}));
  EXPECT_TRUE(analysers_.definitions("bin/.tool", "#!/usr/bin/python\nx", {}))
      << "the point at its begin is none before an extension";
  EXPECT_FALSE(analysers_.definitions("bin/tool.txt", "#!/usr/bin/python\nx", {}));
  EXPECT_FALSE(analysers_.definitions("bin/tool", "x\n#!/usr/bin/python", {}));
}

TEST_F(AnalysersTest, AReloadKeepsTheUnchangedOnes) {
  ASSERT_TRUE(analysers_.definitions("a.c", "", {}));
  ASSERT_TRUE(analysers_.definitions("a.py", "", {}));
  offered_ = [this] {
    std::vector<OfferedAnalyser> out;
    out.push_back(offer("c", "*.c"));
    out.push_back(offer("python", "*.py", std::string(64, 'e')));
    return out;
  };
  plugins_ = std::make_shared<int>(2);
  EXPECT_EQ(analysers_.reader_of("a.py", ""), "python@eeeeeeeeeeeeeeee");
  EXPECT_EQ(alive_, 1) << "the replaced one is gone";
  ASSERT_TRUE(analysers_.definitions("a.c", "", {}));
  EXPECT_EQ(loads_, 2);
  ASSERT_TRUE(analysers_.definitions("a.py", "", {}));
  EXPECT_EQ(loads_, 3);
  EXPECT_EQ(finds_, 2);
}

/// The entries that are looked at must outlive those that the reload puts in their place.
TEST_F(AnalysersTest, AReloadWhileUnusedOnesAreReleasedTakesNoneOfThemAway) {
  ASSERT_TRUE(analysers_.definitions("a.c", "", {}));
  ASSERT_TRUE(analysers_.definitions("a.py", "", {}));
  clock_.advance(Analysers::kKeep);
  on_retired_ = [this] {
    offered_ = [this] {
      std::vector<OfferedAnalyser> out;
      out.push_back(offer("c", "*.c", std::string(64, 'e')));
      out.push_back(offer("python", "*.py", std::string(64, 'e')));
      return out;
    };
    plugins_ = std::make_shared<int>(2);
    EXPECT_EQ(analysers_.reader_of("a.py", ""), "python@eeeeeeeeeeeeeeee");
  };
  run_later();
  EXPECT_EQ(alive_, 0);
  EXPECT_THAT(later_, SizeIs(0));
  EXPECT_TRUE(analysers_.definitions("a.c", "", {}));
}

TEST_F(AnalysersTest, SeveralThreadsLoadOneOnce) {
  std::vector<std::jthread> threads;
  std::atomic<int> found = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 100; ++repeat) {
        found += analysers_.definitions("a.c", "", {}) ? 1 : 0;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(found, 400);
  EXPECT_EQ(loads_, 1);
}

class OfferedAnalysers : public ::testing::Test {
 protected:
  std::vector<OfferedAnalyser> offered(const std::string& schema) {
    const auto file = directory_ / "schema.json";
    std::ofstream(file) << schema;
    plugins::Manifest manifest;
    manifest.id = "org.example.cobol";
    manifest.sha256 = std::string(64, 'a');
    manifest.path = directory_ / "plugin.toml";
    manifest.components = {{"quarry.resource/1", "notes", "", {}, false},
                           {"quarry.symbols.draft/1", "cobol", "schema.json", {}, false}};
    return offered_analysers(
        {manifest},
        [](const auto&, const auto& name) -> Result<std::shared_ptr<plugins::Analyser>> {
          return Error{Code::kInternal, "loaded " + name};
        },
        problems_);
  }
  void SetUp() override {
    directory_ = std::filesystem::path(::testing::TempDir()) / "offered-analysers";
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path directory_;
  std::vector<Error> problems_;
};

TEST_F(OfferedAnalysers, TheSchemaNamesTheFiles) {
  const auto found = offered(R"({"files": ["*.cob", "*.{cbl,cpy}"], "firstLines": ["^IDENT"]})");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found.front().name, "cobol");
  EXPECT_EQ(found.front().digest, std::string(64, 'a'));
  ASSERT_THAT(found.front().files, SizeIs(2));
  EXPECT_TRUE(found.front().files[1].matches("src/a.cpy"));
  EXPECT_EQ(found.front().load().error().message, "loaded cobol");
  EXPECT_THAT(found.front().first_lines, SizeIs(1));
  EXPECT_THAT(problems_, SizeIs(0));
}

TEST_F(OfferedAnalysers, ASchemaWithoutFilesIsAProblemThatNamesThePlugin) {
  for (const char* wrong :
       {"{}", "[]", R"({"files": []})", R"({"files": "*.c"})", R"({"files": [7]})",
        R"({"files": ["[a"]})", "{oops", R"({"files": ["*.c"], "firstLines": [7]})",
        R"({"files": ["*.c"], "firstLines": ["("]})"}) {
    problems_.clear();
    EXPECT_THAT(offered(wrong), SizeIs(0)) << wrong;
    ASSERT_THAT(problems_, SizeIs(1)) << wrong;
    EXPECT_THAT(problems_.front().message, HasSubstr("org.example.cobol")) << wrong;
    EXPECT_THAT(problems_.front().hint, HasSubstr("\"files\"")) << wrong;
  }
}

}  // namespace
}  // namespace quarry::engine
