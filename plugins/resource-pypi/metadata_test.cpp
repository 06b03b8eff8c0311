#include "resource-pypi/metadata.h"

#include <gtest/gtest.h>

namespace quarry::resource_pypi {
namespace {

TEST(Metadata, BecomesAnOverview) {
  const auto own = read_metadata(
      "Metadata-Version: 2.1\nName: X\r\nSummary: Does\n things\nLicense: UNKNOWN\n"
      "Classifier: License :: OSI Approved :: MIT License\n"
      "Project-URL: Docs, https://x.org\nRequires-Dist: own\n\n# X\nText\n");
  const auto wheel = read_metadata("Requires-Dist: a>=1\nRequires-Dist: b\nProvides-Extra: e\n");
  const std::string text = overview({"x", "1.0", "x-1.0.tar.gz", "sha256=1", ">=3"}, own, wheel);
  for (const char* part : {"# x 1.0\n", "Does  things", "- Requires Python: >=3\n", "MIT License",
                           "- Docs: https://x.org\n", "## Dependencies\n\n- a>=1\n- b\n",
                           "## Extras\n\n- e\n", "## Description\n\n# X\nText\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find("own"), std::string::npos);
  const auto old = read_metadata("Name: X\nDescription: First\n        second\n       |third\n");
  EXPECT_EQ(old.description, "First\nsecond\nthird\n");
}

}  // namespace
}  // namespace quarry::resource_pypi
