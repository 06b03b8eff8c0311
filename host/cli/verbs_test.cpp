#include "cli/verbs.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/command_line.h"

#include <algorithm>
#include <quarry_places.h>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::cli {
namespace {

using ::testing::HasSubstr;

/// A command line of testing/usage.txt with the text that the program prints for it.
struct Recorded {
  std::string line;  ///< words separated by spaces
  std::string text;
};

std::vector<Recorded> recorded() {
  constexpr std::string_view kPrompt = "$ quarry";
  std::vector<Recorded> out;
  const std::string file = *read_file(QUARRY_SOURCE_DIR "/host/cli/testing/usage.txt");
  for (const std::string_view line :
       split(std::string_view(file).substr(0, file.size() - 1), '\n')) {
    if (line.starts_with(kPrompt)) {
      out.push_back({std::string(trim(line.substr(kPrompt.size()))), ""});
    } else {
      out.back().text.append(line).append("\n");
    }
  }
  return out;
}

/// Usage of a command line; without text if it is accepted.
Usage usage_of(const std::string& line) {
  std::vector<std::string> words{"quarry"};
  if (!line.empty()) {
    for (const std::string_view word : split(line, ' ')) words.emplace_back(word);
  }
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  const auto parsed = parse_command_line(static_cast<int>(pointers.size()), pointers.data());
  const Usage* usage = std::get_if<Usage>(&parsed);
  return usage == nullptr ? Usage{"", 0} : *usage;
}

TEST(Verbs, PrintTheHelpAndTheMistakesThatAreRecorded) {
  for (const Recorded& expected : recorded()) {
    const Usage usage = usage_of(expected.line);
    EXPECT_EQ(usage.text, expected.text) << expected.line;
    EXPECT_EQ(usage.exit_code, expected.line.empty() || expected.line.ends_with("--help") ? 0 : 2)
        << expected.line;
  }
}

TEST(Verbs, HaveTheirHelpRecordedAndAMistake) {
  const std::vector<Recorded> all = recorded();
  CommonOptions common;
  for (const Verb& verb : all_verbs(common)) {
    EXPECT_EQ(std::ranges::count(all, verb.name + " --help", &Recorded::line), 1) << verb.name;
    EXPECT_TRUE(std::ranges::any_of(all, [&](const Recorded& each) {
      return each.line.starts_with(verb.name) && !each.line.ends_with("--help");
    })) << verb.name;
  }
}

TEST(Verbs, FollowTheVerbThatTheyAreNestedIn) {
  CommonOptions common;
  std::set<std::string> seen{""};
  for (const Verb& verb : all_verbs(common)) {
    const std::size_t space = verb.name.rfind(' ');
    EXPECT_TRUE(seen.contains(space == std::string::npos ? "" : verb.name.substr(0, space)));
    EXPECT_TRUE(seen.insert(verb.name).second) << verb.name;
  }
}

/// Address of the value that an option stores.
const void* place_of(const Option& option) {
  struct Address {
    const void* operator()(const SettingTarget& target) const { return target.settings; }
    const void* operator()(const void* target) const { return target; }
  };
  return std::visit(Address{}, option.target);
}

TEST(Verbs, StoreEachOptionInItsOwnPlace) {
  CommonOptions common;
  for (const Verb& verb : all_verbs(common)) {
    std::set<const void*> places;
    for (const Option& option : verb.options) {
      if (place_of(option) == &common.settings) continue;
      EXPECT_TRUE(places.insert(place_of(option)).second) << verb.name << " " << option.names;
    }
  }
}

std::string escaped(const std::string& option) {
  std::string out;
  for (const char c : option) out += c == '-' ? std::string("\\-") : std::string(1, c);
  return out;
}

TEST(ManPage, NamesEveryVerbAndOption) {
  const std::string page = *read_file(QUARRY_SOURCE_DIR "/host/cli/quarry.1");
  EXPECT_THAT(page, HasSubstr(escaped("--help")));
  CommonOptions common;
  for (const Verb& verb : all_verbs(common)) {
    EXPECT_THAT(page, HasSubstr(escaped(verb.name)));
    for (const Option& option : verb.options) {
      for (const std::string& name : long_names(option)) {
        EXPECT_THAT(page, HasSubstr(escaped(name))) << verb.name;
      }
    }
  }
}

}  // namespace
}  // namespace quarry::cli
