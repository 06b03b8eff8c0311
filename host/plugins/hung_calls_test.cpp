#include "plugins/adapters.h"
#include "plugins/current_call.h"
#include "plugins/testing/hanging.h"
#include "services/log_scope.h"
#include "services/workers.h"

#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <future>
#include <iterator>
#include <latch>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::plugins {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const services::Call kNoConditions;

void describe(void* self, const quarry_call*, const quarry_reply* reply) {
  Hanging::of(self).hang_in("describe");
  say(reply, R"({"title": "Hanging", "schema": {"type": "object"}, "local": true})");
}
void normalise(void* self, const quarry_call*, quarry_text resource, const quarry_reply* reply) {
  Hanging::of(self).hang_in("normalise");
  reply->value(reply, resource);
}
void resolve(void* self, const quarry_call* call, quarry_text, quarry_text,
             const quarry_reply* reply) {
  Hanging& hanging = Hanging::of(self);
  hanging.hang_in("resolve");
  hanging.late_subject = services::LogScope::current().get();
  hanging.late_state = call->state(call);
  call->progress(call, as_text(R"({"message": "late"})"));
  say(reply, R"({"id": "1", "immutable": true})");
}
void fetch(void* self, const quarry_call* call, quarry_text resource, quarry_text, quarry_text,
           const quarry_tree* tree, const quarry_reply* reply) {
  Hanging& hanging = Hanging::of(self);
  const auto scratch = tree->scratch(tree);
  hanging.hang_in("fetch");
  const bool lent = as_view(resource).contains("scripted") && as_view(scratch) == "/scratch";
  hanging.late_status = lent ? tree->add_file(tree, as_text("a.md"), as_text("text")) : -2;
  hanging.late_state = call->state(call);
  say(reply, "{}");
}
void parse_reference(void* self, const quarry_call*, quarry_text, const quarry_reply* reply) {
  Hanging::of(self).hang_in("parse_reference");
  say(reply, "null");
}
void generate(void* self, const quarry_call*, quarry_text, const quarry_model_sink* sink) {
  Hanging& hanging = Hanging::of(self);
  sink->text(sink, as_text("before"));
  hanging.hang_in("generate");
  hanging.late_status = sink->text(sink, as_text("after"));
  sink->finish(sink, QUARRY_FINISH_STOP);
}
void rates(void* self, const quarry_call*, quarry_text, quarry_text, const quarry_reply* reply) {
  Hanging::of(self).hang_in("rates");
  say(reply, "null");
}
constexpr quarry_resource_v1 kResource{.struct_size = sizeof(quarry_resource_v1),
                                       .describe = describe,
                                       .normalise = normalise,
                                       .resolve = resolve,
                                       .fetch = fetch,
                                       .parse_reference = parse_reference};
constexpr quarry_model_v1 kModel{.struct_size = sizeof(quarry_model_v1),
                                 .describe = describe,
                                 .generate = generate,
                                 .begin = nullptr,
                                 .request = nullptr,
                                 .head = nullptr,
                                 .data = nullptr,
                                 .end = nullptr,
                                 .destroy_exchange = nullptr,
                                 .models = nullptr};
constexpr quarry_pricing_v1 kPricing{
    .struct_size = sizeof(quarry_pricing_v1), .rates = rates, .refresh = nullptr};

constexpr quarry_component kHangingResource = hanging_component(QUARRY_RESOURCE, &kResource);
constexpr quarry_component kSerialResource =
    hanging_component(QUARRY_RESOURCE, &kResource, QUARRY_SERIAL);
constexpr quarry_component kHangingModel = hanging_component(QUARRY_MODEL, &kModel);
constexpr quarry_component kHangingPricing = hanging_component(QUARRY_PRICING, &kPricing);

/// Counts files.
class CountedTree final : public Tree {
 public:
  Status add_file(std::string_view, std::string_view) override { return ++*files, Status(); }
  Status add_described(std::string_view, std::string_view, FileFacts) override { return {}; }
  Result<bool> keep_file(std::string_view) override { return false; }
  Status add_directory(const std::filesystem::path&) override { return {}; }
  [[nodiscard]] std::uint64_t file_limit() const override { return 1; }
  Status add_large(std::string_view, std::uint64_t) override { return {}; }
  Status add_link(std::string_view) override { return {}; }
  Status use_in_place(const std::filesystem::path&) override { return {}; }
  Result<std::string_view> scratch() override { return std::string_view(scratch_); }

