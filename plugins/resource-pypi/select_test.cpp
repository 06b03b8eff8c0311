#include "resource-pypi/select.h"

#include <gtest/gtest.h>

namespace quarry::resource_pypi {
namespace {

class Choosing : public ::testing::Test {
 protected:
  Page page_;
  Requirement requirement_{"x", "https://i/", *Specifier::parse(""), Format::kAny, {}};

  PageFile& offer(const std::string& name) {
    PageFile file;
    file.name = name;
    file.url = *Url::parse("https://i/" + name);
    file.parts = *file_name(name, "x");
    return page_.files.emplace_back(std::move(file));
  }
  std::string chosen(std::string_view specifier = "") {
    requirement_.specifier = *Specifier::parse(specifier);
    const auto choice = choose(page_, requirement_);
    if (choice) return choice->file->name;
    EXPECT_NE(choice.failure().hint, "");
    return choice.failure().message;
  }
};

TEST_F(Choosing, SourcesComeFirst) {
  offer("x-1.0-py3-none-any.whl");
  offer("x-1.0.zip");
  offer("x-1.0.tar.gz");
  offer("x-0.9.tar.gz");
  EXPECT_EQ(chosen(), "x-1.0.tar.gz");
  requirement_.format = Format::kWheel;
  EXPECT_EQ(chosen(), "x-1.0-py3-none-any.whl");
}

TEST_F(Choosing, ANewerWheelComesBeforeOlderSources) {
  offer("x-1.0.tar.gz");
  offer("x-1.1-cp39-cp39-win_amd64.whl");
  offer("x-1.1-cp310-cp310-manylinux_2_17_x86_64.whl");
  offer("x-1.1-cp39-cp39-manylinux_2_17_x86_64.whl");
  EXPECT_EQ(chosen(), "x-1.1-cp310-cp310-manylinux_2_17_x86_64.whl");
  offer("x-1.1-py3-none-any.whl");
  EXPECT_EQ(chosen(), "x-1.1-py3-none-any.whl");
  requirement_.format = Format::kSdist;
  EXPECT_EQ(chosen(), "x-1.0.tar.gz");
}

TEST_F(Choosing, PreReleasesAreAsked) {
  offer("x-1.0.tar.gz");
  offer("x-2.0rc1.tar.gz");
  EXPECT_EQ(chosen(), "x-1.0.tar.gz");
  EXPECT_EQ(chosen(">=2.0rc1"), "x-2.0rc1.tar.gz");
  EXPECT_EQ(chosen(">1.0"), "x-2.0rc1.tar.gz") << "nothing else fulfils it (PEP 440)";
  const auto choice = choose(page_, requirement_);
  ASSERT_EQ(choice->notes.size(), 1u);
  EXPECT_NE(choice->notes[0].find("pre-release"), std::string::npos);
}

TEST_F(Choosing, YankedFilesAreForPinsAlone) {
  offer("x-1.0.tar.gz");
  auto& file = offer("x-1.1.tar.gz");
  file.yanked = true;
  file.yanked_reason = "it\nbreaks";
  EXPECT_EQ(chosen(), "x-1.0.tar.gz");
  EXPECT_EQ(chosen("==1.1"), "x-1.1.tar.gz");
  EXPECT_EQ(choose(page_, requirement_)->notes.at(0), "Version 1.1 was yanked: it breaks");
  EXPECT_NE(chosen(">=1.1").find("yanked"), std::string::npos);
}

TEST_F(Choosing, PythonExcludes) {
  offer("x-1.0.tar.gz").requires_python = ">=3.6";
  offer("x-2.0.tar.gz").requires_python = ">=3.12";
  offer("x-0.1.tar.gz").requires_python = "nonsense";
  EXPECT_EQ(chosen(), "x-2.0.tar.gz");
  requirement_.python = Version::parse("3.11");
  EXPECT_EQ(chosen(), "x-1.0.tar.gz");
  requirement_.python = Version::parse("2.7");
  EXPECT_EQ(chosen(), "x-0.1.tar.gz");
  page_.files.pop_back();
  EXPECT_EQ(chosen(), "x: no file is for Python 2.7");
}

TEST_F(Choosing, FailuresNameWhatThereIs) {
  EXPECT_NE(chosen().find("offers no file"), std::string::npos);
  page_.status = "quarantined";
  EXPECT_NE(chosen().find("quarantined"), std::string::npos);
  offer("x-1.0.tar.gz");
  EXPECT_EQ(chosen(">2"), "x: no version matches \">2\"; there are 1.0");
  requirement_.format = Format::kWheel;
  EXPECT_EQ(chosen(), "x: the index has no wheels of this project");
}

}  // namespace
}  // namespace quarry::resource_pypi
