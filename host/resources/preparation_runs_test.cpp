#include "resources/preparation_runs.h"

#include "resources/testing/setting.h"
#include "services/log_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resources {
namespace {

using ::testing::HasSubstr;

TEST(PreparationRuns, SixtyFourQuestionsAtOnceShareOneFetch) {
  Setting setting(4);
  std::vector<std::thread> askers;
  std::atomic<int> good = 0;
  for (int i = 0; i < 64; ++i) {
    askers.emplace_back([&] {
      const auto prepared = setting.prepare();
      if (prepared && text_of(*prepared, "a.txt") == "alpha\n") ++good;
    });
  }
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(good, 64);
  EXPECT_EQ(setting.fake->fetched, 1);
}

TEST(PreparationRuns, LogUnderTheIdsOfTheRequestThatBeganTheRun) {
  Setting setting(1);
  std::string question = "none";
  setting.fake->while_fetching = [&](const services::Call&) {
    const auto subject = services::LogScope::current();
    question = subject ? subject->question : "";
  };
  std::future<Result<Prepared>> prepared;
  {
    const services::LogScope scope(
        std::make_shared<const services::LogSubject>(services::LogSubject{.question = "q1"}));
    prepared = setting.start();
  }
  EXPECT_TRUE(prepared.get());
  EXPECT_EQ(question, "q1");
  Json other = kFake;
  other["url"] = "other";
  EXPECT_TRUE(setting.prepare(other));
  EXPECT_EQ(question, "");
}

TEST(PreparationRuns, WaitersOccupyNoThread) {
  Setting setting(1);
  Options options;
  options.fetches = 2;
  setting.open(options);
  Gate fetching;
  Gate proceed;
  setting.fake->while_fetching = [&](const services::Call&) {
    fetching.open();
    proceed.wait();
  };
  std::vector<std::future<Result<Prepared>>> waiting;
  waiting.push_back(setting.start());
  fetching.wait();
  for (int i = 0; i < 10; ++i) waiting.push_back(setting.start());
  proceed.open();
  for (auto& one : waiting) EXPECT_TRUE(one.get());
  EXPECT_EQ(setting.fake->resolved, 1);
}

TEST(PreparationRuns, SlowSourcesKeepNobodyFromReadingWhatIsThere) {
  Setting setting(1);
  ASSERT_TRUE(setting.prepare());
  setting.reopen();
  Gate proceed;
  setting.fake->while_fetching = [&](const services::Call&) { proceed.wait(); };
  std::vector<std::future<Result<Prepared>>> slow;
  for (int i = 0; i < 4; ++i) {
    Json resource = kFake;
    resource["url"] = "slow" + std::to_string(i);
    slow.push_back(setting.start(resource));
  }
  EXPECT_TRUE(setting.prepare());
  proceed.open();
  for (auto& one : slow) EXPECT_TRUE(one.get());
}

/// A library whose type "fake" fetches until the test lets it proceed or cancels it.
struct SlowSetting : Setting {
  SlowSetting() {
    types_for_projects = types;
    fake->while_fetching = [this](const services::Call& call) {
      const std::stop_callback stopped(call.stop, [this] {
        const std::lock_guard lock(fetching_mutex);
        changed.notify_all();
      });
      std::unique_lock lock(fetching_mutex);
      ++fetching;
      changed.notify_all();
      changed.wait(lock, [&] { return may_proceed || call.stop.stop_requested(); });
    };
  }
  ~SlowSetting() {
    proceed();
    library->shutdown();
  }
  SlowSetting(const SlowSetting&) = delete;
  SlowSetting& operator=(const SlowSetting&) = delete;

  /// Starts `count` fetches for `project`, each from a different host.
  void start_slow(int count, const std::string& project) {
    for (int i = 0; i < count; ++i) {
      const Json resource = of_host(project + std::to_string(i) + ".example");
      slow.push_back(start(resource, stop.get_token(), nullptr, options_of(project)));
    }
  }
  void wait_for_fetches(int count) {
    std::unique_lock lock(fetching_mutex);
    changed.wait(lock, [&] { return fetching >= count; });
  }
  void proceed() {
    const std::lock_guard lock(fetching_mutex);
    may_proceed = true;
    changed.notify_all();
  }
  static Json of_host(const std::string& host) {
    Json resource = kFake;
    resource["url"] = "https://" + host + "/x";
    return resource;
  }
  static PrepareOptions options_of(const std::string& project) {
    return {Freshness::kPolicy, std::nullopt, project};
  }

