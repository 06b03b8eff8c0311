#include "model-extractive/place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::extractive {
namespace {

TEST(Place, KnowsDocuments) {
  for (const char* path : {"a/README", "a/b.md", "b.rst", "c.HTML", "man/git.1"}) {
    EXPECT_TRUE(is_document(path)) << path;
  }
  for (const char* path : {"a/b.c", "md", "a.md/b.py", ""}) EXPECT_FALSE(is_document(path)) << path;
}

TEST(Place, TrustsChangeLogsLicencesTestsAndDataLess) {
  const Question question = read_question("How is a date parsed?");
  EXPECT_EQ(trust_in("t/src/date.c", question), 1);
  for (const char* path : {"t/CHANGELOG.md", "t/docs/changes.rst", "t/RelNotes/2.1.txt",
                           "t/LICENSE", "t/test/date.c", "t/src/date_test.go", "t/po/de.po",
                           "t/yarn.lock", "t/vendor/date.c", "t/.github/date.md"}) {
    EXPECT_LT(trust_in(path, question), 1) << path;
  }
}

TEST(Place, TrustsWhatTheQuestionAsksFor) {
  EXPECT_EQ(trust_in("t/test/date.c", read_question("Which test covers dates?")), 1);
  EXPECT_EQ(trust_in("t/CHANGELOG.md", read_question("What did version 2 change?")), 1);
}

TEST(Place, KnowsFillerOfCode) {
  for (const char* line : {"#include <map>", "import os", "from os import path", "use std::fmt;",
                           "package main", "const fs = require('fs')", " * Copyright 2020 A. Body",
                           "// SPDX-License-Identifier: MIT", "", "  "}) {
    EXPECT_TRUE(is_filler(line, false)) << line;
  }
  for (const char* line :
       {"int parse(void);", "// imports a date", "from here on it waits", "use the pool."}) {
    EXPECT_FALSE(is_filler(line, false)) << line;
  }
}

TEST(Place, KnowsFillerOfDocuments) {
  for (const char* line :
       {"- [Dates](#dates)", "  * [A b](#a-b)", "<a id=\"dates\"></a>", "[[dates]]"}) {
    EXPECT_TRUE(is_filler(line, true)) << line;
  }
  for (const char* line : {"- [Dates](dates.md) are texts", "import the module", "A text."}) {
    EXPECT_FALSE(is_filler(line, true)) << line;
  }
}

}  // namespace
}  // namespace quarry::extractive
