#include "base/hash.h"
#include "base/testing/waiting.h"
#include "runner/log_budget.h"
#include "runner/sandbox.h"
#include "runner/testing/isolated_fixture.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <latch>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>

namespace quarry::runner {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t open_descriptors() {
  const fs::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// In bytes (proc_pid_statm(5)).
std::size_t resident_memory() {
  std::ifstream statm("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  statm >> all >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Ended ones that were not reaped count too.
bool has_children() {
  siginfo_t child{};
  return ::waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == 0;
}

TEST_F(Isolated, AResourceIsResolvedAndFetched) {
  const auto type = make();
  ASSERT_TRUE(type) << type.error().message;
  EXPECT_EQ((*type)->describe().title, "Faulty");
  const auto asked = resource("nothing");
  EXPECT_EQ(*(*type)->normalise({}, asked), asked);
  std::string progress;
  const auto version =
      (*type)->resolve({.progress = [&](std::string_view json) { progress = json; }}, asked, {});
  ASSERT_TRUE(version) << version.error().message;
  EXPECT_EQ(version->display, "the first");
  EXPECT_EQ(progress, R"({"message": "resolving"})");
  KeptFiles files;
  const auto fetched = (*type)->fetch({}, asked, *version, {}, files);
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->notes, std::vector<std::string>{"a note"});
  EXPECT_EQ(files.files.at("d/0.md"), "# Hello\n");
  const auto parsed = (*type)->parse_reference({}, "faulty:x");
  ASSERT_TRUE(parsed && *parsed);
  EXPECT_EQ((*parsed)->resource["name"], "parsed");
}

TEST_F(Isolated, EverythingThatATreeTakesArrives) {
  const auto type = make();
  ASSERT_TRUE(type);
  KeptFiles files;
  ASSERT_TRUE((*type)->fetch({}, resource("all"), {.id = "1", .display = "1"}, {}, files));
  EXPECT_EQ(files.large, "large.bin 1099511627776;");
  EXPECT_EQ(files.links, "link;");
  EXPECT_EQ(files.facts.at("titled.md"),
            (plugins::FileFacts{"https://faulty.example/titled", "Titled", ""}));
  EXPECT_EQ(files.kept, "kept.md;");
  EXPECT_EQ(files.files.at("new.md"), "text");
}

TEST_F(Isolated, ADirectoryOfOthersIsRefused) {
  const auto type = make();
  ASSERT_TRUE(type);
  KeptFiles files;
  for (const auto* way : {"add:/etc", "in place:/etc"}) {
    const auto fetched = (*type)->fetch({}, resource(way), {.id = "1", .display = "1"}, {}, files);
    ASSERT_FALSE(fetched) << way;
    EXPECT_EQ(fetched.error().code, Code::kPermissionDenied);
    EXPECT_THAT(fetched.error().message, HasSubstr("may not let the host read /etc"));
  }
}

TEST_F(Isolated, ManyFilesArriveWhole) {
  const auto type = make();
  ASSERT_TRUE(type);
  KeptFiles files;
  auto asked = resource("nothing");
  asked["files"] = 300'000;  // more than one window
  const auto fetched = (*type)->fetch({}, asked, {.id = "1", .display = "1"}, {}, files);
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(files.files.size(), 300'000u);
}

TEST_F(Isolated, AFetchEndsWithTheHostsFailure) {
  const auto type = make();
  ASSERT_TRUE(type);
  KeptFiles files;
  files.most = 10;
  auto asked = resource("nothing");
  asked["files"] = 1'000'000'000;  // longer than the test may take
  const auto fetched = (*type)->fetch({}, asked, {.id = "1", .display = "1"}, {}, files);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().message, "the disk is full");
}

TEST_F(Isolated, ThePluginsOwnFailuresAreUnchanged) {
  const auto type = make();
  ASSERT_TRUE(type);
  const auto refused = (*type)->normalise({}, resource("refused"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kInvalidArgument);
  EXPECT_EQ(refused.error().message, "refused on purpose");
  EXPECT_EQ(refused.error().hint, "try another");
  EXPECT_EQ(refused.error().tag, "X");
  EXPECT_EQ(refused.error().details.at(0).field, "/a");
  EXPECT_THAT((*type)->normalise({}, resource("silent")).error().message,
              HasSubstr("returned without an outcome"));
  EXPECT_THAT((*type)->normalise({}, resource("twice")).error().message,
              HasSubstr("more than one outcome"));
}

/// A fault in one function, and words of the error.
struct Fault {
  const char *name, *words;
};
constexpr Fault kFaults[] = {
    {"illegal", "was killed by signal 4 (Illegal instruction)"},
    {"abort", "was killed by signal 6 (Aborted)"},
    {"exit", "exited with status 7"},
    {"giant", "sent a frame of 4294967295 bytes"},
    {"kind", "sent a frame of unknown kind 200"},
    {"stranger", "answered a call that was not made"},
    {"hang", "did not answer"},
};

class FaultsOf : public Isolated, public ::testing::WithParamInterface<Fault> {
 protected:
  void SetUp() override {
    Isolated::SetUp();
    runners_.grace = 20ms;
  }
  /// Ends a call of `function` that hangs; a sanitizer may take its time to end one that crashes.
  void limit(const std::string& function) {
    const bool hangs = GetParam().name == std::string_view("hang");
    runners_.call_limit = [=](Function one) {
      return hangs && name_of(one) == function ? milliseconds(100) : milliseconds(1h);
    };
  }
  /// The error of a call of `function` that meets the fault.
  std::optional<Error> call(const std::string& function) {
    const std::string what = function + ":" + GetParam().name;
    limit(function);
    const auto type = make(Json({{"do", what}}).dump());
    if (!type) return type.error();
    if (function == "parse_reference") return error_of((*type)->parse_reference({}, what));
    KeptFiles files;
    const auto asked = resource(what);
    auto normalised = error_of((*type)->normalise({}, asked));
    if (normalised) return normalised;
    auto resolved = error_of((*type)->resolve({}, asked, {}));
    if (resolved) return resolved;
    return error_of((*type)->fetch({}, asked, {.id = "1", .display = "1"}, {}, files));
  }
  static std::optional<Error> error_of(const auto& result) {
    return result ? std::optional<Error>() : result.error();
  }
};

TEST_P(FaultsOf, CostTheCallOneClearError) {
  for (const std::string function :
       {"create", "describe", "normalise", "resolve", "fetch", "parse_reference"}) {
    const auto error = call(function);
    ASSERT_TRUE(error) << function;
    EXPECT_EQ(error->code, Code::kUnavailable) << error->message;
    EXPECT_THAT(error->message, AllOf(HasSubstr("plugin org.example.faulty (isolated) " +
                                                std::string(GetParam().words)),
                                      HasSubstr(function)));
    EXPECT_FALSE(error->hint.empty());
    fs::remove(runners_.quarantined_list);
  }
  EXPECT_FALSE(has_children());
}

TEST_P(FaultsOf, DestroyDisturbNobody) {
  limit("destroy");
  ASSERT_TRUE(make(Json({{"do", std::string("destroy:") + GetParam().name}}).dump()));
  EXPECT_FALSE(has_children());
}

INSTANTIATE_TEST_SUITE_P(Runner, FaultsOf, ::testing::ValuesIn(kFaults),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_F(Isolated, TheNextCallStartsThePluginAgain) {
  const auto type = make();
  ASSERT_TRUE(type);
  ASSERT_FALSE((*type)->resolve({}, resource("resolve:illegal"), {}));
  const auto again = (*type)->resolve({}, resource("nothing"), {});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->id, "1");
}

/// One of many inputs that crash the plugin.
Json crashing(int number) {
  return {{"type", "faulty"}, {"do", "resolve:illegal"}, {"files", number}};
}

TEST_F(Isolated, AfterTheSecondCrashAStartWaits) {
  runners_.crashes.most_inputs = 0;
  const auto type = make();
  ASSERT_TRUE(type);
  for (int i = 0; i < 2; ++i) ASSERT_FALSE((*type)->resolve({}, crashing(i), {}));
  const auto early = (*type)->resolve({}, resource("nothing"), {});
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, Code::kUnavailable);
  EXPECT_THAT(early.error().message, HasSubstr("not started for another 1000 ms"));
  clock_.advance(1s);
  EXPECT_TRUE((*type)->resolve({}, resource("nothing"), {}));
}

TEST_F(Isolated, ThreeCrashesAreAQuarantineUntilTheFileChanges) {
  runners_.crashes.most_inputs = 0;
  {
    const auto type = make();
    ASSERT_TRUE(type);
    for (int i = 0; i < 3; ++i) {
      ASSERT_FALSE((*type)->resolve({}, crashing(i), {}));
      clock_.advance(2s);
    }
    clock_.advance(24h);
    EXPECT_THAT((*type)->resolve({}, resource("nothing"), {}).error().message,
                HasSubstr("is not started: it crashed 3 times"));
  }
  const auto refused = load();
  ASSERT_EQ(refused->problems().size(), 1u);
  EXPECT_THAT(refused->problems().front().message, HasSubstr("is not started"));

  const auto so = root_ / "plugins/faulty/faulty.so";
  const auto before = sha256_hex(*read_file(so));
  std::ofstream(so, std::ios::app) << "one more byte";
  auto manifest = *read_file(root_ / "plugins/faulty/plugin.toml");
  manifest.replace(manifest.find(before), before.size(), sha256_hex(*read_file(so)));
  std::ofstream(root_ / "plugins/faulty/plugin.toml") << manifest;
  EXPECT_TRUE(make());
}

TEST_F(Isolated, ACallIsToldThatItIsOver) {
  runners_.grace = 1h;  // it returns
  const auto type = make();
  ASSERT_TRUE(type);
  std::stop_source stop;
  std::jthread stopping([&] { stop.request_stop(); });
  const auto resolved = (*type)->resolve({.stop = stop.get_token()}, resource("patient"), {});
  ASSERT_FALSE(resolved);
  EXPECT_EQ(resolved.error().code, Code::kCancelled);
  EXPECT_EQ(resolved.error().message, "it noticed");
  const auto late = (*type)->resolve({.deadline = std::chrono::steady_clock::now() + 30ms},
                                     resource("patient"), {});
  EXPECT_EQ(late.error().code, Code::kDeadlineExceeded);
  EXPECT_TRUE((*type)->resolve({}, resource("nothing"), {}));
}

TEST_F(Isolated, ACancelledCallThatIgnoresItEndsAfterTheGraceAndIsNoCrash) {
  runners_.grace = 20ms;
  const auto type = make();
  ASSERT_TRUE(type);
  std::stop_source stop;
  stop.request_stop();
  for (std::size_t i = 0; i < 2 * CrashLimits().most; ++i) {
    const auto resolved =
        (*type)->resolve({.stop = stop.get_token()}, resource("resolve:hang"), {});
    ASSERT_FALSE(resolved);
    EXPECT_EQ(resolved.error().code, Code::kCancelled);
    EXPECT_THAT(resolved.error().message, HasSubstr("within 20 ms of its cancellation"));
  }
  EXPECT_TRUE((*type)->resolve({}, resource("nothing"), {}));
}

TEST_F(Isolated, CallsRunAtOnceAndOneHangCostsOnlyThisRunner) {
  const auto type = make();
  ASSERT_TRUE(type);
  std::stop_source stop;
  std::vector<std::jthread> patient;
  for (int i = 0; i < 20; ++i) {
    patient.emplace_back([&] {
      const auto resolved = (*type)->resolve({.stop = stop.get_token()}, resource("patient"), {});
      EXPECT_EQ(resolved.error().message, "it noticed");
    });
  }
  for (int i = 0; i < 100; ++i) ASSERT_TRUE((*type)->resolve({}, resource("nothing"), {}));
  stop.request_stop();
}

TEST_F(Isolated, MoreCallsThanTheRunnerHasThreadsEndWhenTheyAreOver) {
  const auto type = make();
  ASSERT_TRUE(type);
  std::stop_source stop;
  std::vector<std::jthread> patient;
  for (int i = 0; i < 80; ++i) {
    patient.emplace_back([&] {
      const auto resolved = (*type)->resolve({.stop = stop.get_token()}, resource("patient"), {});
      EXPECT_EQ(resolved.error().message, "it noticed");
    });
  }
  stop.request_stop();
  patient.clear();
  EXPECT_TRUE((*type)->resolve({}, resource("nothing"), {}));
}

TEST_F(Isolated, CallsThatACrashEndedAreOverWhenTheirCallersSaySo) {
  std::atomic<int> crashes = 0;
  runners_.most_apart = 4;
  runners_.crashed = [&](const std::string&) { crashes += 1; };
  const auto type = make();
  ASSERT_TRUE(type);
  std::latch waiting(8);
  std::stop_source stop;
  std::vector<std::jthread> patient;
  for (int i = 0; i < 8; ++i) {
    patient.emplace_back([&] {
      // The connection asks for the state of a call that it has sent.
      const services::Call call{.stop = stop.get_token(), .state = [&, first = true]() mutable {
                                  if (std::exchange(first, false)) waiting.count_down();
                                  return Code::kOk;
                                }};
      const auto resolved = (*type)->resolve(call, resource("patient"), {});
      ASSERT_FALSE(resolved);
      EXPECT_EQ(resolved.error().code, Code::kCancelled) << resolved.error().message;
    });
  }
  waiting.wait();
  // It may wait too until others that run apart are over.
  std::jthread crashing_one(
      [&] { EXPECT_FALSE((*type)->resolve({}, resource("resolve:illegal"), {})); });
  wait_until([&] { return crashes > 0; });
  stop.request_stop();
}

/// A hundred calls, of which the last one crashes.
void call_until_crash(plugins::ResourceType& type, const Json& works, const Json& crashes) {
  for (int i = 1; i < 100; ++i) {
    const auto resolved = type.resolve({}, works, {});
    ASSERT_TRUE(resolved) << resolved.error().message;
  }
  ASSERT_FALSE(type.resolve({}, crashes, {}));
}

/// Calls of which each hundredth crashes.
class CallsThatCrash : public Isolated {
 protected:
  void make_type() {
    const auto made = make();
    ASSERT_TRUE(made) << made.error().message;
    type_ = *made;
  }
  void crash(int times) {
    for (int i = 0; i < times; ++i) {
      const auto* const crash = i % 2 == 0 ? "resolve:illegal" : "resolve:giant";
      ASSERT_NO_FATAL_FAILURE(call_until_crash(*type_, resource("nothing"), resource(crash)));
      clock_.advance(Strikes::kWindow);
    }
  }
  std::shared_ptr<plugins::ResourceType> type_;
};

TEST_F(CallsThatCrash, LeaveNothingBehind) {
  ASSERT_NO_FATAL_FAILURE(make_type());
  const auto descriptors = open_descriptors();
  ASSERT_NO_FATAL_FAILURE(crash(10));
  ASSERT_TRUE(type_->resolve({}, resource("nothing"), {}));
  EXPECT_EQ(open_descriptors(), descriptors);
  type_.reset();
  EXPECT_FALSE(has_children());
}

TEST_F(CallsThatCrash, TakeNoMemoryForGood) {
  // A sanitizer keeps freed memory.
  if (!kLimitsMemory) GTEST_SKIP();
  constexpr std::size_t kMostGrowth = 2u << 20;
  ASSERT_NO_FATAL_FAILURE(make_type());
  ASSERT_NO_FATAL_FAILURE(crash(20));
  const auto memory = resident_memory();
  ASSERT_NO_FATAL_FAILURE(crash(80));
  EXPECT_LT(resident_memory(), memory + kMostGrowth);
}

/// The runner of a host that is killed; the host is a child of the test, which gets its children.
TEST_F(Isolated, ARunnerEndsWithItsHost) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  const pid_t host = ::fork();
  if (host == 0) {
    const auto type = make();
    if (type) ::kill(::getpid(), SIGKILL);
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(host, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the plugin was not loaded";
  // Killed with the host, or by itself where it saw the closed socket first.
  EXPECT_GT(::waitpid(-1, nullptr, 0), 0);
  EXPECT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

/// What the plugin prints is passed on, and no more than its log may have.
TEST_F(Isolated, WhatThePluginPrintsIsBounded) {
  const auto type = make();
  ASSERT_TRUE(type);
  const Fd own(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
  const auto path = root_ / "printed";
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  ::dup2(file.get(), STDERR_FILENO);
  const auto resolved = (*type)->resolve({}, resource("resolve:chatter"), {});
  ::dup2(own.get(), STDERR_FILENO);
  ASSERT_TRUE(resolved) << resolved.error().message;
  EXPECT_GT(fs::file_size(path), 0u);
  EXPECT_LT(fs::file_size(path), 4 * LogBudget::kMost);
}

TEST_F(Isolated, IsRefusedForAComponentThatMustRunInTheHost) {
  plugins::Manifest manifest;
  manifest.id = "org.example.wire";
  manifest.components = {{.kind = "quarry.transport/1", .name = "wire", .schema_file = ""}};
  const auto refused = isolate(manifest, runners_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnsupported);
  EXPECT_THAT(refused.error().message, HasSubstr("\"wire\" of kind quarry.transport/1"));
}

TEST_F(Isolated, APluginReplacedMeanwhileIsRefused) {
  const auto registry = load();
  const auto type = registry->make_resource_type("faulty", "{}");
  ASSERT_TRUE(type);
  ASSERT_FALSE((*type)->resolve({}, resource("resolve:illegal"), {}));
  const auto path = root_ / "plugins/faulty/plugin.toml";
  auto manifest = *read_file(path);
  const auto digest = registry->plugins().front().sha256;
  manifest.replace(manifest.find(digest), digest.size(), std::string(64, 'a'));
  std::ofstream(path) << manifest;
  const auto refused = (*type)->resolve({}, resource("nothing"), {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("was replaced while the host was running"));
  EXPECT_THAT(refused.error().message, Not(HasSubstr("isolated")));
}

}  // namespace
}  // namespace quarry::runner