  std::unique_ptr<int> files = std::make_unique<int>(0);

 private:
  std::string scratch_ = "/scratch";
};

class HungCalls : public HungPlugin {
 protected:
  std::shared_ptr<ResourceType> resource(const quarry_component& component = kHangingResource) {
    return adapt_resource(instance(component).value()).value();
  }
  Error resolve_late(ResourceType& type) {
    const auto resolved = type.resolve(hanging_.until_it_hangs(), {{"type", "scripted"}}, {});
    return resolved ? Error(Code::kOk, "it returned") : resolved.error();
  }
};

TEST_F(HungCalls, AreGivenUpAfterTheGraceWithAnErrorThatNamesPluginAndFunction) {
  hanging_.hangs = "resolve";
  const auto type = resource();
  const Error late = resolve_late(*type);
  EXPECT_EQ(late.code, Code::kDeadlineExceeded);
  EXPECT_THAT(late.message, AllOf(HasSubstr("plugin org.example.scripted"), HasSubstr("resolve"),
                                  HasSubstr("20 ms of its deadline")));
  EXPECT_THAT(late.hint, HasSubstr("\"org.example.scripted\" = \"process\""));
  EXPECT_THAT(abandoned_->rows(),
              ::testing::ElementsAre(AbandonedCalls::Row{"org.example.scripted", "resolve"}));
  EXPECT_EQ(abandoned_calls(), 1u);
  release();
  EXPECT_EQ(abandoned_calls(), 0u);
}

TEST_F(HungCalls, KeepTheIdsForTheirLines) {
  hanging_.hangs = "resolve";
  const auto type = resource();
  const auto subject = std::make_shared<const services::LogSubject>();
  {
    const services::LogScope scope(subject);
    resolve_late(*type);
  }
  EXPECT_EQ(services::LogScope::current(), nullptr);
  release();
  EXPECT_EQ(hanging_.late_subject, subject.get());
}

TEST_F(HungCalls, EndWithTheirCallersCancellation) {
  hanging_.hangs = "resolve";
  std::stop_source stop;
  stop.request_stop();
  const auto type = resource();
  const auto resolved = type->resolve({.stop = stop.get_token()}, {{"type", "scripted"}}, {});
  EXPECT_EQ(resolved.error().code, Code::kCancelled);
  EXPECT_THAT(resolved.error().message, HasSubstr("20 ms of its cancellation"));
}

TEST_F(HungCalls, MayUseWhatTheyWereLentUntilTheyReturnAndNothingComesOfIt) {
  hanging_.hangs = "fetch";
  int progress = 0;
  {
    CountedTree tree;
    auto call = hanging_.until_it_hangs();
    call.progress = [&](std::string_view) { ++progress; };
    const auto fetched =
        resource()->fetch(call, {{"type", "scripted"}}, {.id = "1", .display = "1"}, {}, tree);
    EXPECT_EQ(fetched.error().code, Code::kDeadlineExceeded);
    EXPECT_EQ(*tree.files, 0);
  }
  release();
  EXPECT_EQ(hanging_.late_status, QUARRY_CANCELLED);
  EXPECT_EQ(hanging_.late_state, QUARRY_CANCELLED);
  EXPECT_EQ(progress, 0);
}

TEST_F(HungCalls, OfAModelEndTheStepOnce) {
  hanging_.hangs = "generate";
  RecordedSink sink;
  const auto model = adapt_model(instance(kHangingModel).value()).value();
  model->generate(hanging_.until_it_hangs(), "{}", sink);
  release();
  ASSERT_THAT(sink.events, SizeIs(2));
  EXPECT_EQ(sink.events[0], "text before");
  EXPECT_THAT(sink.events[1],
              AllOf(HasSubstr("error plugin org.example.scripted"), HasSubstr("generate")));
  EXPECT_EQ(sink.last_error.code, Code::kDeadlineExceeded);
  EXPECT_EQ(hanging_.late_status, QUARRY_CANCELLED);
}

