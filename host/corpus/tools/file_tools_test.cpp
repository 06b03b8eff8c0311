#include "corpus/query/testing/collection_fixture.h"
#include "corpus/tools/tool_output.h"
#include "corpus/tools/tools.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

using namespace std::string_view_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Tool = Result<ToolResult> (*)(const Collection&, const Json&, std::stop_token);

class FileTools : public CollectionFixture {
 protected:
  static Result<ToolResult> run(Tool tool, const Collection& collection, const char* arguments) {
    return tool(collection, Json::parse(arguments), {});
  }
  static std::string output(Tool tool, const Collection& collection, const char* arguments) {
    auto result = run(tool, collection, arguments);
    EXPECT_TRUE(result) << result.error().message;
    if (!result) return {};
    EXPECT_LE(result->output.size(), kMostOutputBytes);
    EXPECT_TRUE(Json::accept(result->metadata));
    return result->output;
  }
  static Error refusal(Tool tool, const Collection& collection, const char* arguments) {
    const auto result = run(tool, collection, arguments);
    return result ? Error{Code::kOk, result->output} : result.error();
  }
  Collection docs() {
    return collection("docs", {{"README.md", "# Hello\n"},
                               {"guide/start.md", "one\ntwo\n"},
                               {"guide/deep/more.md", "x"},
                               {"logo.png", "\0\1"sv}});
  }
};

