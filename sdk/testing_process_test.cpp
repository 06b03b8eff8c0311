#include <quarry/testing.hpp>
#include <quarry/testing_process.hpp>

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using quarry::as_text;
using quarry::testing::FakeCall;
using quarry::testing::RealProcesses;
using quarry::testing::Reply;

class KitProcesses : public ::testing::Test {
 protected:
  void run_shell(const char* script, const quarry_process_sink* sink) {
    const quarry_bytes arguments[] = {as_text("-c"), as_text(script)};
    spec_.struct_size = sizeof spec_;
    spec_.program = as_text("sh");
    spec_.argument_count = 2;
    spec_.arguments = arguments;
    processes_.get()->run(processes_.get(), call_.get(), &spec_, sink, reply_.get());
  }
  void run_shell(const char* script) { run_shell(script, &sink_); }

  RealProcesses processes_;
  FakeCall call_;
  Reply reply_;
  quarry_process_spec spec_{};
  std::string output_, errors_;
  quarry_process_sink sink_{sizeof sink_, this,
                            [](const quarry_process_sink* self, quarry_bytes bytes) {
                              of(self).output_ += quarry::as_view(bytes);
                              return QUARRY_OK;
                            },
                            [](const quarry_process_sink* self, quarry_bytes bytes) {
                              of(self).errors_ += quarry::as_view(bytes);
                              return QUARRY_OK;
                            }};

 private:
  static KitProcesses& of(const quarry_process_sink* self) {
    return *static_cast<KitProcesses*>(self->context);
  }
};

TEST_F(KitProcesses, LimitEachOfTheTwoStreams) {
  spec_.output_limit = 6;
  run_shell("echo 12345; echo 12345 >&2");
  EXPECT_EQ(reply_.value(), "{\"exit\":0}");
  EXPECT_EQ(output_, "12345\n");
  EXPECT_EQ(errors_, "12345\n");
}

TEST_F(KitProcesses, RefuseMoreThanTheLimitOfOneStream) {
  spec_.output_limit = 5;
  run_shell("echo 12345 >&2");
  EXPECT_EQ(reply_.failure().status, QUARRY_RESOURCE_EXHAUSTED);
}

TEST_F(KitProcesses, AddPathAndHomeIfTheyAreMissing) {
  const quarry_bytes environment[] = {as_text("HOME=/mine")};
  spec_.environment_count = 1;
  spec_.environment = environment;
  run_shell("test -n \"$PATH\" && echo $HOME");
  EXPECT_EQ(reply_.value(), "{\"exit\":0}");
  EXPECT_EQ(output_, "/mine\n");
}

TEST_F(KitProcesses, EndTheGroupWithTheProgram) {
  run_shell("sleep 1000 & echo begun");  // the pipe stays open in the background
  EXPECT_EQ(reply_.value(), "{\"exit\":0}");
  EXPECT_EQ(output_, "begun\n");
}

TEST_F(KitProcesses, DeliverOutputOfAnySizeBeforeTheEnd) {
  run_shell("head -c 1000000 /dev/zero");
  EXPECT_EQ(reply_.value(), "{\"exit\":0}");
  EXPECT_EQ(output_.size(), 1'000'000u);
}

TEST_F(KitProcesses, NeedNoSink) {
  run_shell("echo; echo >&2; kill -9 $$", nullptr);
  EXPECT_EQ(reply_.value(), "{\"signal\":9}");
}

TEST_F(KitProcesses, EndAProgramWhoseOutputIsRefused) {
  sink_.output = [](const quarry_process_sink*, quarry_bytes) { return QUARRY_INTERNAL; };
  run_shell("echo; sleep 1000");
  EXPECT_EQ(reply_.failure().status, QUARRY_CANCELLED);
}

TEST_F(KitProcesses, EndAProgramWithItsCall) {
  call_.cancel_after(2, QUARRY_DEADLINE_EXCEEDED);
  run_shell("sleep 1000");
  EXPECT_EQ(reply_.failure().status, QUARRY_DEADLINE_EXCEEDED);
}

TEST_F(KitProcesses, LeaveSignalsAsTheyAre) {
  const quarry::testing::UnchangedProcess unchanged;
  const std::string input(1 << 20, 'x');
  spec_.input = as_text(input);
  // Of the output, which is more than a pipe holds, some is read after input was refused.
  run_shell("exec <&-; head -c 100000 /dev/zero; kill -PIPE $$");
  EXPECT_EQ(reply_.value(), "{\"signal\":13}") << "it ends the program, as is usual";
  EXPECT_EQ(output_.size(), 100'000u);
}

TEST_F(KitProcesses, SayThatThereIsNoSuchProgram) {
  spec_.struct_size = sizeof spec_;
  spec_.program = as_text("no-such-program");
  processes_.get()->run(processes_.get(), call_.get(), &spec_, nullptr, reply_.get());
  EXPECT_EQ(reply_.failure().status, QUARRY_NOT_FOUND);
}

}  // namespace
