#include "base/file.h"
#include "base/testing/test_executors.h"
#include "corpus/query/search.h"
#include "corpus/query/testing/meaning_fixture.h"
#include "corpus/tools/testing/text_page.h"

#include <fcntl.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class MeaningSearchTest : public MeaningFixture {
 protected:
  static constexpr std::string_view kGarage =
      "# Garage\n\nThe car is in repair.\n\nCome back on Monday.\n";
  static constexpr std::string_view kGarden =
      "# Garden\n\nRoses need water.\n\nTulips need less.\n";
  static constexpr std::string_view kCode = "int automobile() {\n  return 4;\n}\n";

  std::vector<Passage> found(const Collection& collection, const std::string& words,
                             bool words_only = false) {
    SearchQuery query;
    query.words = words;
    query.words_only = words_only;
    auto passages = search(collection, query, executor_, {}, &note_);
    EXPECT_TRUE(passages) << passages.error().message;
    return passages.value_or(std::vector<Passage>());
  }
  std::string first(const Collection& collection, const std::string& words) {
    const auto passages = found(collection, words);
    return passages.empty() ? "(none)" : passages.front().path;
  }

  ThreadPerJob executor_;
  std::string note_;
};

TEST_F(MeaningSearchTest, FindsOtherWordsOfTheSameMeaning) {
  const Collection docs = over(indexed({{"garage.md", kGarage}, {"garden.md", kGarden}}), inline_);
  EXPECT_EQ(first(docs, "mend an automobile"), "docs/garage.md");
  EXPECT_THAT(note_, IsEmpty());
  EXPECT_THAT(found(docs, "mend an automobile", true), IsEmpty()) << "by words alone";
}

TEST_F(MeaningSearchTest, IsNotAskedIfAQuestionNamesADefinition) {
  const Collection docs = over(indexed({{"garage.md", kGarage}, {"a.cpp", kCode}}), inline_);
  const std::size_t calls = encoder_->calls;
  EXPECT_EQ(first(docs, "automobile"), "docs/a.cpp");
  EXPECT_THAT(found(docs, "where is automobile() used?"), SizeIs(1));
  EXPECT_EQ(first(docs, "what does garage.md say"), "docs/garage.md");
  EXPECT_EQ(encoder_->calls, calls);
  found(docs, "where is mechanic() used?");
  EXPECT_EQ(encoder_->calls, calls + 1) << "there is no such definition";
}

TEST_F(MeaningSearchTest, SaysHowManyPassagesHaveVectors) {
  std::string pages;
  for (int i = 0; i < 1500; ++i) {
    const std::string number = std::to_string(i);
    pages += "# Part " + number + "\n\nabout thing" + number + "\n\nand more\n\n";
  }
  const Collection docs = over(indexed({{"a.md", kGarage}, {"b.md", pages}}, 1200), inline_);
  EXPECT_EQ(first(docs, "mend an automobile"), "docs/a.md");
  EXPECT_EQ(note_, "Vectors: 1,200 of 1,501 passages.");
  encoding_->set_pause_reason("no tokens left.");
  found(docs, "mend an automobile");
  EXPECT_EQ(note_, "Vectors: 1,200 of 1,501 passages; paused: no tokens left.");
}

TEST_F(MeaningSearchTest, AnswersByWordsIfTheQuestionIsNotEncodedInTime) {
  Threads calls(1);
  const Collection docs = over(indexed({{"garage.md", kGarage}, {"garden.md", kGarden}}), calls,
                               std::chrono::milliseconds(5));
  const std::size_t before = encoder_->calls;
  encoder_->hold();
  EXPECT_EQ(first(docs, "the roses need a car"), "docs/garden.md");
  EXPECT_EQ(note_, "Ranked by words alone: the question was not encoded within 5 ms.");
  encoder_->wait_for_calls(before + 1);
  found(docs, "another question of roses");
  EXPECT_EQ(note_, "Ranked by words alone: the encoder is busy with earlier questions.");
  encoder_->release();
}

