#include "ask/testing/test_services.h"
#include "base/testing/waiting.h"
#include "engine/replication/question_receiver.h"
#include "engine/replication/question_sender.h"

#include <array>
#include <atomic>
#include <fcntl.h>
#include <future>
#include <optional>
#include <quarry_test.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gmock/gmock.h>
#include <sys/socket.h>

namespace quarry::engine {
namespace {

using namespace std::chrono_literals;
using ask::testing::say;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::array<Fd, 2> connected() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

/// The questions of one process, and its connections to the ones before and after it.
struct Process {
  ~Process() { end(); }

  /// Takes the place of `before`.
  void replace(Process& before) {
    const auto [old_end, new_end] = connected();
    before.successor = *QuestionSender::start(before.questions, before.io(), old_end);
    predecessor = *QuestionReceiver::start(questions, io(), services.services().wakes, new_end);
    EXPECT_TRUE(predecessor->wait_until_known(patience(10s)));
  }
  std::string ask(std::vector<ask::testing::Script> scripts,
                  std::chrono::milliseconds reader_grace = 1min, std::string bearer = {}) {
    ask::Request request = services.request(std::move(scripts));
    request.limits.reader_grace = reader_grace;
    request.bearer = std::move(bearer);
    return *questions.start(std::move(request), 8, {}, nullptr);
  }
  /// Asks a question that ends soon after its last reader, and opens it. The I/O thread, which
  /// ends it, waits for that.
  std::pair<std::string, std::unique_ptr<ask::EventCursor>> ask_and_read(
      std::vector<ask::testing::Script> scripts) {
    std::promise<void> opened;
    boost::asio::post(io(), [done = opened.get_future().share()] { done.wait(); });
    const std::string id = ask(std::move(scripts), 100ms);
    auto reader = questions.log_of(id)->open(0, [] {});
    opened.set_value();
    return {id, std::move(reader)};
  }
  /// As RunningEngine ends.
  void end() {
    questions.close(0ms);
    if (successor) successor->finish(patience(10s));
    successor.reset();
    predecessor.reset();
  }
  boost::asio::io_context& io() const { return services.services().io; }

