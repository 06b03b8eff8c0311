#include "base/file.h"
#include "base/testing/test_executors.h"
#include "corpus/query/passage_reranker.h"
#include "corpus/query/search.h"
#include "corpus/query/testing/fake_reranker.h"
#include "corpus/query/testing/meaning_fixture.h"
#include "corpus/segment/segment_format.h"
#include "corpus/tools/testing/text_page.h"

#include <algorithm>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kShort = "# Short\n\nRoses.\n";
constexpr std::string_view kLong = "# Long\n\nRoses need water, and roses need light.\n";
constexpr std::string_view kCode = "int prune() {\n  return 4;\n}\n";

class RerankingTest : public MeaningFixture {
 protected:
  /// A collection of three files, reranked with `reranker_`.
  Collection reranked(Executor& calls, std::chrono::milliseconds wait = std::chrono::minutes(1)) {
    auto reranker = std::make_shared<PassageReranker>([this] { return reranker_; }, calls, wait);
    return Collection(
        {{"docs", indexed({{"a.md", kLong}, {"b.md", kShort}, {"prune.cpp", kCode}})}},
        {.reranker = std::move(reranker)});
  }
  std::vector<std::string> paths(const Collection& collection, const SearchQuery& query) {
    const auto passages = search(collection, query, executor_, {}, &note_);
    EXPECT_TRUE(passages) << passages.error().message;
    std::vector<std::string> out;
    for (const Passage& passage : passages.value_or(std::vector<Passage>())) {
      out.push_back(passage.path);
    }
    return out;
  }

  ThreadPerJob executor_;
  std::string note_;
  /// The shortest document is the best.
  std::shared_ptr<FakeReranker> reranker_ = std::make_shared<FakeReranker>(
      [](std::string_view document) { return -static_cast<double>(document.size()); });
};

