#include "cli/terminal.h"

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>

namespace quarry::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// CSI of C1, NEL, RIGHT-TO-LEFT OVERRIDE, LINE SEPARATOR, and the C0 form of CSI.
constexpr const char* kHostile = "a\u009b2Jb\u0085c\u202ed\u2028e\x1b[2Jf";
constexpr const char* kShown = "a\\u{9b}2Jb\\u{85}c\\u{202e}d\\u{2028}e\\u{1b}[2Jf";

/// Redirects `descriptor` to a pseudo-terminal during its lifetime.
class Pty {
 public:
  explicit Pty(int descriptor) : descriptor_(descriptor), saved_(::dup(descriptor)) {
    master_ = ::posix_openpt(O_RDWR | O_NOCTTY);
    EXPECT_EQ(::grantpt(master_), 0);
    EXPECT_EQ(::unlockpt(master_), 0);
    const int slave = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
    termios raw{};
    ::tcgetattr(slave, &raw);
    ::cfmakeraw(&raw);
    ::tcsetattr(slave, TCSANOW, &raw);
    std::fflush(nullptr);
    ::dup2(slave, descriptor_);
    ::close(slave);
  }
  ~Pty() {
    std::fflush(nullptr);
    ::dup2(saved_, descriptor_);
    ::close(saved_);
    ::close(master_);
  }
  /// Output so far.
  std::string written() const {
    std::fflush(nullptr);
    EXPECT_EQ(::write(descriptor_, "", 1), 1);  // a byte of zero: the kernel passes output on later
    std::string out;
    std::array<char, 4096> bytes{};
    while (!out.ends_with('\0')) {
      const auto count = ::read(master_, bytes.data(), bytes.size());
      if (count <= 0) return out;
      out.append(bytes.data(), static_cast<std::size_t>(count));
    }
    out.pop_back();
    return out;
  }

 private:
  const int descriptor_;
  const int saved_;
  int master_ = -1;
};

TEST(Terminal, ShowsControlsAndBidiOfAnAnswerAsEscapes) {
  const Pty pty(STDOUT_FILENO);
  Terminal terminal;
  EXPECT_TRUE(terminal.out_is_terminal());
  terminal.out(std::string(kHostile) + "\n\tg");
  EXPECT_EQ(pty.written(), std::string(kShown) + "\n\tg");
}

TEST(Terminal, KeepsTheCharactersOfAnAnswerInAFile) {
  ::testing::internal::CaptureStdout();
  Terminal terminal;
  terminal.out(kHostile);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), kHostile);
}

TEST(Terminal, ARecordIsOneLineWhereverItGoes) {
  ::testing::internal::CaptureStdout();
  Terminal().out_line("name\nhint: forged\u009b");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "name\\nhint: forged\\u{9b}\n");
}

TEST(Terminal, JsonStaysJson) {
  constexpr const char* kJson = "{\"text\":\"a\u009bb\"}";
  {
    const Pty pty(STDOUT_FILENO);
    Terminal().out_json(kJson);
    EXPECT_EQ(pty.written(), "{\"text\":\"a\\u009bb\"}\n");
  }
  ::testing::internal::CaptureStdout();
  Terminal().out_json(kJson);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), std::string(kJson) + "\n");
}

TEST(Terminal, AnErrorForgesNoLineOfTheProgram) {
  ::testing::internal::CaptureStderr();
  Error error(Code::kUnavailable,
              "git: fatal\nhint: run this\rx\nerror: forged" + std::string(kHostile),
              "real\nhint: forged");
  error.details = {{"/a", "one\nhint: forged"}, {"/b\nhint: forged", "two"}};
  Terminal().error(error);
  const std::string shown = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(shown, HasSubstr("error: git: fatal\n  hint: run this\\u{d}x\n  error: forged"));
  EXPECT_THAT(shown, HasSubstr(kShown));
  EXPECT_THAT(shown, HasSubstr("\nhint: real\n  hint: forged"));
  std::size_t hints = 0;
  for (std::size_t at = 0; (at = shown.find("\nhint:", at)) != shown.npos; ++at) ++hints;
  EXPECT_EQ(hints, 1u) << shown;
}

TEST(Terminal, ANoteIsEscapedInEveryKindOfTerminal) {
  for (const char* term : {"xterm", "dumb"}) {
    ::setenv("TERM", term, 1);
    ::unsetenv("NO_COLOR");
    const Pty pty(STDERR_FILENO);
    Terminal terminal;
    terminal.note(std::string(kHostile) + "\nerror: forged", Terminal::Style::kDim);
    const std::string shown = pty.written();
    EXPECT_THAT(shown, HasSubstr(std::string(kShown) + "\n  error: forged")) << term;
    EXPECT_THAT(shown, Not(HasSubstr("\x1b[2J"))) << term;
  }
}

TEST(Terminal, AStatusLineIsOneLine) {
  ::setenv("TERM", "xterm", 1);
  const Pty pty(STDERR_FILENO);
  Terminal().status("tool\nerror: forged\u009b");
  EXPECT_THAT(pty.written(), HasSubstr("tool\\nerror: forged\\u{9b}"));
}

TEST(Terminal, AStatusLineTakesOneLineOfTheTerminalWhateverItsCharacters) {
  EXPECT_EQ(first_columns("Gr\u00fc\u00dfe", 4), "Gr\u00fc\u00df");
  EXPECT_EQ(first_columns("\u65e5\u672c\u8a9e", 5), "\u65e5\u672c") << "of two columns each";
  EXPECT_EQ(first_columns("a\U0001f680b", 2), "a");
  EXPECT_EQ(first_columns("e\u0301e\u0301e\u0301", 2), "e\u0301e\u0301") << "combining";
  EXPECT_EQ(first_columns("\ta\tb", 9), "\ta");
  EXPECT_EQ(first_columns("\u65e5", 1), "\u65e5") << "a character at least";
  EXPECT_EQ(first_columns("", 5), "");
}

TEST(Terminal, AStatusHasTheLinesThatFit) {
  ::setenv("TERM", "xterm", 1);
  const Pty pty(STDERR_FILENO);
  winsize size{};
  size.ws_col = 20;
  size.ws_row = 4;
  ASSERT_EQ(::ioctl(STDERR_FILENO, TIOCSWINSZ, &size), 0);
  Terminal terminal;
  terminal.status({"one", "two", "three", "four", "five"});
  EXPECT_THAT(pty.written(), AllOf(HasSubstr("three"), Not(HasSubstr("four"))));
  terminal.clear_status();
  EXPECT_EQ(pty.written(), "\r\x1b[K\x1b[A\x1b[K\x1b[A\x1b[K");
}

}  // namespace
}  // namespace quarry::cli