// nodejs/node#2165, rfjakob/gocryptfs#992, unmade/shelf-back#50
TEST_F(FileTools, FindNamesInComposedAndDecomposedCharacters) {
  const auto all = collection(
      "r", {{"caf\u00E9.md", "composed\n"}, {"u\u0308ber/e\u0301t\u00E9.md", "mixed\n"}});
  EXPECT_THAT(output(run_read, all, R"({"path":"r/cafe\u0301.md"})"), HasSubstr("composed"));
  EXPECT_THAT(output(run_read, all, R"({"path":"r/\u00fcber/\u00e9te\u0301.md"})"),
              HasSubstr("mixed"));
  EXPECT_THAT(output(run_list, all, R"({"path":"r/\u00fcber"})"), HasSubstr("t\u00E9.md"));
  EXPECT_THAT(output(run_glob, all, R"({"pattern":"**/*\u00e9.md"})"), HasSubstr("2 files"));
  EXPECT_EQ(refusal(run_read, all, R"({"path":"r/cafe.md"})").code, Code::kNotFound);
}

std::string lines(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

TEST_F(FileTools, ListShowsOneDirectory) {
  const Collection all = docs();
  EXPECT_EQ(output(run_list, all, "{}"), "docs/  4 files\n\n(1 in /)\n");
  EXPECT_EQ(output(run_list, all, R"({"path":"docs"})"),
            "README.md  1 line\nguide/  2 files\nlogo.png  binary, 2 B\n\n(3 in docs/)\n");
  EXPECT_EQ(output(run_list, all, R"({"path":"docs/guide/"})"),
            "deep/  1 file\nstart.md  2 lines\n\n(2 in docs/guide/)\n");
}

TEST_F(FileTools, ListSaysWhatIsNoDirectory) {
  const Collection all = docs();
  const Error file = refusal(run_list, all, R"({"path":"docs/README.md"})");
  EXPECT_EQ(file.code, Code::kInvalidArgument);
  EXPECT_THAT(file.message, HasSubstr("is a file"));
  EXPECT_THAT(file.hint, HasSubstr("read"));
  const Error slip = refusal(run_list, all, R"({"path":"docs/guid"})");
  EXPECT_EQ(slip.code, Code::kNotFound);
  EXPECT_THAT(slip.message, HasSubstr("did you mean \"docs/guide\""));
}

TEST_F(FileTools, ListStopsAtALimitAndSaysSo) {
  auto writer = *SnapshotWriter::create(new_directory(), {}, {});
  for (int i = 0; i < 3000; ++i) EXPECT_TRUE(writer->add("file" + std::to_string(i), "x"));
  const Collection all({{"big", *writer->finish()}});
  const auto result = run(run_list, all, R"({"path":"big"})");
  EXPECT_THAT(result->output, HasSubstr("3000 in big/; the last 2000 are not shown"));
  EXPECT_EQ(Json::parse(result->metadata)["truncated"], true);
}

TEST_F(FileTools, GlobFindsFilesAlsoAtTheRoot) {
  const Collection all = docs();
  EXPECT_EQ(output(run_glob, all, R"({"pattern":"**/*.md"})"),
            "docs/README.md\ndocs/guide/deep/more.md\ndocs/guide/start.md\n\n(3 files)\n");
  EXPECT_THAT(output(run_glob, all, R"({"pattern":"*.md","path":"docs/guide"})"),
              StartsWith("docs/guide/deep/more.md\ndocs/guide/start.md\n"));
  EXPECT_THAT(output(run_glob, all, R"({"pattern":"docs/*.md"})"),
              StartsWith("docs/README.md\n\n"));
  EXPECT_THAT(output(run_glob, all, R"({"pattern":"*.rs"})"), HasSubstr("No file fits *.rs"));
}

TEST_F(FileTools, GlobStopsAtItsLimitAndCountsTheRest) {
  const auto result = run(run_glob, docs(), R"({"pattern":"*","limit":1})");
  EXPECT_THAT(result->output, HasSubstr("4 files; only the first 1 are shown"));
  EXPECT_EQ(result->title, "glob *: 4 files");
  EXPECT_EQ(Json::parse(result->metadata), (Json{{"files", 4}, {"truncated", true}}));
}

TEST_F(FileTools, GlobNamesTheFieldOfABadPattern) {
  const Error error = refusal(run_glob, docs(), R"({"pattern":"a{b"})");
  EXPECT_EQ(error.code, Code::kInvalidArgument);
  EXPECT_THAT(error.message, StartsWith("pattern: "));
}

TEST_F(FileTools, ReadNumbersLines) {
  EXPECT_EQ(output(run_read, docs(), R"({"path":"docs/guide/start.md"})"),
            "     1\tone\n     2\ttwo\n\n(End of the file, line 2.)\n");
  EXPECT_THAT(output(run_read, collection("dos", {{"a", "one\r\ntwo\r\n"}}), R"({"path":"a"})"),
              StartsWith("     1\tone\n     2\ttwo\n"));
}

TEST_F(FileTools, ReadSaysHowToGoOn) {
  const std::string text = lines(5000);
  const Collection all = collection("docs", {{"long", text}});
  EXPECT_THAT(output(run_read, all, R"({"path":"docs/long","offset":101,"limit":2})"),
              AllOf(StartsWith("   101\tline 101\n   102\tline 102\n"),
                    EndsWith("(Lines 101-102 of 5000. Go on with offset=103.)\n")));
  EXPECT_THAT(output(run_read, all, R"({"path":"docs/long"})"),
              HasSubstr("(Lines 1-2000 of 5000. Go on with offset=2001.)"));
  const auto result = run(run_read, all, R"({"path":"docs/long","offset":4999})");
  EXPECT_EQ(result->title, "read docs/long, lines 4999-5000");
  EXPECT_EQ(Json::parse(result->metadata)["truncated"], false);
}

TEST_F(FileTools, ReadStaysBelowItsBytesAndGoesOnWhereItStopped) {
  const std::string line(999, 'x');
  std::string text;
  for (int i = 0; i < 200; ++i) text += line + "\n";
  const Collection all = collection("docs", {{"wide", text}});
  std::uint32_t next = 1;
  int calls = 0;
  for (; next <= 200; ++calls) {
    const Json arguments = {{"path", "docs/wide"}, {"offset", next}};
    const auto facts = Json::parse(run_read(all, arguments, {})->metadata);
    EXPECT_EQ(facts["start"], next);
    next = facts["end"].get<std::uint32_t>() + 1;
  }
  EXPECT_EQ(calls, 4);
}

TEST_F(FileTools, ReadCutsLongLinesByCharacters) {
  std::string wide;
  for (int i = 0; i < 2001; ++i) wide += "é";
  const Collection all = collection("docs", {{"wide", wide + "\nnext"}});
  const std::string text = output(run_read, all, R"({"path":"docs/wide"})");
  EXPECT_THAT(text, HasSubstr("é… (cut; the line has 2001 characters)\n     2\tnext"));
}

TEST_F(FileTools, ReadSaysWhatHasNoLines) {
  const Collection all = collection("docs", {{"empty", ""}, {"logo.png", "\0\1"sv}});
  EXPECT_EQ(output(run_read, all, R"({"path":"docs/empty"})"), "(docs/empty is empty.)\n");
  EXPECT_THAT(output(run_read, all, R"({"path":"docs/logo.png"})"),
              HasSubstr("docs/logo.png is a binary file of 2 B"));
}

TEST_F(FileTools, ReadNamesNearFilesForAMissingOne) {
  const Collection all = docs();
  const auto message = [&](const char* arguments) {
    const Error error = refusal(run_read, all, arguments);
    EXPECT_EQ(error.code, Code::kNotFound);
    return error.message;
  };
  EXPECT_THAT(message(R"({"path":"docs/guide/strat.md"})"), HasSubstr("\"docs/guide/start.md\"?"));
  EXPECT_THAT(message(R"({"path":"docs/more.md"})"), HasSubstr("\"docs/guide/deep/more.md\"?"));
  EXPECT_THAT(message(R"({"path":"docs/nowhere/at-all"})"), Not(HasSubstr("did you mean")));
}

TEST_F(FileTools, ReadExplainsItsRefusals) {
  const Collection all = docs();
  EXPECT_THAT(refusal(run_read, all, R"({"path":"docs/guide"})").message,
              HasSubstr("is a directory"));
  EXPECT_THAT(refusal(run_read, all, R"({"path":"/"})").message, HasSubstr("is a directory"));
  EXPECT_THAT(refusal(run_read, all, R"({"path":"docs/README.md","offset":2})").message,
              HasSubstr("offset: docs/README.md has only 1 line"));
  EXPECT_THAT(refusal(run_read, all, R"({"path":"docs/../../etc/passwd"})").message,
              HasSubstr("leaves its root"));
  EXPECT_THAT(refusal(run_read, all, R"({})").message, HasSubstr("path: is required"));
  EXPECT_THAT(refusal(run_read, all, R"({"path":"a","limit":2001})").message,
              HasSubstr("limit: must be a whole number from 1 to 2000"));
}

TEST_F(FileTools, ShowPathsOfAnyBytesAsOneLineOfUtf8) {
  const Collection all = collection("docs", {{"two\nlines\xFF", "x"}});
  EXPECT_THAT(output(run_list, all, R"({"path":"docs"})"),
              StartsWith("two?lines\xEF\xBF\xBD  1 line\n"));
  EXPECT_THAT(output(run_glob, all, R"({"pattern":"*"})"),
              StartsWith("docs/two?lines\xEF\xBF\xBD\n"));
}

TEST_F(FileTools, FindAFileByTheNameTheyShow) {
  const Collection all =
      collection("docs", {{"two\nlines\xFF", "x"}, {"why?", "y"}, {"why\n", "z"}});
  for (const char* path : {"docs/two?lines\xEF\xBF\xBD", "two?lines\xEF\xBF\xBD"}) {
    EXPECT_THAT(output(run_read, all, (R"({"path":")" + std::string(path) + "\"}").c_str()),
                HasSubstr("1\tx"));
  }
  EXPECT_THAT(output(run_read, all, R"({"path":"docs/why?"})"), HasSubstr("1\ty"));
  EXPECT_THAT(refusal(run_read, all, R"({"path":"docs/who?"})").message, HasSubstr("there is no"));
}

TEST_F(FileTools, CanBeCancelled) {
  const Collection all = docs();
  std::stop_source stop;
  stop.request_stop();
  const Json arguments = {{"path", "docs/README.md"}};
  EXPECT_EQ(run_read(all, arguments, stop.get_token()).error().code, Code::kCancelled);
  EXPECT_EQ(run_list(all, Json::object(), stop.get_token()).error().code, Code::kCancelled);
  EXPECT_EQ(run_glob(all, Json{{"pattern", "*"}}, stop.get_token()).error().code, Code::kCancelled);
}

}  // namespace
}  // namespace quarry::corpus