  ask::testing::TestServices services;
  QuestionRegistry questions{services.services()};
  std::unique_ptr<QuestionSender> successor;
  std::unique_ptr<QuestionReceiver> predecessor;
};

/// "1 meta {…}" for each event after number `after`, to the last; waits for them.
std::vector<std::string> events_of(const Process& process, const std::string& id,
                                   std::uint64_t after = 0) {
  std::vector<std::string> out;
  const auto log = process.questions.log_of(id);
  if (!log) return out;
  const auto cursor = log->observe(after, [] {});
  const auto add = [&](std::uint64_t number, std::string_view type, std::string_view json) {
    out.push_back(std::to_string(number) + ' ' + std::string(type) + ' ' + std::string(json));
  };
  wait_until([&] { return cursor->read(1u << 20, add) == QUARRY_READ_END; });
  return out;
}

void wait_for_events(const Process& process, const std::string& id, std::uint64_t count) {
  wait_until([&] { return process.questions.log_of(id)->event_count() >= count; });
}

/// A model that says "one " and, once it is released, "two". Must outlive the processes that ask
/// it.
struct SlowModel {
  ask::testing::Script script() {
    return [this](const std::string&, std::stop_token stop, ask::StepSink& sink) {
      sink.text("one ");
      wait_until([&] { return released || stop.stop_requested(); });
      sink.text("two");
      sink.finish(plugins::Finish::kStop);
    };
  }
  std::atomic<bool> released = false;
};

TEST(Replication, AnEndedQuestionIsReadInTheSuccessorAsInTheProcessThatAnsweredIt) {
  Process before;
  const std::string id = before.ask({say("a \"quoted\" text\nof two lines")}, 1min, "token-1");
  before.questions.wait_until_idle(patience(10s));
  Process after;
  after.replace(before);
  const auto events = events_of(before, id);
  EXPECT_THAT(events, Contains(HasSubstr("text.delta")));
  EXPECT_EQ(events_of(after, id), events);
  before.end();
  EXPECT_EQ(events_of(after, id, 1), std::vector(events.begin() + 1, events.end()));
  EXPECT_EQ(after.questions.bearer_of(id), "token-1");
  EXPECT_FALSE(after.questions.is_running(id));
}

TEST(Replication, ARunningQuestionGoesOnInTheSuccessor) {
  SlowModel model;
  Process before;
  Process after;
  const std::string id = before.ask({model.script()});
  wait_for_events(before, id, 2);
  after.replace(before);
  wait_for_events(after, id, 2);
  EXPECT_TRUE(after.questions.is_running(id));
  EXPECT_EQ(after.questions.running(), 0) << "replicas do not count";
  model.released = true;
  before.questions.wait_until_idle(patience(10s));
  EXPECT_EQ(events_of(after, id), events_of(before, id));
  after.questions.wait_until_idle(patience(10s));
  EXPECT_FALSE(after.questions.is_running(id));
}

TEST(Replication, ManyQuestionsAtOnceAreTheSameInBothProcesses) {
  Process before;
  Process after;
  after.replace(before);
  const auto in_pieces = [](const std::string&, std::stop_token, ask::StepSink& sink) {
    for (int i = 0; i < 200; ++i) sink.text("piece " + std::to_string(i) + ", ");
    sink.finish(plugins::Finish::kStop);
  };
  std::vector<std::string> ids;
  for (int i = 0; i < 100; ++i) {
    ask::Request request = before.services.request({in_pieces});
    ids.push_back(*before.questions.start(std::move(request), 1000, {}, nullptr));
  }
  for (const std::string& id : ids) {
    const auto events = events_of(before, id);
    wait_until([&] { return after.questions.log_of(id) != nullptr; });
    EXPECT_EQ(events_of(after, id), events);
  }
}

TEST(Replication, AQuestionThatBeginsAfterwardsIsTold) {
  Process before;
  Process after;
  after.replace(before);
  const std::string id = before.ask({say("later")});
  const auto events = events_of(before, id);
  before.end();
  wait_until([&] { return after.questions.log_of(id) != nullptr; });
  EXPECT_EQ(events_of(after, id), events);
}

TEST(Replication, WhatAnAnswerCitesIsReadInTheSuccessor) {
  Process before;
  Process after;
  const auto log = ask::testing::make_log(1000);
  const auto cited = std::make_shared<ask::CitedSources>();
  ASSERT_TRUE(before.questions.add_replica({"q", "", log, cited, 1min}, [](ask::StopReason) {}));
  after.replace(before);
  cited->set({{R"({"path":"a"})", 3, {"x \"y\"", "z"}}, {"{}"}});
  log->finish(EventType::kDone, "{}");
  events_of(after, "q");
  const auto copy = after.questions.cited_by("q");
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->size(), 2);
  const auto first = copy->find(1);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->citation, R"({"path":"a"})");
  EXPECT_EQ(first->first_line, 3);
  EXPECT_THAT(first->lines, ElementsAre("x \"y\"", "z"));
  before.questions.replica_ended("q");
}

TEST(Replication, TheSuccessorStopsAQuestion) {
  SlowModel model;
  Process before;
  Process after;
  const std::string id = before.ask({model.script()});
  const std::string other = before.ask({model.script()}, 1min, "token-1");
  after.replace(before);
  EXPECT_TRUE(after.questions.stop(id));
  EXPECT_THAT(events_of(after, id).back(), HasSubstr(R"("finishReason":"cancelled")"));
  EXPECT_TRUE(before.questions.is_running(other));
  after.questions.stop_all_of("token-1");
  EXPECT_THAT(events_of(after, other).back(), HasSubstr("error"));
}