TEST_F(MeaningSearchTest, AnswersByWordsIfTheEncoderFails) {
  const Collection docs = over(indexed({{"garage.md", kGarage}}), inline_);
  encoder_->set_failure([](const auto&) {
    return Error{Code::kUnavailable, "connection refused"};
  });
  EXPECT_EQ(first(docs, "the car of Monday"), "docs/garage.md");
  EXPECT_EQ(note_, "Ranked by words alone: connection refused.");
  encoder_->set_failure(nullptr);
  EXPECT_EQ(first(docs, "the car of Monday"), "docs/garage.md");
  EXPECT_THAT(note_, IsEmpty()) << "a failure is not remembered";
  encoder_->change = [](std::vector<float>& out) {
    out[0] = std::numeric_limits<float>::infinity();
  };
  found(docs, "the car of Tuesday");
  EXPECT_THAT(note_, HasSubstr("not a finite number"));
}

TEST_F(MeaningSearchTest, EncodesAQuestionOnce) {
  const Collection docs = over(indexed({{"garage.md", kGarage}}), inline_);
  const std::size_t before = encoder_->calls;
  for (int i = 0; i < 3; ++i) found(docs, "mend an automobile");
  EXPECT_EQ(encoder_->calls, before + 1);
  for (int i = 0; i < 100; ++i) found(docs, "mend an automobile number " + std::to_string(i));
  found(docs, "mend an automobile");
  EXPECT_EQ(encoder_->calls, before + 102) << "only the latest ones are kept";
  for (int i = 40; i < 100; ++i) found(docs, "mend an automobile number " + std::to_string(i));
  EXPECT_EQ(encoder_->calls, before + 102) << "but all of them";
}

TEST_F(MeaningSearchTest, UsesNoVectorsOfAnotherEncoder) {
  const Collection docs = over(indexed({{"garage.md", kGarage}}), inline_);
  encoder_->set_identity("fake/2");
  EXPECT_EQ(first(docs, "mend an automobile"), "(none)");
  EXPECT_EQ(note_, "Vectors: 0 of 1 passages.");
}

TEST_F(MeaningSearchTest, UsesNoVectorsOfAnotherDimension) {
  const Collection docs = over(indexed({{"garage.md", kGarage}}), inline_);
  encoder_->dimension = 64;
  EXPECT_EQ(first(docs, "mend an automobile"), "(none)");
}

TEST_F(MeaningSearchTest, LooksOnlyBeneathThePath) {
  const Collection docs =
      over(indexed({{"a/garage.md", kGarage}, {"b/garden.md", kGarden}}), inline_);
  SearchQuery query;
  query.words = "mend an automobile, water roses";
  query.path = "docs/b";
  const auto passages = search(docs, query, executor_, {});
  ASSERT_THAT(*passages, SizeIs(1));
  EXPECT_EQ(passages->front().path, "docs/b/garden.md");
}

TEST_F(MeaningSearchTest, HasTheSameOrderWhateverTheThreads) {
  std::string pages;
  for (int i = 0; i < 400; ++i) {
    const std::string number = std::to_string(i);
    pages += "# Part " + number + "\n\nThe car " + number + " of type " + std::to_string(i % 7) +
             "\n\nand more\n\n";
  }
  const auto made = indexed({{"a.md", pages}, {"b.md", pages.substr(pages.size() / 2)}});
  const Collection docs = over(made, inline_);
  const SearchQuery query{"vehicle type 3", "", 50};
  const auto one = search(docs, query, inline_, {});
  const auto many = search(docs, query, executor_, {});
  ASSERT_EQ(one->size(), many->size());
  for (std::size_t i = 0; i < one->size(); ++i) {
    EXPECT_EQ((*one)[i].path, (*many)[i].path);
    EXPECT_EQ((*one)[i].start_line, (*many)[i].start_line);
    EXPECT_EQ((*one)[i].score, (*many)[i].score);
  }
  const auto few = search(docs, {"vehicle type 3", "", 5}, inline_, {});
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ((*few)[i].start_line, (*one)[i].start_line) << "the limit cuts one list";
  }
}

