#include "history/testing/history_fixture.h"

#include <quarry_test.h>
#include <thread>

#include <sys/wait.h>

namespace quarry::history {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Runs each job on its own thread, so that any order can occur.
class ThreadExecutor final : public Executor {
 public:
  ~ThreadExecutor() override {
    for (std::thread& thread : threads_) thread.join();
  }
  void submit(std::function<void()> job) override { threads_.emplace_back(std::move(job)); }
  std::size_t concurrency() const override { return 4; }

 private:
  std::vector<std::thread> threads_;
};

/// Stores jobs without running them.
class IdleExecutor final : public Executor {
 public:
  void submit(std::function<void()> job) override { jobs.push_back(std::move(job)); }
  std::size_t concurrency() const override { return 1; }
  std::vector<std::function<void()>> jobs;
};

class HistoryTest : public InDirectory {
 protected:
  History::Parts parts(Executor& workers) {
    return {file(), workers,
            [](std::string_view text) {
              std::string out(text);
              if (const auto at = out.find(test_key()); at != out.npos)
                out.replace(at, test_key().size(), "[...]");
              return out;
            },
            [](std::string json) { return json; },
            [this](const Error& error) { warnings_.push_back(error.message); }};
  }
  static Entry entry(int number, const std::string& thread = "t") {
    const std::string text = std::to_string(number);
    Entry out{question(thread + text, at(number), {call("m", 1, 1, 1)}),
              Turn{"question " + text, "answer " + text, "q" + text}};
    out.question.thread = thread;
    return out;
  }

  std::vector<std::string> warnings_;
  InlineExecutor inline_;
};

TEST_F(HistoryTest, OpensNoFileBeforeItIsNeeded) {
  const History history(parts(inline_));
  EXPECT_TRUE(std::filesystem::is_empty(root_));
}

TEST_F(HistoryTest, KeepsTurnsInTheOrderOfTheirRecordsWhateverWorkerWritesThem) {
  History history(parts(inline_));
  {
    ThreadExecutor threads;
    History concurrent(parts(threads));
    for (int i = 0; i < 50; ++i) concurrent.record(entry(i));
    EXPECT_EQ((*concurrent.thread("t"))->turns.size(), 50u) << "reads wait for what was recorded";
  }
  const auto turns = (*history.thread("t"))->turns;
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(turns[static_cast<std::size_t>(i)].question, "question " + std::to_string(i));
  }
}

TEST_F(HistoryTest, OneWorkerWritesWhateverIsPending) {
  IdleExecutor workers;
  History history(parts(workers));
  for (int i = 0; i < 10; ++i) history.record(entry(i));
  ASSERT_EQ(workers.jobs.size(), 1u);
  workers.jobs.front()();
  history.record(entry(10));
  EXPECT_EQ(workers.jobs.size(), 2u);
  EXPECT_EQ((*history.thread("t"))->turns.size(), 11u);
}

TEST_F(HistoryTest, FlushesWhatNoWorkerHasWritten) {
  IdleExecutor none;
  {
    History history(parts(none));
    history.record(entry(1));
    history.flush();
  }
  EXPECT_EQ(History(parts(inline_)).spent(at(0))->nanos, 1);
}

TEST_F(HistoryTest, TakesSecretsOutOfWhatAThreadKeeps) {
  History history(parts(inline_));
  Entry said = entry(1);
  said.turn->question = "is " + test_key() + " a key?";
  said.turn->answer = "yes, " + test_key();
  history.record(said);
  EXPECT_EQ((*history.thread("t"))->turns[0].answer, "yes, [...]");
  EXPECT_EQ((*history.threads())[0].title, "is [...] a key?");
  EXPECT_THAT(bytes(), Not(HasSubstr(test_key())));
}

TEST_F(HistoryTest, AQuestionWithoutAnAnswerIsInTheLedgerAlone) {
  History history(parts(inline_));
  Entry failed = entry(1);
  failed.turn.reset();
  history.record(failed);
  EXPECT_EQ(history.usage(at(0), By::kModel)->total.questions, 1);
  EXPECT_TRUE(history.threads()->empty());
}

