#include "corpus/text/notebook.h"

#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

// vitali87/croft#180: code, counts and outputs are wanted, not the JSON around them
TEST(Notebook, ShowsTextCodeAndWhatWasPrinted) {
  EXPECT_EQ(notebook_text(R"json({"nbformat": 4, "metadata": {"language_info": {"name": "python"}},
    "cells": [
      {"cell_type": "markdown", "source": ["# Sales\n", "by month"]},
      {"cell_type": "code", "source": "total(rows)\n", "outputs": [
        {"output_type": "stream", "text": ["read 3 rows\n"]},
        {"output_type": "execute_result", "data": {"text/plain": "42"}}]},
      {"cell_type": "raw", "source": "as it is"}]})json"),
            "# Sales\nby month\n\n```python\ntotal(rows)\n```\n\n"
            "```output\nread 3 rows\n42\n```\n\nas it is\n");
}

// tarmstrong/nbdiff#13, pymc-labs/decision-lab#86: images are base64 within the JSON
TEST(Notebook, NamesImagesWithoutTheirBytes) {
  EXPECT_EQ(notebook_text(R"json({"cells": [{"cell_type": "code", "source": "plot()", "outputs": [
      {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo", "text/plain": "<Figure>"}},
      {"output_type": "error", "ename": "ValueError", "evalue": "no data", "traceback": ["x"]}]}]
})json"),
            "```\nplot()\n```\n\n```output\n<Figure>\nValueError: no data\n```\n\n"
            "[output: image/png]\n");
}

TEST(Notebook, ShowsTheBeginningOfLongOutput) {
  std::string printed;
  for (int line = 1; line <= 100; ++line) printed += std::to_string(line) + "\\n";
  const auto text = notebook_text(
      R"json({"cells": [{"cell_type": "code", "source": "run()", "outputs": [{"text": ")json" +
      printed + R"json("}]}]})json");
  EXPECT_TRUE(text->contains("\n20\n…\n```\n")) << *text;
  EXPECT_FALSE(text->contains("\n21\n"));
}

TEST(Notebook, ReadsNbformat3) {
  EXPECT_EQ(notebook_text(R"json({"nbformat": 3, "worksheets": [{"cells": [
      {"cell_type": "heading", "level": 2, "source": "Old"},
      {"cell_type": "code", "input": ["x = 1"], "outputs": [{"output_type": "pyout", "text": "1"}]}
      ]}]})json"),
            "## Old\n\n```\nx = 1\n```\n\n```output\n1\n```\n");
}

TEST(Notebook, KeepsFencesApart) {
  EXPECT_EQ(notebook_text(R"json({"cells": [{"cell_type": "code", "source": "'```'"}]})json"),
            "````\n'```'\n````\n");
}

TEST(Notebook, IsNoOtherJson) {
  EXPECT_EQ(notebook_text("{}"), std::nullopt);
  EXPECT_EQ(notebook_text("[1]"), std::nullopt);
  EXPECT_EQ(notebook_text(R"json({"cells": 7})json"), std::nullopt);
  EXPECT_EQ(notebook_text("<<<<<<< HEAD"), std::nullopt) << "a conflict of a merge";
  EXPECT_EQ(
      notebook_text(
          R"json({"cells": [null, 3, {"cell_type": "code"}, {"source": [1, "a\u0000b"]}]})json"),
      "```\n```\n\na b\n");
  EXPECT_TRUE(is_notebook("a/B.IPYNB"));
  EXPECT_FALSE(is_notebook(".ipynb"));
}

}  // namespace
}  // namespace quarry::corpus
