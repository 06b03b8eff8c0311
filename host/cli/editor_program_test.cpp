#include "cli/editor_program.h"

#include "cli/signals.h"

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace quarry::cli {
namespace {

/// The signals of a line of /proc/self/status, as "SigIgn:", that a program which runs as the
/// editor sees.
std::uint64_t signals_in(const std::string& line) {
  ::setenv("VISUAL", ("grep " + line + " /proc/self/status >").c_str(), 1);
  const auto written = text_from_editor("a draft");
  ::unsetenv("VISUAL");
  EXPECT_TRUE(written) << written.error().message;
  return written ? std::stoull(written->substr(line.size()), nullptr, 16) : ~std::uint64_t{0};
}

TEST(EditorProgram, HasTheSignalsThatThisOneBlocksAndIgnores) {
  const Signals signals;
  EXPECT_EQ(signals_in("SigBlk:"), 0u);
  const std::uint64_t ignored = signals_in("SigIgn:");
  for (const int number : {SIGPIPE, SIGXFSZ}) EXPECT_EQ(ignored >> (number - 1) & 1, 0u) << number;
}

TEST(EditorProgram, ThatFailsIsAnErrorWithItsEnd) {
  ::setenv("VISUAL", "false", 1);
  const auto written = text_from_editor("a draft");
  ::unsetenv("VISUAL");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().hint, "Set VISUAL or EDITOR to another one.");
}

}  // namespace
}  // namespace quarry::cli