TEST_F(HungCalls, WhoseInstanceOutlivesItsUsersKeepIt) {
  hanging_.hangs = "resolve";
  resolve_late(*resource());
  EXPECT_EQ(hanging_.destroyed, 0);
  release();
  hanging_.destroyed.wait(0);
  EXPECT_EQ(hanging_.destroyed, 1);
}

TEST_F(HungCalls, MakeThePluginRefusedWhenThereAreTooMany) {
  hanging_.hangs = "resolve";
  const auto type = resource();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(resolve_late(*type).code, Code::kDeadlineExceeded);
  const auto refused = type->normalise(kNoConditions, {{"type", "scripted"}});
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
  EXPECT_THAT(refused.error().message,
              HasSubstr("plugin org.example.scripted is not called: 8 of its calls were given up"));
  EXPECT_THAT(refused.error().hint, HasSubstr("restart the host"));
  release();
  EXPECT_TRUE(type->normalise(kNoConditions, {{"type", "scripted"}}));
}

TEST_F(HungCalls, OfOnePluginDoNotStopWorkers) {
  hanging_.hangs = "resolve";
  const auto type = resource();
  std::latch returned(10);
  services::WorkerPool workers(1);
  for (int i = 0; i < 10; ++i) {
    workers.submit([&] {
      static_cast<void>(type->resolve(kNoConditions, {{"type", "scripted"}}, {}));
      returned.count_down();
    });
  }
  std::latch others(1);
  workers.submit([&] { others.count_down(); });
  others.wait();
  EXPECT_FALSE(returned.try_wait()) << "they hang for two minutes each";
  hanging_.released.count_down();
  returned.wait();
}

TEST_F(HungCalls, ThatCreateDestroyWhatTheyCreateLate) {
  hanging_.hangs = "create";
  const auto made = std::async(std::launch::async, [&] {
                      // As Instance::create, with a limit of its own.
                      return module_->call(
                          {.function = function::kCreate,
                           .call = hanging_.until_it_hangs(),
                           .run =
                               [this](const quarry_call* call) {
                                 ReplySlot slot;
                                 void* instance = nullptr;
                                 module_->create(kHangingResource, host_, call, as_text("{}"),
                                                 &instance, slot.reply());
                               },
                           .discard = [this] { module_->destroy(kHangingResource, &hanging_); }});
                    }).get();
  EXPECT_EQ(made.error().code, Code::kDeadlineExceeded);
  release();
  EXPECT_EQ(hanging_.created, 1);
  EXPECT_EQ(hanging_.destroyed, 1);
}

TEST_F(HungCalls, OfAControlFunctionLetTheOthersFailAtOnce) {
  static constexpr PluginFunction kQuickDestroy{"destroy", 1ms, PluginFunction::Excludes::kControl};
  hanging_.hangs = "destroy";
  const auto hung = module_->call({.function = kQuickDestroy, .run = [this](const quarry_call*) {
                                     destroy_hanging(&hanging_);
                                   }});
  EXPECT_EQ(hung.error().code, Code::kDeadlineExceeded);
  EXPECT_THAT(instance(kHangingResource).error().message, HasSubstr("the last one of destroy"));
}

TEST_F(HungCalls, OfASerialComponentLetTheOthersFailAtTheirDeadline) {
  hanging_.hangs = "resolve";
  const auto type = resource(kSerialResource);
  resolve_late(*type);
  const auto busy =
      type->normalise({.deadline = std::chrono::steady_clock::now()}, {{"type", "scripted"}});
  EXPECT_THAT(busy.error().message,
              HasSubstr("org.example.scripted is not called while another call of it has not"));
  EXPECT_TRUE(type->parse_reference({}, "a")) << "which is for any thread";
  release();
  EXPECT_TRUE(type->normalise(kNoConditions, {{"type", "scripted"}}));
}

