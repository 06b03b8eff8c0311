#include "resource-pypi/names.h"

#include <gtest/gtest.h>

namespace quarry::resource_pypi {
namespace {

TEST(Names, OfProjects) {
  EXPECT_EQ(normalised_name("My.-_Pkg__x"), "my-pkg-x");
  for (const char* good : {"a", "A9", "zope.interface", "a_b-c.d"}) {
    EXPECT_TRUE(is_project_name(good));
  }
  for (const char* bad : {"", "-a", "a-", "a/b", "a b", ".", "..", "a?b", "\xc3\xbc"}) {
    EXPECT_FALSE(is_project_name(bad)) << bad;
  }
}

TEST(Names, OfFiles) {
  const auto sdist = file_name("My-Pkg-1.0rc1.tar.gz", "my-pkg");
  ASSERT_TRUE(sdist);
  EXPECT_EQ(sdist->version.text(), "1.0rc1");
  EXPECT_FALSE(sdist->wheel);
  const auto wheel = file_name("my_pkg-1.0-2build-cp311-abi3-manylinux_2_17_x86_64.whl", "my-pkg");
  ASSERT_TRUE(wheel);
  EXPECT_EQ(wheel->build, "2build");
  EXPECT_EQ(wheel->platform, "manylinux_2_17_x86_64");
  for (const char* other :
       {"my-pkg-extra-1.0.tar.gz", "other-1.0.tar.gz", "my-pkg-1.0.exe", "my-pkg.tar.gz",
        "my_pkg-1.0-py3-none.whl", "my_pkg-1.0-x-py3-none-any.whl", "my-pkg-x.tar.gz",
        "a/my-pkg-1.0.tar.gz", "my-pkg-1.0\n.tar.gz", ".tar.gz", "my-pkg-1.0.egg"}) {
    EXPECT_FALSE(file_name(other, "my-pkg")) << other;
  }
}

}  // namespace
}  // namespace quarry::resource_pypi