TEST_F(RerankingTest, ReadsTheBeginningOfALongQuestion) {
  const Collection docs = reranked(inline_);
  const std::string start = "why roses need water ";
  paths(docs, {start + std::string(100'000, 'x'), ""});
  ASSERT_THAT(reranker_->queries(), SizeIs(1));
  EXPECT_THAT(reranker_->queries().front(), ::testing::StartsWith(start));
  EXPECT_THAT(reranker_->queries().front(), SizeIs(::testing::Le(4096u)));
}

TEST_F(RerankingTest, OrdersPassagesByTheirScores) {
  const Collection docs = reranked(inline_);
  EXPECT_THAT(paths(docs, {"why roses need water", ""}), ElementsAre("docs/b.md", "docs/a.md"));
  EXPECT_THAT(note_, IsEmpty());
  EXPECT_THAT(reranker_->queries(), ElementsAre("why roses need water"));
  EXPECT_THAT(
      reranker_->documents(),
      ElementsAre("# Long\n\nRoses need water, and roses need light.", "# Short\n\nRoses."));
  const auto passages = search(docs, {"why roses need water", ""}, executor_, {});
  EXPECT_EQ((*passages)[0].score, -15) << "that of the reranker";
  EXPECT_THAT(paths(docs, {"why roses need water", "", 1}), ElementsAre("docs/b.md"))
      << "the limit cuts the list after it is ordered";
}

TEST_F(RerankingTest, ScoresFollowTheWordsWhereTheyAreEqual) {
  reranker_ = std::make_shared<FakeReranker>([](std::string_view) { return 0.5; });
  EXPECT_THAT(paths(reranked(inline_), {"why roses need water", ""}),
              ElementsAre("docs/a.md", "docs/b.md"));
}

TEST_F(RerankingTest, IsNotAskedIfAQuestionNamesAPlaceOrWordsAloneAreWanted) {
  const Collection docs = reranked(inline_);
  EXPECT_THAT(paths(docs, {"what do a.md and roses say", ""}), SizeIs(2));
  EXPECT_THAT(paths(docs, {"where is prune() of roses", ""}), SizeIs(3));
  SearchQuery by_words{"why roses need water", ""};
  by_words.words_only = true;
  EXPECT_THAT(paths(docs, by_words), ElementsAre("docs/a.md", "docs/b.md"));
  EXPECT_THAT(paths(docs, {"hyacinth", ""}), IsEmpty()) << "nothing to score";
  EXPECT_THAT(reranker_->queries(), IsEmpty());
  reranker_ = nullptr;
  EXPECT_THAT(paths(docs, {"why roses need water", ""}), ElementsAre("docs/a.md", "docs/b.md"));
  EXPECT_THAT(note_, IsEmpty()) << "none is configured";
}

TEST_F(RerankingTest, KeepsTheOrderIfTheRerankerFails) {
  const Collection docs = reranked(inline_);
  reranker_->set_failure(Error{Code::kUnavailable, "connection refused."});
  EXPECT_THAT(paths(docs, {"why roses need water", ""}), ElementsAre("docs/a.md", "docs/b.md"));
  EXPECT_EQ(note_, "Not reranked: connection refused.");
  reranker_->set_failure(std::nullopt);
  EXPECT_THAT(paths(docs, {"why roses need water", "", 1}), ElementsAre("docs/b.md"))
      << "a failure is not remembered";
  EXPECT_THAT(note_, IsEmpty());
}

TEST_F(RerankingTest, KeepsTheOrderIfTheRerankerTakesTooLong) {
  Threads calls(1);
  const Collection docs = reranked(calls, std::chrono::milliseconds(5));
  reranker_->hold();
  EXPECT_THAT(paths(docs, {"why roses need water", "", 1}), ElementsAre("docs/a.md"));
  EXPECT_EQ(note_, "Not reranked: the passages were not scored within 5 ms.");
  reranker_->wait_for_calls(1);
  paths(docs, {"other questions of roses", ""});
  EXPECT_EQ(note_, "Not reranked: the reranker is busy with earlier questions.");
  reranker_->release();
}

TEST_F(RerankingTest, ScoresTheSamePassagesOnce) {
  const Collection docs = reranked(inline_);
  for (int i = 0; i < 3; ++i) paths(docs, {"why roses need water", ""});
  EXPECT_THAT(reranker_->queries(), SizeIs(1));
  paths(docs, {"why roses need water", "docs/a.md"});
  EXPECT_THAT(reranker_->queries(), SizeIs(2)) << "other passages";
  paths(docs, {"when roses need water", ""});
  EXPECT_THAT(reranker_->queries(), SizeIs(3)) << "another question";
  reranker_ = std::make_shared<FakeReranker>([](std::string_view) { return 1; });
  paths(docs, {"why roses need water", ""});
  EXPECT_THAT(reranker_->queries(), SizeIs(1)) << "another reranker";
}

TEST_F(RerankingTest, FollowsTheVectors) {
  std::shared_ptr<const Snapshot> snapshot =
      indexed({{"garage.md", "# Garage\n\nThe car is in repair.\n"}, {"b.md", "Mend it.\n"}});
  encoding_ = std::make_shared<Encoding>([this] { return encoder_; });
  const Collection docs({{"docs", std::move(snapshot)}},
                        {std::make_shared<QuestionEncoder>(encoding_, inline_),
                         std::make_shared<PassageReranker>([this] { return reranker_; }, inline_)});
  EXPECT_THAT(paths(docs, {"mend an automobile", ""}), ElementsAre("docs/b.md", "docs/garage.md"));
  EXPECT_THAT(reranker_->documents(), SizeIs(2)) << "one found by its meaning alone";
  encoder_->set_failure([](const auto&) { return Error{Code::kUnavailable, "no encoder"}; });
  reranker_->set_failure(Error{Code::kUnavailable, "no reranker"});
  paths(docs, {"mend a bicycle", ""});
  EXPECT_EQ(note_, "Ranked by words alone: no encoder. Not reranked: no reranker.");
}

TEST_F(RerankingTest, IsPartOfTheToolOfModels) {
  const Collection docs = reranked(inline_);
  reranker_->set_failure(Error{Code::kUnavailable, "connection refused"});
  const auto answer = text_page(search_page, docs, {{"query", "why roses need water"}}, executor_);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(*answer, HasSubstr("(Not reranked: connection refused.)"));
}

TEST_F(RerankingTest, GivesUpAWaitThatIsCancelled) {
  Threads calls(1);
  const Collection docs = reranked(calls);
  reranker_->hold();
  std::stop_source stop;
  std::thread canceller([&] {
    reranker_->wait_for_calls(1);
    stop.request_stop();
  });
  const auto passages = search(docs, {"why roses need water", ""}, executor_, stop.get_token());
  canceller.join();
  EXPECT_EQ(passages.error().code, Code::kCancelled);
  reranker_->release();
}

TEST_F(RerankingTest, StopsCallsThatRunWhenTheHostEnds) {
  Threads calls(1);
  PassageReranker reranker([this] { return reranker_; }, calls);
  reranker_->hold();
  std::thread stopper([&] {
    reranker_->wait_for_calls(1);
    reranker.stop();
  });
  const auto scores = reranker.score("question", {"document"}, {});
  stopper.join();
  EXPECT_EQ(scores.error().code, Code::kCancelled);
}

TEST_F(RerankingTest, LeavesOutADamagedFile) {
  const std::string large = std::string(kLong) + std::string(200'000, '\n');
  const auto made = indexed({{"a.md", large}, {"b.md", kShort}});
  const Collection docs(
      {{"docs", *Snapshot::open(made->directory())}},
      {.reranker = std::make_shared<PassageReranker>([this] { return reranker_; }, inline_)});
  const std::filesystem::path texts = made->segments()[0]->directory() / kTextFile;
  const Fd fd(::open(texts.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(::pwrite(fd.get(), "X", 1, 0), 1) << texts;
  paths(docs, {"why roses need water", ""});
  EXPECT_THAT(reranker_->documents(), ElementsAre("# Short\n\nRoses."));
}

}  // namespace
}  // namespace quarry::corpus
