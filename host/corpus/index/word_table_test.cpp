#include "corpus/index/word_table.h"

#include "base/executor.h"
#include "corpus/index/word_build.h"

#include <random>
#include <thread>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

using Postings = std::vector<std::pair<PassageId, int>>;

std::string build(std::span<const Document> documents, const TermFilter* filter = nullptr) {
  InlineExecutor executor;
  return *build_word_table(documents, filter, executor, {});
}

Postings postings(const WordTable& table, std::string_view term) {
  Postings out;
  PostingCursor at = table.walk(table.find(term));
  while (at.next()) out.emplace_back(at.passage(), at.count());
  return out;
}

const Document kDocuments[] = {
    {"src/http_server.c", "int serve_request(int socket) {\n  return socket;\n}\n"},
    {"src/empty.c", ""},
    {"README.md", "# Server\n\nServes requests.\n"},
};

/// Many files with words of a small vocabulary, larger than one chunk.
std::vector<std::string> many_texts() {
  std::mt19937 random(7);
  std::vector<std::string> texts(300);
  for (std::string& text : texts) {
    for (int line = 0; line < 700; ++line) {
      text += "word" + std::to_string(random() % 5000) + " other_" + std::to_string(random() % 90) +
              "\n";
    }
  }
  return texts;
}

TEST(WordTable, FindsWhereAWordStands) {
  const std::string bytes = build(kDocuments);
  const WordTable table = *WordTable::open(bytes);
  EXPECT_EQ(table.file_count(), 3u);
  EXPECT_EQ(table.passage_count(), 2u);
  EXPECT_THAT(postings(table, "socket"), ElementsAre(Pair(0, 4))) << "the heading counts more";
  EXPECT_THAT(postings(table, "request"), ElementsAre(Pair(0, 3), Pair(1, 1)));
  EXPECT_THAT(postings(table, "serverequest"), ElementsAre());
  EXPECT_EQ(table.find("request").files, 2u);
  EXPECT_EQ(table.file_of(1), 2u);
  EXPECT_EQ(table.passages_of(1).begin, 1u);
}

TEST(WordTable, KnowsDefinedNamesAndPathWords) {
  const std::string bytes = build(kDocuments);
  const WordTable table = *WordTable::open(bytes);
  EXPECT_THAT(postings(table, "=serverequest"), ElementsAre(Pair(0, 1)));
  EXPECT_THAT(postings(table, "/http"), ElementsAre(Pair(0, 3)));
  EXPECT_THAT(postings(table, "/src"), ElementsAre(Pair(0, 1)));
  EXPECT_THAT(postings(table, "/http_server.c"), ElementsAre(Pair(0, 1)));
}

TEST(WordTable, MayBeEmpty) {
  const std::string bytes = build({});
  const Result<WordTable> table = WordTable::open(bytes);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->passage_count(), 0u);
  EXPECT_EQ(table->find("any").passages, 0u);
}

TEST(WordTable, HoldsOnlyTheTermsOfItsFilter) {
  const TermFilter filter = {"request"};
  const std::string bytes = build(kDocuments, &filter);
  const std::string all = build(kDocuments);
  const WordTable some = *WordTable::open(bytes);
  const WordTable full = *WordTable::open(all);
  EXPECT_EQ(postings(some, "request"), postings(full, "request"));
  EXPECT_TRUE(postings(some, "socket").empty());
  EXPECT_EQ(some.total_length(), full.total_length());
  EXPECT_EQ(some.length(0), full.length(0));
}

TEST(WordTable, FindsEveryWordOfManyChunks) {
  const std::vector<std::string> texts = many_texts();
  std::vector<Document> documents;
  for (const std::string& text : texts) documents.push_back({"d.txt", text});
  const std::string bytes = build(documents);
  const WordTable table = *WordTable::open(bytes);
  ASSERT_GT(bytes.size(), 1u << 20);
  for (const int n : {0, 17, 4999}) {
    const std::string word = "word" + std::to_string(n);
    std::size_t expected = 0;
    for (const std::string& text : texts) expected += text.contains(word + " ") ? 1 : 0;
    EXPECT_EQ(table.find(word).files, expected) << word;
    EXPECT_EQ(postings(table, word).size(), table.find(word).passages);
  }
}

TEST(WordTable, IsCancelledBetweenFiles) {
  std::stop_source stop;
  stop.request_stop();
  InlineExecutor executor;
  const auto built = build_word_table(kDocuments, nullptr, executor, stop.get_token());
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, Code::kCancelled);
}

TEST(DamagedWordTable, IsRefusedWhenShortened) {
  const std::string bytes = build(kDocuments);
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    const std::string part = bytes.substr(0, n);
    const auto table = WordTable::open(part);
    ASSERT_FALSE(table) << n;
    EXPECT_THAT(table.error().message, HasSubstr("is damaged"));
  }
}

/// Reads all that a table has, from a copy of exactly its size, so that the address sanitizer sees
/// a read past the end. False if it is refused or found damaged.
bool read_all(const std::string& good) {
  const auto bytes = std::make_unique<char[]>(good.size());
  std::memcpy(bytes.get(), good.data(), good.size());
  const auto table = WordTable::open({bytes.get(), good.size()});
  if (!table) return false;
  for (const std::string_view term : {"socket", "request", "=serverequest", "/src", "zzz"}) {
    for (const auto& [passage, count] : postings(*table, term)) {
      EXPECT_LT(passage, table->passage_count());
    }
  }
  for (FileId file = 0; file < table->file_count(); ++file) {
    const auto [begin, end] = table->passages_of(file);
    EXPECT_LE(begin, end);
    EXPECT_LE(end, table->passage_count());
  }
  for (PassageId p = 0; p < table->passage_count(); ++p) {
    EXPECT_LT(table->file_of(p), table->file_count());
    for (const std::uint32_t value :
         {table->offset(p), table->line(p), table->heading(p), table->context(p)}) {
      static_cast<void>(value);  // any, but it can be read
    }
  }
  return !table->is_damaged();
}

TEST(DamagedWordTable, IsNoticedWhereverABitIsWrong) {
  const std::string good = build(kDocuments);
  ASSERT_TRUE(read_all(good));
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    ASSERT_FALSE(read_all(bad)) << bit;
  }
}

/// A table whose digests are right and whose contents are not.
TEST(DamagedWordTable, NeverReadsBeyondItsBytes) {
  const std::string good = build(kDocuments);
  int readable = 0;
  for (std::size_t at = 32; at < good.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xFF}) {
      std::string forged = good;
      forged[at] = static_cast<char>(forged[at] ^ flip);
      seal_table(forged);
      if (read_all(forged)) ++readable;
    }
  }
  EXPECT_GT(readable, 0);
}

}  // namespace
}  // namespace quarry::corpus
