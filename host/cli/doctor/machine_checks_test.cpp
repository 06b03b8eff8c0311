#include "cli/doctor/machine_checks.h"

#include "base/file.h"

#include <map>
#include <quarry_test.h>

#include <gmock/gmock.h>

namespace quarry::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Severity = Finding::Severity;

auto is_fault(const std::string& part) {
  return ElementsAre(AllOf(Field(&Finding::severity, Severity::kFault),
                           Field(&Finding::cause, HasSubstr(part)),
                           Field(&Finding::next, ::testing::Not(IsEmpty()))));
}
auto is_warning(const std::string& part) {
  return ElementsAre(AllOf(Field(&Finding::severity, Severity::kWarning),
                           Field(&Finding::cause, HasSubstr(part)),
                           Field(&Finding::next, ::testing::Not(IsEmpty()))));
}

struct MachineChecks : ::testing::Test {
  Environment environment() {
    return [this](const char* name) -> const char* {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    };
  }
  std::filesystem::path write(const std::string& name, const std::string& text) {
    const auto path = root / name;
    std::filesystem::create_directories(path.parent_path());
    EXPECT_TRUE(write_file_atomically(path, text));
    return path;
  }
  std::map<std::string, std::string> variables;
  const std::filesystem::path root = test_directory();
};

TEST_F(MachineChecks, AKernelThatConfinesNoPluginIsNamed) {
  EXPECT_THAT(check_sandbox(true, true), IsEmpty());
  EXPECT_THAT(check_sandbox(false, true), is_warning("Landlock"));
  EXPECT_THAT(check_sandbox(true, false), is_warning("seccomp"));
}

TEST_F(MachineChecks, AClockBeforeAFileIsWrong) {
  const auto file = write("written", "");
  const auto written = std::filesystem::last_write_time(file);
  const std::filesystem::path missing = root / "missing";
  EXPECT_THAT(check_clock({missing, file}, written), IsEmpty());
  EXPECT_THAT(check_clock({file}, written - std::chrono::minutes(5)), IsEmpty());
  EXPECT_THAT(check_clock({file}, written - std::chrono::minutes(6)), is_fault(file.string()));
}

TEST_F(MachineChecks, AProgramIsSoughtInPathAndRunnable) {
  const auto file = write("bin/kit", "#!/bin/sh\n");
  variables["PATH"] = "/nowhere:" + file.parent_path().string();
  const auto check = [&](const std::string& program) {
    return check_programs({{program, "notes"}}, environment());
  };
  EXPECT_THAT(check("kit"), is_fault("\"notes\" need the program kit"));
  EXPECT_THAT(check(file), is_fault(file.string()));
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  EXPECT_THAT(check("kit"), IsEmpty());
  EXPECT_THAT(check(file), IsEmpty());
  std::filesystem::create_directories(root / "bin/folder");
  EXPECT_THAT(check("folder"), is_fault("folder"));
  variables.clear();
  EXPECT_THAT(check("sh"), IsEmpty());
  EXPECT_THAT(check("kit"), is_fault("/usr/bin:/bin"));
}