TEST_F(HungCalls, InEveryFunctionThatTheHostLimitsAreGivenUp) {
  const auto type = resource();
  const auto prices = adapt_pricing(instance(kHangingPricing).value()).value();
  // At once, since each waits for a second.
  const auto begin = [&](const char* function, auto call) {
    const int hung = hanging_.hung;
    hanging_.hangs = function;
    auto error = std::async(std::launch::async, [call] { return call().error().message; });
    hanging_.hung.wait(hung);
    return error;
  };
  auto parsed = begin("parse_reference", [&] { return type->parse_reference({}, "a"); });
  auto priced = begin("rates", [&] { return prices->rates("a", "b"); });
  auto described =
      begin("describe", [&] { return adapt_resource(instance(kHangingResource).value()); });
  EXPECT_THAT(parsed.get(), HasSubstr("from parse_reference"));
  EXPECT_THAT(priced.get(), HasSubstr("from rates"));
  EXPECT_THAT(described.get(), HasSubstr("from describe"));
  EXPECT_THAT(abandoned_->rows(), SizeIs(3));
}

TEST(WorkerShare, IsOnlyOfWorkers) {
  WorkerShare share;
  const auto taken = share.take();
  ASSERT_TRUE(taken);
  EXPECT_EQ(*taken, nullptr);
}

TEST(WorkerShare, RefusesAPluginWithManyLongCalls) {
  const auto begun = std::chrono::steady_clock::now();
  std::latch released(1);
  std::latch taken(WorkerShare::kMostLong);
  std::promise<std::optional<Error>> refused;
  WorkerShare share;
  services::WorkerPool workers(WorkerShare::kMostLong + 1);
  for (std::size_t i = 0; i < WorkerShare::kMostLong; ++i) {
    workers.submit([&] {
      const auto held = share.take(begun);
      taken.count_down();
      released.wait();
    });
  }
  taken.wait();
  workers.submit([&] {
    auto another = share.take(begun + WorkerShare::kLong - 1ms);
    EXPECT_TRUE(another) << "the others have not run for long";
    another = share.take(begun + WorkerShare::kLong);
    refused.set_value(another ? std::optional<Error>() : another.error());
  });
  const auto error = refused.get_future().get();
  released.count_down();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, Code::kResourceExhausted);
}

/// The line on standard error of a process that ends inside of a function.
class CrashReport : public ::testing::TestWithParam<int> {};

void crash_in_resolve(int signal) {
  report_crashes();
  const CurrentCall current("org.example.scripted", "resolve");
  ::raise(signal);
}

TEST_P(CrashReport, NamesPluginAndFunctionAndTheSignalStillEndsTheProcess) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(crash_in_resolve(GetParam()), ::testing::KilledBySignal(GetParam()),
              "plugin org.example.scripted ended the host in resolve, by SIG");
}

/// Standard error becomes a pipe that is full.
void fill_standard_error() {
  int ends[2];
  if (::pipe2(ends, O_NONBLOCK) != 0) std::abort();
  while (::write(ends[1], "x", 1) == 1) continue;
  ::fcntl(ends[1], F_SETFL, 0);
  ::dup2(ends[1], STDERR_FILENO);
}

TEST(CrashReportThatNobodyReads, DoesNotKeepTheProcess) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        fill_standard_error();
        crash_in_resolve(SIGILL);
      },
      ::testing::KilledBySignal(SIGILL), "");
}

INSTANTIATE_TEST_SUITE_P(Signals, CrashReport, ::testing::Values(SIGILL, SIGABRT));

TEST(ExitReport, NamesThePlugin) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        report_crashes();
        const CurrentCall current("org.example.scripted", "resolve");
        std::exit(3);
      },
      ::testing::ExitedWithCode(3), "org.example.scripted ended the host in resolve, by exit");
}

TEST(CurrentCall, IsTheInnermost) {
  const CurrentCall outer("outer", "fetch");
  {
    const CurrentCall inner("inner", "resolve");
    EXPECT_EQ(CurrentCall::get()->plugin(), "inner");
  }
  EXPECT_EQ(CurrentCall::get()->plugin(), "outer");
}

}  // namespace
}  // namespace quarry::plugins
