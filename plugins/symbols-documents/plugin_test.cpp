#include <quarry/draft/symbols.h>
#include <quarry/testing.hpp>

#include <gtest/gtest.h>

namespace quarry::symbols_documents {
namespace {

using testing::Component;
using testing::FakeCall;
using testing::Reply;

std::string definitions(const char* component, std::string_view text) {
  const Component<quarry_symbols_v1> documents{quarry_plugin_entry_v1, QUARRY_SYMBOLS, component};
  FakeCall call;
  Reply reply;
  documents->definitions(documents.instance(), call.get(), as_text("a"), as_text(text),
                         reply.get());
  return reply.value();
}

TEST(SymbolsDocuments, NestSectionsByLevel) {
  EXPECT_EQ(definitions("markdown", "# A\n\n## B\ntext\n\n# C\n\n"),
            R"({"definitions":[["heading","A",1,1,4,-1],["heading","B",3,3,4,0],)"
            R"(["heading","C",6,6,6,-1]]})");
  EXPECT_EQ(definitions("html", "<h2>A</h2>\n<h1>B</h1>\n<h3>C</h3>\ntext"),
            R"({"definitions":[["heading","A",1,1,1,-1],["heading","B",2,2,4,-1],)"
            R"(["heading","C",3,3,4,1]]})");
}

TEST(SymbolsDocuments, ReadAnEmptyText) {
  EXPECT_EQ(definitions("markdown", ""), R"({"definitions":[]})");
  EXPECT_EQ(definitions("html", ""), R"({"definitions":[]})");
}

// Each heading once looked at all blank lines before it.
TEST(SymbolsDocuments, ReadManyHeadingsOnOneLineBelowManyBlankOnes) {
  std::string text(50'000, '\n');
  for (int i = 0; i < 20'000; ++i) text += "<h1>a</h1>";
  const std::string found = definitions("html", text);
  EXPECT_TRUE(found.ends_with(R"(,["heading","a",50001,50001,50001,-1]]})")) << found.substr(0, 80);
}

TEST(SymbolsDocuments, HaveNoReferences) {
  const Component<quarry_symbols_v1> documents{quarry_plugin_entry_v1, QUARRY_SYMBOLS, "markdown"};
  FakeCall call;
  Reply reply;
  documents->references(documents.instance(), call.get(), as_text("a"), as_text("# A\nA\n"),
                        as_text("A"), reply.get());
  EXPECT_EQ(reply.value(), R"({"lines":[]})");
}

}  // namespace
}  // namespace quarry::symbols_documents
