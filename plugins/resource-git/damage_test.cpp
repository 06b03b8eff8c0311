#include "resource-git/testing/fixture.h"

#include <csignal>
#include <thread>

namespace quarry::resource_git {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Files = std::map<std::string, std::string>;

/// A damaged cache.
class GitDamage : public testing::GitFixture {
 protected:
  void SetUp() override {
    GitFixture::SetUp();
    id_ = commit({{"a", "1"}, {"b", "2"}});
    files();
  }
  /// The only pack of the only entry.
  [[nodiscard]] fs::path pack() const {
    for (const auto& file : fs::directory_iterator(entries().front() / "objects/pack")) {
      if (file.path().extension() == ".pack") return file.path();
    }
    return {};
  }
  std::string id_;
};

TEST_F(GitDamage, OfAPackIsFetchedAgain) {
  fs::permissions(pack(), fs::perms::owner_all);
  fs::resize_file(pack(), fs::file_size(pack()) / 2);
  EXPECT_EQ(files(), (Files{{"a", "1"}, {"b", "2"}}));
  EXPECT_THAT(entries(), SizeIs(1));
  EXPECT_THAT(fake_.lines, ::testing::Contains(HasSubstr("damaged")));
}

TEST_F(GitDamage, OfAnObjectThatAnUpdateNeedsFromAnEarlierPackIsFetchedAgain) {
  const fs::path first = pack();
  commit({{"a", "3"}});
  files();
  for (const char* const extension : {".pack", ".idx"}) {
    fs::path file = first;
    fs::remove(file.replace_extension(extension));
  }
  EXPECT_EQ(files(), (Files{{"a", "3"}, {"b", "2"}}));
  EXPECT_THAT(fake_.lines, ::testing::Contains(HasSubstr("damaged")));
}

TEST_F(GitDamage, OfEveryObjectIsFetchedAgain) {
  fs::remove_all(entries().front() / "objects");
  EXPECT_THAT(files(), SizeIs(2));
}

TEST_F(GitDamage, BeneathAnUpdateIsFetchedAgain) {
  commit({{"a", "3"}});
  fs::permissions(pack(), fs::perms::owner_all);
  fs::resize_file(pack(), 20);
  EXPECT_EQ(files()["a"], "3");
}

TEST_F(GitDamage, ByAKillLeavesNothingToTripOver) {
  for (const char* lock : {"shallow.lock", "config.lock", "HEAD.lock"}) {
    std::ofstream(entries().front() / lock) << "x";
  }
  const std::string second = commit({{"a", "3"}});
  fs::create_directories(entries().front() / "refs/quarry");
  std::ofstream(entries().front() / "refs/quarry" / (second + ".lock")) << "x";
  EXPECT_EQ(files()["a"], "3");
}

TEST_F(GitDamage, OfWhatSaysWhoseItIsMakesItAnew) {
  std::ofstream(entries().front() / "quarry-identity") << "other";
  EXPECT_THAT(files(), SizeIs(2));
  EXPECT_THAT(entries(), SizeIs(1));
}

TEST_F(GitDamage, OfAnyFileIsRepairedByTheNextUpdate) {
  std::vector<fs::path> kinds = {"HEAD",
                                 "config",
                                 "shallow",
                                 "objects",
                                 "objects/pack",
                                 "refs/quarry",
                                 "refs/quarry/" + id_,
                                 "quarry-identity",
                                 ""};
  for (const char* const extension : {".pack", ".idx"}) {
    kinds.push_back("objects/pack" / pack().filename().replace_extension(extension));
  }
  int commits = 0;
  const auto expect_repair = [&](const fs::path& kind, const char* how, const auto& damage) {
    const fs::path victim = entries().front() / kind;
    if (!fs::exists(victim)) return;
    fs::permissions(victim, fs::perms::owner_all);
    damage(kind.empty() ? entries().front() : victim);
    const std::string text = std::to_string(++commits);
    commit({{"a", text}});
    EXPECT_EQ(files()["a"], text) << how << " " << kind;
    EXPECT_EQ(files()["a"], text) << "again after " << how << " " << kind;
    EXPECT_THAT(entries(), SizeIs(1)) << how << " " << kind;
  };
  for (const fs::path& kind : kinds) {
    expect_repair(kind, "a file in place of", [](const fs::path& victim) {
      fs::remove_all(victim);
      std::ofstream(victim) << "x";
    });
    expect_repair(kind, "without", [](const fs::path& victim) { fs::remove_all(victim); });
    expect_repair(kind, "zeros in", [](const fs::path& victim) {
      if (!fs::is_regular_file(victim)) return;
      const auto size = fs::file_size(victim);
      fs::resize_file(victim, 0);
      fs::resize_file(victim, size);
    });
    expect_repair(kind, "a directory in place of", [](const fs::path& victim) {
      fs::remove_all(victim);
      fs::create_directories(victim / "no");
    });
  }
}

TEST_F(GitDamage, ByARemovedCacheIsRepaired) {
  fs::remove_all(entries().front());
  EXPECT_THAT(files(), SizeIs(2));
}

/// Ends this process and its git at the n-th check of its call, as kill -9 would.
TEST_F(GitDamage, ByAKillAtAnyMomentOfAnUpdateIsNone) {
  for (int looks = 0; looks < 60; looks += 7) {
    const std::string id = commit({{"a", "n" + std::to_string(looks)}});
    const pid_t child = ::fork();
    if (child == 0) {
      struct Kill {
        int left;
        quarry_call call;
      } kill{looks, {}};
      kill.call = {sizeof kill.call, &kill,
                   [](const quarry_call* self) -> quarry_status {
                     if (static_cast<Kill*>(self->context)->left-- == 0) ::raise(SIGKILL);
                     return QUARRY_OK;
                   },
                   [](const quarry_call*) { return INT64_MAX; },
                   [](const quarry_call*, quarry_text) {}};
      quarry::testing::Tree kept;
      Tree tree(kept.get());
      static_cast<void>(source_->fetch(Call(&kill.call), resource().dump(),
                                       nlohmann::json{{"id", id}}.dump(), tree));
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(files()["a"], "n" + std::to_string(looks)) << "killed at look " << looks;
  }
  EXPECT_THAT(entries(), SizeIs(1));
}

TEST_F(GitDamage, IsNotDoneByManyAtOnce) {
  const std::string second = commit({{"a", "3"}});
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, id = i % 2 == 0 ? id_ : second, text = i % 2 == 0 ? "1" : "3"] {
      quarry::testing::FakeCall call;
      quarry::testing::Tree kept;
      Tree tree(kept.get());
      const auto fetched = source_->fetch(Call(call.get()), resource().dump(),
                                          nlohmann::json{{"id", id}}.dump(), tree);
      right += fetched && kept.files["a"] == text ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 6);
}

}  // namespace
}  // namespace quarry::resource_git