TEST_F(HistoryTest, ADamagedFileIsRenamedAndToldOnceAndANewOneIsBegun) {
  ASSERT_TRUE(write_file_atomically(file(), std::string(8192, 'x')));
  History history(parts(inline_));
  history.record(entry(1));
  history.record(entry(2));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("is damaged"));
  const std::size_t name = warnings_[0].find(file().string() + ".damaged-");
  ASSERT_NE(name, std::string::npos) << warnings_[0];
  const std::string renamed = warnings_[0].substr(name, warnings_[0].find(',', name) - name);
  EXPECT_EQ(*read_file(renamed), std::string(8192, 'x')) << "the content is kept";
  EXPECT_FALSE(history.problem());
  EXPECT_EQ(history.usage(at(0), By::kModel)->total.questions, 2);
}

TEST_F(HistoryTest, AFileThatIsCutInUseIsRenamedAndNoCrash) {
  History history(parts(inline_));
  for (int i = 0; i < 100; ++i) history.record(entry(i, "t" + std::to_string(i)));
  ASSERT_TRUE(Database::open(file())->run("PRAGMA wal_checkpoint(TRUNCATE)"));
  std::filesystem::resize_file(file(), 5000);
  History next(parts(inline_));
  const auto threads = next.threads();
  ASSERT_TRUE(threads) << threads.error().message;
  EXPECT_TRUE(threads->empty());
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("is damaged"));
  next.record(entry(1));
  EXPECT_EQ(next.threads()->size(), 1u);
}

TEST_F(HistoryTest, TwoProcessesWriteToOneFileAtOnce) {
  constexpr int kEach = 100;
  std::vector<::pid_t> children;
  for (int process = 0; process < 3; ++process) {
    const ::pid_t child = ::fork();
    if (child == 0) {
      {
        History history(parts(inline_));
        for (int i = 0; i < kEach; ++i) history.record(entry(i, "p" + std::to_string(process)));
        for (int i = 0; i < kEach; ++i) {
          Entry shared = entry(i, "shared");
          shared.question.id += "-" + std::to_string(process);
          history.record(shared);
        }
      }
      ::_exit(warnings_.empty() ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const ::pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  History history(parts(inline_));
  EXPECT_EQ(history.usage(at(0), By::kModel)->total.questions, 6 * kEach);
  EXPECT_EQ((*history.thread("shared"))->turns.size(), 3u * kEach);
}

TEST_F(HistoryTest, AKilledProcessLosesNothingItHadWritten) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const ::pid_t child = ::fork();
  if (child == 0) {
    History history(parts(inline_));
    for (int i = 0; i < 20; ++i) history.record(entry(i));
    [[maybe_unused]] const auto told = ::write(ready[1], "x", 1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  for (const int end : ready) ::close(end);
  EXPECT_EQ((*History(parts(inline_)).thread("t"))->turns.size(), 20u);
}

TEST_F(HistoryTest, RemovesWhatIsOlderThanItKeeps) {
  const auto days = [](int number) { return at(number * 86'400LL); };
  const auto record = [&](History& history, const std::string& thread, int day) {
    Entry made = entry(day, thread);
    made.question.started = days(day);
    history.record(std::move(made));
  };
  {
    History keeps_all(parts(inline_));
    record(keeps_all, "left", 1);
    record(keeps_all, "continued", 1);
    record(keeps_all, "continued", 30);
    EXPECT_EQ(keeps_all.spent(at(0))->nanos, 3);
  }
  History::Parts limited = parts(inline_);
  limited.keep = [] { return std::chrono::days(31); };
  History history(std::move(limited));
  record(history, "other", 32);
  EXPECT_EQ(history.spent(at(0))->nanos, 4) << "day 1 is 31 days ago";
  record(history, "other", 33);
  EXPECT_EQ(history.spent(at(0))->nanos, 3);
  EXPECT_FALSE(*history.thread("left"));
  EXPECT_EQ((*history.thread("continued"))->turns.size(), 2U);
  EXPECT_TRUE(warnings_.empty());
}

}  // namespace
}  // namespace quarry::history