TEST_F(MeaningSearchTest, GoesOnWithoutVectorsThatAreDamagedWhileTheyAreOpen) {
  const auto made = indexed({{"garage.md", kGarage}, {"garden.md", kGarden}});
  std::vector<Damage> reports;
  const Collection docs =
      over(*Snapshot::open(made->directory(), [&](Damage damage) { reports.push_back(damage); }),
           inline_);
  EXPECT_EQ(first(docs, "mend an automobile"), "docs/garage.md");
  const fs::path file = made->segments()[0]->directory() / vector_file_name(encoder_->identity());
  const Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  const auto rows = static_cast<off_t>(fs::file_size(file) - 2 * row_bytes(256));
  ASSERT_EQ(::pwrite(fd.get(), "X", 1, rows), 1);
  EXPECT_EQ(first(docs, "mend the automobile"), "(none)");
  EXPECT_EQ(first(docs, "water for roses"), "docs/garden.md");
  EXPECT_THAT(reports, ::testing::ElementsAre(Damage::kIndex));
  EXPECT_FALSE(fs::exists(file));
  EXPECT_EQ(note_, "Vectors: 0 of 2 passages.");
}

TEST_F(MeaningSearchTest, GoesOnWhereverTheFileOfVectorsIsCutOrZeroed) {
  const auto made = indexed({{"garage.md", kGarage}, {"garden.md", kGarden}});
  const fs::path file = made->segments()[0]->directory() / vector_file_name(encoder_->identity());
  const std::string good = *read_file(file);
  constexpr std::size_t kPieces = 12;
  for (const bool open_before : {false, true}) {
    for (const bool cut : {false, true}) {
      for (std::size_t i = 0; i < kPieces; ++i) {
        write(file, good);
        const Collection docs = over(*Snapshot::open(made->directory()), inline_);
        if (open_before) {
          EXPECT_EQ(first(docs, "mend an automobile"), "docs/garage.md");
        }
        const std::size_t at = good.size() * i / kPieces;
        const Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
        const std::string zeros(good.size() / kPieces, '\0');
        ASSERT_GT(::pwrite(fd.get(), zeros.data(), zeros.size(), static_cast<off_t>(at)), 0);
        if (cut) fs::resize_file(file, at);
        for (int again = 0; again < 2; ++again) {
          EXPECT_EQ(first(docs, "water for roses"), "docs/garden.md") << at;
          found(docs, "mend an automobile");
        }
      }
    }
  }
}

TEST_F(MeaningSearchTest, IsPartOfTheToolOfModels) {
  const Collection docs =
      over(indexed({{"garage.md", kGarage}, {"garden.md", kGarden}}, 1), inline_);
  const auto answer = text_page(search_page, docs, {{"query", "mend an automobile"}}, executor_);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(*answer, HasSubstr("docs/garage.md:1: "));
  EXPECT_THAT(*answer, HasSubstr("(Vectors: 1 of 2 passages.)"));
}

TEST_F(MeaningSearchTest, IsCancelledWhileItWaitsForTheEncoder) {
  Threads calls(1);
  const Collection docs = over(indexed({{"garage.md", kGarage}}), calls);
  const std::size_t before = encoder_->calls;
  encoder_->hold();
  std::stop_source stop;
  std::thread canceller([&] {
    encoder_->wait_for_calls(before + 1);
    stop.request_stop();
  });
  const auto passages = search(docs, {"mend an automobile", ""}, executor_, stop.get_token());
  canceller.join();
  EXPECT_EQ(passages.error().code, Code::kCancelled);
  encoder_->release();
}

TEST_F(MeaningSearchTest, IsCorrectWhileVectorsAreBuilt) {
  std::string pages;
  for (int i = 0; i < 200; ++i) {
    const std::string number = std::to_string(i);
    pages += "# Part " + number + "\n\nword" + number + " alone\n\nand more\n\n";
  }
  const auto made = indexed({{"a.md", kGarage}, {"b.md", pages}}, 1);
  const Collection docs = over(made, inline_);
  std::thread builder([&] {
    auto vectors = SegmentVectors::open(made, 0, encoder_->identity(), {});
    while (!vectors->is_complete()) {
      EXPECT_TRUE(vectors->encode_next(*encoder_, 10, {}));
      EXPECT_TRUE(vectors->publish());
    }
  });
  std::size_t done = 0;
  do {
    EXPECT_EQ(first(docs, "mend an automobile"), "docs/a.md");
    const auto vectors = made->vectors(0, vector_file_name(encoder_->identity()));
    EXPECT_GE(vectors->done(), done);
    done = vectors->done();
  } while (done < 201);
  builder.join();
}

}  // namespace
}  // namespace quarry::corpus