TEST_F(MachineChecks, AProgramIsAtLeastTheOldestThatCanBeUsed) {
  const auto check = [&](const std::string& text, const std::string& oldest,
                         std::chrono::milliseconds limit = patience(std::chrono::seconds(60))) {
    const auto file = write("bin/kit", "#!/bin/sh\n" + text + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    variables["PATH"] = file.parent_path().string() + ":/usr/bin:/bin";
    return check_programs({{"kit", "notes", oldest}}, environment(), limit);
  };
  const std::string says = "echo \"kit-3 version 1.9.2. (of 2.0) $1\"";
  for (const char* oldest : {"", "1", "1.9", "1.9.2", "1.8.30"}) {
    EXPECT_THAT(check(says, oldest), IsEmpty()) << oldest;
  }
  for (const char* oldest : {"1.9.2.1", "1.9.10", "1.10", "2"}) {
    const auto found = check(says, oldest);
    EXPECT_THAT(found, is_fault("kit 1.9.2 is too old for resources of the type \"notes\""));
    EXPECT_THAT(found.front().next, HasSubstr(std::string("kit ") + oldest + " or later"));
  }
  EXPECT_THAT(check("test \"$1\" = --version && echo 1.5", "2"), is_fault("kit 1.5"));
  for (const char* silent : {"true", "echo kit 3", "echo .1 .", "exit 1", "echo 1.5 >&2"}) {
    EXPECT_THAT(check(silent, "9"), IsEmpty()) << silent;
  }
  EXPECT_THAT(check("echo 1.5; exec sleep 60", "9", std::chrono::milliseconds(20)), IsEmpty());
}

TEST_F(MachineChecks, LimitsThatAreLowAreWarnings) {
  EXPECT_THAT(check_descriptors(std::nullopt), IsEmpty());
  EXPECT_THAT(check_descriptors(4096), IsEmpty());
  EXPECT_THAT(check_descriptors(1024), is_warning("about 512 streams"));
  EXPECT_THAT(check_watches(std::nullopt), IsEmpty());
  EXPECT_THAT(check_watches(65'536), IsEmpty());
  EXPECT_THAT(check_watches(8192), is_warning("8192 directories"));
  EXPECT_THAT(check_memory(std::nullopt), IsEmpty());
  EXPECT_THAT(check_memory(512ull << 20), IsEmpty());
  EXPECT_THAT(check_memory((512ull << 20) - 1), is_warning("511 MiB"));
  EXPECT_THAT(check_address_space(std::nullopt), IsEmpty());
  EXPECT_THAT(check_address_space(16ull << 30), IsEmpty());
  EXPECT_THAT(check_address_space((16ull << 30) - 1), is_warning("16383 MiB"));
}

TEST_F(MachineChecks, ALocaleMustExistAndBeUtf8) {
  variables["LANG"] = "C.UTF-8";
  EXPECT_THAT(check_locale(environment()), IsEmpty());
  variables["LC_CTYPE"] = "C";
  EXPECT_THAT(check_locale(environment()), is_warning("\"C\""));
  variables["LC_ALL"] = "xx_YY.UTF-8";
  EXPECT_THAT(check_locale(environment()), is_warning("\"xx_YY.UTF-8\" is not installed"));
}

TEST_F(MachineChecks, AuthoritiesAreNeeded) {
  variables["SSL_CERT_FILE"] = (root / "none").string();
  EXPECT_THAT(check_authorities(environment()), is_fault("SSL_CERT_FILE"));
  variables["SSL_CERT_FILE"] = write("empty.pem", "nothing").string();
  EXPECT_THAT(check_authorities(environment()), is_fault("empty.pem"));
  variables["SSL_CERT_FILE"] = write("one.pem", "-----BEGIN CERTIFICATE-----\n").string();
  EXPECT_THAT(check_authorities(environment()), IsEmpty());
  variables["SSL_CERT_DIR"] = write("empty/x", "").parent_path().string();
  EXPECT_THAT(check_authorities(environment()), is_fault("SSL_CERT_DIR"));
  write("empty/a.pem", "-----BEGIN CERTIFICATE-----\n");
  EXPECT_THAT(check_authorities(environment()), IsEmpty());
}

TEST_F(MachineChecks, AProxyThatDoesNotListenIsNamedOnce) {
  variables["https_proxy"] = variables["all_proxy"] = "http://127.0.0.1:1";
  EXPECT_THAT(check_proxies(environment()), is_fault("https_proxy at 127.0.0.1:1"));
  variables["https_proxy"] = variables["all_proxy"] = "127.0.0.1:1";
  EXPECT_THAT(check_proxies(environment()), is_fault("connection refused"));
  variables["https_proxy"] = variables["all_proxy"] = "http://";
  EXPECT_THAT(check_proxies(environment()), is_fault("no address of a proxy"));
  variables["https_proxy"] = variables["all_proxy"] = "socks5://127.0.0.1:1";
  EXPECT_THAT(check_proxies(environment()), IsEmpty()) << "left to the requests";
}

TEST_F(MachineChecks, NamesWithoutAnAddressAreFaults) {
  EXPECT_THAT(
      check_names({"https://192.0.2.1/a", "http://[::1]:80", "http://localhost/x", "no url"}),
      IsEmpty());
  EXPECT_THAT(check_names({"https://host.invalid/a", "https://HOST.invalid/b"}),
              is_fault("host.invalid"));
}

}  // namespace
}  // namespace quarry::cli