  std::mutex fetching_mutex;
  std::condition_variable changed;
  int fetching = 0;
  bool may_proceed = false;
  std::stop_source stop;
  std::vector<std::future<Result<Prepared>>> slow;
};

TEST(PreparationRuns, FoldersAndSnapshotsAtHandDoNotWaitForFetches) {
  Setting before;
  ASSERT_TRUE(before.prepare());
  before.library->shutdown();
  SlowSetting setting;
  setting.cache = before.cache;
  const auto folders = std::make_shared<FakeType>("folder", true);
  const std::filesystem::path root = setting.temp.path() / "folder";
  write_file(root / "a.txt", "in the folder\n");
  folders->fill = [&](plugins::Tree& tree) { return tree.use_in_place(root); };
  folders->files.clear();
  setting.types.emplace("folder", folders);
  Options options;
  options.all_fetches = 3;
  setting.open(options);
  setting.start_slow(5, "");
  setting.wait_for_fetches(2);
  const Json folder{{"type", "folder"}, {"name", "notes"}, {"url", "here"}};
  const auto read = setting.prepare(folder);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(text_of(*read, "a.txt"), "in the folder\n");
  EXPECT_TRUE(setting.prepare()) << "its snapshot exists";
  EXPECT_EQ(setting.slow.size(), 5u);
  setting.proceed();
  for (auto& one : setting.slow) EXPECT_TRUE(one.get());
}

TEST(PreparationRuns, AProjectsNinthFetchSaysThatItWaitsAndAnotherProjectsProceeds) {
  std::vector<std::string> heard;
  std::mutex mutex;
  SlowSetting setting;  // ends first, since a progress may still be told after the result
  setting.start_slow(8, "a");
  setting.wait_for_fetches(8);
  auto ninth = setting.start(
      SlowSetting::of_host("ninth.example"), {},
      [&](const Progress& progress) {
        const std::lock_guard lock(mutex);
        heard.push_back(progress.message);
      },
      SlowSetting::options_of("a"));
  auto other = setting.start(SlowSetting::of_host("other.example"), {}, nullptr,
                             SlowSetting::options_of("b"));
  setting.wait_for_fetches(9);
  EXPECT_EQ(setting.fake->fetched, 9) << "b's, and not a's ninth";
  setting.proceed();
  EXPECT_TRUE(ninth.get());
  EXPECT_TRUE(other.get());
  setting.library->shutdown();
  ASSERT_GE(heard.size(), 2u);
  EXPECT_EQ(heard.front(), "waiting for a fetch: 8 ahead");
  EXPECT_THAT(heard, ::testing::Contains("fetching").Times(1));
}

TEST(PreparationRuns, ASourceThatTwoProjectsAskIsNotDelayedByTheLineOfOne) {
  SlowSetting setting;
  setting.start_slow(8, "a");
  setting.wait_for_fetches(8);
  auto mine = setting.start(kFake, {}, nullptr, SlowSetting::options_of("a"));
  auto theirs = setting.start(kFake, {}, nullptr, SlowSetting::options_of("b"));
  setting.wait_for_fetches(9);
  setting.proceed();
  EXPECT_TRUE(mine.get());
  EXPECT_TRUE(theirs.get());
  EXPECT_EQ(setting.fake->fetched, 9);
}

TEST(PreparationRuns, AThousandThatWaitAreCancelledAtOnceAndNeverFetched) {
  SlowSetting setting;
  setting.start_slow(8, "a");
  setting.wait_for_fetches(8);
  std::stop_source stop;
  std::vector<std::future<Result<Prepared>>> waiting;
  for (int i = 0; i < 1000; ++i) {
    waiting.push_back(setting.start(SlowSetting::of_host("w" + std::to_string(i) + ".example"),
                                    stop.get_token(), nullptr, SlowSetting::options_of("a")));
  }
  stop.request_stop();
  for (auto& one : waiting) EXPECT_EQ(one.get().error().code, Code::kCancelled);
  auto next = setting.start(SlowSetting::of_host("next.example"), {}, nullptr,
                            SlowSetting::options_of("a"));
  setting.proceed();
  EXPECT_TRUE(next.get());
  EXPECT_EQ(setting.fake->fetched, 9);
}

TEST(PreparationRuns, ShutdownEndsWhatHangsAndWhatWaits) {
  SlowSetting setting;
  setting.start_slow(20, "a");
  setting.wait_for_fetches(8);
  setting.library->shutdown();
  for (auto& one : setting.slow) EXPECT_FALSE(one.get());
  EXPECT_EQ(setting.fake->fetched, 8);
}

TEST(PreparationRuns, ACancelledRequestEndsAtOnceAndTheOtherGetsItsAnswer) {
  Setting setting;
  Gate fetching;
  Gate proceed;
  setting.fake->while_fetching = [&](const services::Call&) {
    fetching.open();
    proceed.wait();
  };
  std::stop_source stop;
  auto cancelled = setting.start(kFake, stop.get_token());
  auto kept = setting.start();
  fetching.wait();
  stop.request_stop();
  EXPECT_EQ(cancelled.get().error().code, Code::kCancelled);
  proceed.open();
  EXPECT_TRUE(kept.get());
}

TEST(PreparationRuns, TheLastOneToCancelEndsTheFetch) {
  Setting setting;
  Gate fetching;
  Gate stopped;
  setting.fake->while_fetching = [&](const services::Call& call) {
    const std::stop_callback noticed(call.stop, [&] { stopped.open(); });
    fetching.open();
    stopped.wait();
  };
  std::stop_source stop;
  auto one = setting.start(kFake, stop.get_token());
  auto other = setting.start(kFake, stop.get_token());
  fetching.wait();
  stop.request_stop();
  EXPECT_EQ(one.get().error().code, Code::kCancelled);
  EXPECT_EQ(other.get().error().code, Code::kCancelled);
  EXPECT_EQ(one.valid(), false);
  setting.library->shutdown();
  EXPECT_EQ(setting.fake->fetched, 1);
}

TEST(PreparationRuns, AQuestionAfterACancelledFetchGetsAFreshOne) {
  Setting setting(1);
  Gate fetching;
  Gate proceed;
  setting.fake->while_fetching = [&](const services::Call&) {
    fetching.open();
    proceed.wait();
  };
  std::stop_source stop;
  auto cancelled = setting.start(kFake, stop.get_token());
  fetching.wait();
  stop.request_stop();
  auto fresh = setting.start();
  proceed.open();
  EXPECT_EQ(cancelled.get().error().code, Code::kCancelled);
  EXPECT_TRUE(fresh.get());
  EXPECT_EQ(setting.fake->fetched, 2);
}

TEST(PreparationRuns, AnAlreadyCancelledQuestionIsAnsweredOnce) {
  Setting setting;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(setting.start(kFake, stop.get_token()).get().error().code, Code::kCancelled);
}

TEST(PreparationRuns, EveryWaiterHearsTheProgress) {
  std::mutex mutex;
  std::vector<std::string> heard;
  Setting setting;  // ends first, since a progress may still be told after the result
  Gate fetching;
  Gate proceed;
  setting.fake->while_fetching = [&](const services::Call& call) {
    fetching.open();
    proceed.wait();
    call.progress(R"({"message":"receiving","done":3,"total":9})");
    call.progress("no JSON");
    call.progress(R"({"message":"unpacking","done":-1,"total":9.5,"later":[]})");
    call.progress(R"({"message":"unheard","total":"9"})");
  };
  const auto listen = [&](std::string who) {
    return [&, who = std::move(who)](const Progress& progress) {
      std::lock_guard lock(mutex);
      if (progress.total == 9) heard.push_back(who + ' ' + progress.message);
    };
  };
  auto one = setting.start(kFake, {}, listen("one"));
  fetching.wait();
  // Joins the next run, which waits for this one.
  auto two = setting.start(kFake, {}, listen("two"), {Freshness::kSync, {}});
  proceed.open();
  EXPECT_TRUE(one.get());
  EXPECT_TRUE(two.get());
  setting.library->shutdown();
  EXPECT_THAT(heard, ::testing::UnorderedElementsAre("one receiving", "two receiving",
                                                     "one unpacking", "two unpacking"));
}

TEST(PreparationRuns, ShutdownEndsAFetchAndRefusesLaterQuestions) {
  Setting setting;
  Gate fetching;
  Gate stopped;
  setting.fake->while_fetching = [&](const services::Call& call) {
    const std::stop_callback noticed(call.stop, [&] { stopped.open(); });
    fetching.open();
    stopped.wait();
  };
  auto running = setting.start();
  fetching.wait();
  setting.library->shutdown();
  EXPECT_EQ(running.get().error().code, Code::kCancelled);
  ASSERT_TRUE(Setting(2, setting.cache).prepare());
  const auto later = setting.prepare();
  ASSERT_FALSE(later) << "although there is a snapshot now";
  EXPECT_EQ(later.error().code, Code::kUnavailable);
  EXPECT_THAT(later.error().message, HasSubstr("shutting down"));
}

Request request(Library::OnPrepared done, Freshness freshness = Freshness::kPolicy) {
  Request request;
  request.order.resource = kFake;
  request.order.key = "key";
  request.freshness = freshness;
  request.done = std::move(done);
  return request;
}

/// Drops every job, like an executor after its shutdown.
class ClosedExecutor final : public Executor {
 public:
  void submit(std::function<void()>) override {}
  [[nodiscard]] std::size_t concurrency() const override { return 1; }
};

TEST(PreparationRuns, AQuestionThatTheExecutorDropsIsAnsweredAllTheSame) {
  ClosedExecutor executor;
  PreparationRuns runs(executor,
                       [](const Order&, PreparationRun&) { return Result<Prepared>(Prepared{}); });
  Code code = Code::kOk;
  runs.join(request([&](const Result<Prepared>& result) { code = result.error().code; }));
  EXPECT_EQ(code, Code::kUnavailable);
  code = Code::kOk;
  runs.in_background([](const std::stop_token&) {}, [&] { code = Code::kUnavailable; });
  EXPECT_EQ(code, Code::kUnavailable);
}

/// The runs that requests get that arrive during the first run.
std::vector<std::string> runs_of(Freshness freshness, void (PreparationRun::*close)()) {
  Threads executor(1);
  std::atomic<int> run_count = 0;
  Gate checking;
  Gate proceed;
  PreparationRuns runs(executor, [&](const Order&, PreparationRun& run) -> Result<Prepared> {
    (run.*close)();
    Prepared prepared;
    prepared.version = std::to_string(++run_count);
    checking.open();
    proceed.wait();
    return prepared;
  });
  std::promise<std::string> first;
  std::promise<std::string> second;
  const auto tell = [](std::promise<std::string>& to) {
    return [&to](const Result<Prepared>& result) { to.set_value(result->version); };
  };
  runs.join(request(tell(first), freshness));
  checking.wait();
  runs.join(request(tell(second), freshness));
  proceed.open();
  return {first.get_future().get(), second.get_future().get()};
}

TEST(PreparationRuns, ARequestDuringTheCheckOfAFolderGetsALaterRun) {
  EXPECT_THAT(runs_of(Freshness::kPolicy, &PreparationRun::close),
              ::testing::ElementsAre("1", "2"));
  EXPECT_THAT(runs_of(Freshness::kOffline, &PreparationRun::close),
              ::testing::ElementsAre("1", "2"));
}

TEST(PreparationRuns, OnlyASyncRequestGetsALaterRunOnceTheSourceWasAsked) {
  EXPECT_THAT(runs_of(Freshness::kSync, &PreparationRun::close_to_sync),
              ::testing::ElementsAre("1", "2"));
  EXPECT_THAT(runs_of(Freshness::kPolicy, &PreparationRun::close_to_sync),
              ::testing::ElementsAre("1", "1"));
}

TEST(PreparationRuns, CancellingALaterRunEndsThatOne) {
  Threads executor(1);
  Gate checking;
  Gate proceed;
  Gate again;
  std::atomic<int> run_count = 0;
  PreparationRuns runs(executor, [&](const Order&, PreparationRun& run) -> Result<Prepared> {
    run.close();
    if (++run_count == 1) {
      checking.open();
      proceed.wait();
      return Prepared{};
    }
    Gate stopped;
    const std::stop_callback noticed(run.stop(), [&] { stopped.open(); });
    again.open();
    stopped.wait();
    return Error{Code::kCancelled, "stopped"};
  });
  runs.join(request([](const Result<Prepared>&) {}));
  checking.wait();
  std::promise<Code> code;
  std::stop_source stop;
  Request late =
      request([&](const Result<Prepared>& result) { code.set_value(result.error().code); });
  late.stop = stop.get_token();
  runs.join(late);
  proceed.open();
  again.wait();
  stop.request_stop();
  EXPECT_EQ(code.get_future().get(), Code::kCancelled);
  runs.shutdown();
}

TEST(PreparationRuns, NothingIsRunForARequestCancelledBeforeItsTurn) {
  Threads executor(1);
  Gate proceed;
  executor.submit([&] { proceed.wait(); });
  std::atomic<int> run_count = 0;
  PreparationRuns runs(executor, [&](const Order&, PreparationRun&) {
    ++run_count;
    return Result<Prepared>(Prepared{});
  });
  std::promise<Code> code;
  std::stop_source stop;
  Request early =
      request([&](const Result<Prepared>& result) { code.set_value(result.error().code); });
  early.stop = stop.get_token();
  runs.join(early);
  stop.request_stop();
  proceed.open();
  EXPECT_EQ(code.get_future().get(), Code::kCancelled);
  runs.shutdown();
  EXPECT_EQ(run_count, 0);
}

}  // namespace
}  // namespace quarry::resources