TEST(Replication, AReaderInTheSuccessorKeepsAQuestionRunning) {
  SlowModel model;
  Process before;
  Process after;
  auto [id, first] = before.ask_and_read({model.script()});
  wait_for_events(before, id, 2);
  after.replace(before);
  auto second = after.questions.log_of(id)->open(2, [] {});
  const auto in_before = before.questions.log_of(id);
  wait_until([&] { return in_before->reader_count() == 2; });
  first.reset();
  EXPECT_EQ(in_before->reader_count(), 1);
  second.reset();
  EXPECT_THAT(events_of(before, id).back(), HasSubstr("\"cancelled\"")) << "it is abandoned";
}

TEST(Replication, QuestionsOfAProcessThatDiesEndWithAnError) {
  SlowModel model;
  Process before;
  Process after;
  const auto [old_end, new_end] = connected();
  const std::string id = before.ask({model.script()});
  wait_for_events(before, id, 2);
  before.successor = *QuestionSender::start(before.questions, before.io(), old_end);
  after.predecessor = *QuestionReceiver::start(after.questions, after.io(),
                                               after.services.services().wakes, new_end);
  ASSERT_TRUE(after.predecessor->wait_until_known(patience(10s)));
  wait_for_events(after, id, 2);
  ::shutdown(old_end.get(), SHUT_RDWR);
  EXPECT_THAT(events_of(after, id).back(),
              HasSubstr("the connection to the process that answers this question was lost"));
  EXPECT_FALSE(after.questions.is_running(id));
  EXPECT_TRUE(before.questions.is_running(id)) << "a successor that is gone changes nothing";
  model.released = true;
}

TEST(Replication, AProcessThatTellsNothingIsNotWaitedForLonger) {
  const auto [old_end, new_end] = connected();
  Process after;
  const auto receiver = *QuestionReceiver::start(after.questions, after.io(),
                                                 after.services.services().wakes, new_end);
  EXPECT_FALSE(receiver->wait_until_known(10ms));
}

TEST(Replication, AProcessThatIsGoneIsNotWaitedFor) {
  auto [old_end, new_end] = connected();
  old_end = Fd();
  ::shutdown(new_end.get(), SHUT_RDWR);
  Process after;
  const auto receiver = *QuestionReceiver::start(after.questions, after.io(),
                                                 after.services.services().wakes, new_end);
  EXPECT_FALSE(receiver->wait_until_known(1h));
}

TEST(Replication, ThirdProcessReadsAndStopsWhatTheFirstAnswers) {
  SlowModel model;
  Process first;
  Process second;
  Process third;
  auto [read, reader] = first.ask_and_read({model.script()});
  const std::string stopped = first.ask({model.script()});
  wait_for_events(first, read, 2);
  second.replace(first);
  third.replace(second);
  wait_for_events(third, read, 2);
  auto last = third.questions.log_of(read)->open(0, [] {});
  wait_until([&] { return first.questions.log_of(read)->reader_count() == 2; });
  reader.reset();
  EXPECT_TRUE(third.questions.stop(stopped));
  EXPECT_THAT(events_of(third, stopped).back(), HasSubstr(R"("finishReason":"cancelled")"));
  model.released = true;
  first.questions.wait_until_idle(patience(10s));
  second.questions.wait_until_idle(patience(10s));
  EXPECT_EQ(events_of(third, read), events_of(first, read));
}

TEST(Replication, AShutdownEndsReplicasWithAnError) {
  SlowModel model;
  Process before;
  const std::string id = before.ask({model.script()});
  Process after;
  after.replace(before);
  const auto log = after.questions.log_of(id);
  after.predecessor.reset();
  EXPECT_TRUE(log->finished());
  EXPECT_THAT(events_of(after, id).back(), HasSubstr("the server is shutting down"));
}

