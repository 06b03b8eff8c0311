#include "odd.json.h"

#include <fstream>
#include <iterator>
#include <quarry_places.h>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

extern "C" const char kOddText[];
extern "C" const unsigned long kOddSize;

namespace {

std::string file_text() {
  std::ifstream file(QUARRY_SOURCE_DIR "/tests/sdk/odd.json", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SchemaHeaders, HaveTheTextOfTheFileInCpp) {
  ASSERT_FALSE(file_text().empty());
  EXPECT_EQ(std::string_view(ODD_JSON, sizeof ODD_JSON - 1), file_text());
}

TEST(SchemaHeaders, HaveTheTextOfTheFileInC) {
  EXPECT_EQ(std::string_view(kOddText, kOddSize), "{\"schema\": " + file_text() + "}");
}

}  // namespace