TEST(Replication, TheSenderFinishesWhenAllIsWritten) {
  Process before;
  auto [old_end, new_end] = connected();
  auto sender = *QuestionSender::start(before.questions, before.io(), old_end);
  char known[6];
  ASSERT_EQ(::recv(new_end.get(), known, sizeof known, MSG_WAITALL), 6) << "nothing else was left";
  const std::string id = before.ask({say(std::string(3'000'000, 'x'))});
  before.questions.wait_until_idle(patience(10s));
  sender->finish(1ms);  // nobody reads
  std::string written;
  std::thread reads([&written, &end = new_end] {
    std::string some(1u << 16, '\0');
    ssize_t count = 0;
    while ((count = ::read(end.get(), some.data(), some.size())) > 0) {
      written.append(some, 0, static_cast<std::size_t>(count));
    }
  });
  sender->finish(1h);
  sender.reset();
  old_end = Fd();
  reads.join();
  EXPECT_THAT(written, HasSubstr("\nevent " + id + " done {"));
  EXPECT_EQ(written.back(), '\n');
}

TEST(Replication, EndsWithItsLongestEventsUnread) {
  Process before;
  const std::string text(3'000'000, 'x');
  const std::string id = before.ask({say(text)});
  before.questions.wait_until_idle(patience(10s));
  const auto events = events_of(before, id);
  auto [old_end, new_end] = connected();
  before.successor = *QuestionSender::start(before.questions, before.io(), old_end);
  before.successor->finish(10ms);
  Process after;
  after.predecessor = *QuestionReceiver::start(after.questions, after.io(),
                                               after.services.services().wakes, new_end);
  EXPECT_TRUE(after.predecessor->wait_until_known(patience(10s)));
  EXPECT_EQ(events_of(after, id), events);
}

/// A receiver, and what the other process writes.
struct Told {
  Told()
      : ends(connected()),
        receiver(*QuestionReceiver::start(process.questions, process.io(),
                                          process.services.services().wakes, ends[1])) {}
  void tell(std::string_view lines) const { EXPECT_TRUE(write_all(ends[0].get(), lines)); }
  [[nodiscard]] bool known() const { return receiver->wait_until_known(patience(10s)); }

  std::array<Fd, 2> ends;
  Process process;
  std::unique_ptr<QuestionReceiver> receiver;
};

TEST(Replication, IgnoresLinesOfAnotherVersion) {
  Told told;
  told.tell(
      "weather fine\n\nevent nobody meta {}\nquestion {\"id\":\"x\"}\n"
      "question {\"id\":\"q\",\"bearer\":\"\",\"keepMs\":60000,\"colour\":\"red\"}\n"
      "event q meta {}\ncited q [{}]\nevent q done {\"a\":1}\nknown\n");
  ASSERT_TRUE(told.known());
  EXPECT_FALSE(told.process.questions.log_of("x"));
  EXPECT_THAT(events_of(told.process, "q"), ElementsAre("1 meta {}", "2 done {\"a\":1}"));
  EXPECT_EQ(told.process.questions.cited_by("q")->size(), std::nullopt);
}

TEST(Replication, AQuestionWithAnEventOfAnotherVersionEndsThereWithAnError) {
  Told told;
  told.tell(
      "question {\"id\":\"q\",\"bearer\":\"\",\"keepMs\":60000}\n"
      "event q meta {}\nevent q weather.changed {}\nevent q done {}\nknown\n");
  ASSERT_TRUE(told.known());
  EXPECT_THAT(events_of(told.process, "q"), ElementsAre("1 meta {}", StartsWith("2 error {")));
}

TEST(Replication, AProcessThatReadsNothingLosesItsQuestions) {
  Told told;
  std::string lines;
  for (int i = 0; i < 20; ++i) {
    lines += "question {\"id\":\"" + std::string(100'000, static_cast<char>('a' + i)) +
             "\",\"bearer\":\"\",\"keepMs\":60000}\n";
  }
  told.tell(lines + "known\n");
  ASSERT_TRUE(told.known());
  const std::string last(100'000, 't');
  const auto log = told.process.questions.log_of(last);
  ASSERT_TRUE(log);
  for (int i = 0; i < 20; ++i) {
    told.process.questions.stop(std::string(100'000, static_cast<char>('a' + i)));
  }
  EXPECT_THAT(events_of(told.process, last).back(), HasSubstr("was lost"));
}

}  // namespace
}  // namespace quarry::engine
