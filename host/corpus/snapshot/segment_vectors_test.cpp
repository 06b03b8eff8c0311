#include "corpus/snapshot/segment_vectors.h"

#include "base/file.h"
#include "corpus/index/passage_text.h"
#include "corpus/index/word_index.h"
#include "corpus/snapshot/testing/fake_encoder.h"
#include "corpus/snapshot/testing/snapshot_fixture.h"

#include <csignal>
#include <limits>
#include <unistd.h>

#include <gmock/gmock.h>
#include <sys/wait.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::size_t kAll = 1'000'000;

/// A page with sections of `count` different texts, from number `first` on.
std::string page(int first, int count) {
  std::string text;
  for (int i = first; i < first + count; ++i) {
    const std::string number = std::to_string(i);
    text += "# Section " + number + "\n\nText of part" + number + ".\n\nMore of it" + number +
            " here.\n\n";
  }
  return text;
}

class SegmentVectorsTest : public SnapshotFixture {
 protected:
  std::shared_ptr<const Snapshot> indexed(const Files& files,
                                          std::shared_ptr<const Snapshot> previous = nullptr) {
    auto made = snapshot(files, std::move(previous));
    EXPECT_TRUE(build_indexes(*made, executor_, {}));
    return made;
  }
  Result<SegmentVectors> open(const std::shared_ptr<const Snapshot>& tree, std::uint32_t segment,
                              const std::vector<fs::path>& earlier = {}) {
    return SegmentVectors::open(tree, segment, encoder_.identity(), earlier);
  }
  /// Builds the vectors of all segments.
  void build(const std::shared_ptr<const Snapshot>& tree,
             const std::vector<fs::path>& earlier = {}) {
    for (std::uint32_t i = 0; i < tree->segments().size(); ++i) {
      auto vectors = open(tree, i, earlier);
      ASSERT_TRUE(vectors) << vectors.error().message;
      const Status done = vectors->encode_next(encoder_, kAll, {});
      ASSERT_TRUE(done) << done.error().message;
      EXPECT_TRUE(vectors->is_complete());
    }
  }
  [[nodiscard]] std::string name() const { return vector_file_name(encoder_.identity()); }
  std::string bytes_of(const Snapshot& tree, std::uint32_t segment) {
    return read_file(tree.segments()[segment]->directory() / name()).value_or("(none)");
  }
  static std::size_t passages_in(const Snapshot& tree) {
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < tree.segments().size(); ++i) {
      count += tree.words(i)->table().passage_count();
    }
    return count;
  }

  InlineExecutor executor_;
  FakeEncoder encoder_;
};

TEST_F(SegmentVectorsTest, AreThereOnceTheyAreBuilt) {
  const auto tree = indexed({{"a.md", page(0, 5)}, {"b.md", page(5, 5)}});
  EXPECT_FALSE(tree->vectors(0, name()));
  build(tree);
  const auto vectors = tree->vectors(0, name());
  ASSERT_TRUE(vectors);
  EXPECT_TRUE(vectors->is_complete());
  EXPECT_EQ(encoder_.passages(), passages_in(*tree));
  EXPECT_FALSE(tree->vectors(0, vector_file_name("another encoder")));
  EXPECT_FALSE(fs::exists(tree->segments()[0]->directory() / part_file_name(name())));
}

TEST_F(SegmentVectorsTest, WaitForTheIndexOfWords) {
  EXPECT_EQ(open(snapshot({{"a.md", page(0, 3)}}), 0).error().code, Code::kNotFound);
}

TEST_F(SegmentVectorsTest, EncodeEqualTextsOnce) {
  const auto tree = indexed({{"a.md", page(0, 5)}, {"b.md", page(0, 5)}, {"c.md", page(2, 5)}});
  build(tree);
  EXPECT_EQ(encoder_.most_often(), 1u);
  EXPECT_LT(encoder_.passages(), passages_in(*tree));
  EXPECT_TRUE(tree->vectors(0, name())->is_complete());
}

TEST_F(SegmentVectorsTest, EncodeNoBlankPassage) {
  const auto tree = indexed({{"a.txt", std::string(200, '\n')}, {"b.txt", " \n"}});
  build(tree);
  EXPECT_EQ(encoder_.calls, 0u);
  EXPECT_TRUE(tree->vectors(0, name())->is_complete());
}

TEST_F(SegmentVectorsTest, OfAnEditAreThoseOfAFreshSnapshot) {
  const auto first =
      indexed({{"a.md", page(0, 20)}, {"b.md", page(20, 20)}, {"c.md", page(40, 9)}});
  build(first);
  const std::size_t before = encoder_.passages();
  // Two new sections, one removed, one moved to another file.
  const std::string edited = page(0, 7) + page(100, 2) + page(8, 12);
  const std::string other = page(20, 20) + page(7, 1);
  const std::string same = page(40, 9);
  const Files files = {{"a.md", edited}, {"b.md", other}, {"c.md", same}};
  const auto later = indexed(files, first);
  build(later, {first->directory()});
  EXPECT_EQ(encoder_.passages() - before, 2u) << "two texts are new";
  EXPECT_EQ(encoder_.most_often(), 1u);

  const auto fresh = indexed(files);
  FakeEncoder again;
  auto vectors = SegmentVectors::open(fresh, 0, again.identity(), {});
  ASSERT_TRUE(vectors->encode_next(again, kAll, {}));
  for (std::uint32_t i = 0; i < later->segments().size(); ++i) {
    const auto own = later->vectors(i, name());
    const auto texts = passage_digests(*later->segments()[i], later->words(i)->table());
    const auto expected = fresh->vectors(0, name());
    for (PassageId p = 0; p < own->passage_count(); ++p) {
      for (PassageId q = 0; q < expected->passage_count(); ++q) {
        if (expected->text(q) != texts[p]) continue;
        EXPECT_EQ(own->scale(p), expected->scale(q));
        EXPECT_TRUE(std::equal(own->rows(p), own->rows(p) + row_bytes(own->dimension()),
                               expected->rows(q)));
      }
      EXPECT_EQ(own->text(p), texts[p]);
    }
  }
}

TEST_F(SegmentVectorsTest, OfAKeptSegmentAreLinked) {
  const auto first = indexed({{"a.md", page(0, 60)}, {"b.md", page(60, 60)}});
  build(first);
  const std::size_t before = encoder_.passages();
  const auto later =
      indexed({{"a.md", page(0, 60)}, {"b.md", page(60, 60)}, {"new.md", page(200, 1)}}, first);
  ASSERT_EQ(later->segments().size(), 2u);
  build(later);
  EXPECT_EQ(encoder_.passages() - before, passages_in(*later) - passages_in(*first));
  EXPECT_TRUE(fs::equivalent(first->segments()[0]->directory() / name(),
                             later->segments()[0]->directory() / name()));
}

TEST_F(SegmentVectorsTest, AreSharedWithASnapshotMadeBeforeTheyWereBuilt) {
  const auto first = indexed({{"a.md", page(0, 60)}});
  const auto later = indexed({{"a.md", page(0, 60)}, {"new.md", page(200, 1)}}, first);
  build(first);
  share_indexes(*first, *later);
  EXPECT_TRUE(later->vectors(0, name()));
}

TEST_F(SegmentVectorsTest, CanBeSearchedWhileTheyAreBuilt) {
  const auto tree = indexed({{"a.md", page(0, 50)}});
  {
    auto vectors = open(tree, 0);
    ASSERT_TRUE(vectors->encode_next(encoder_, 10, {}));
    ASSERT_TRUE(vectors->publish());
    const auto some = tree->vectors(0, name());
    EXPECT_EQ(some->done(), 10u);
    EXPECT_EQ(tree->vectors(0, name()), some) << "mapped once";
    ASSERT_TRUE(vectors->encode_next(encoder_, 15, {}));
    ASSERT_TRUE(vectors->publish());
    EXPECT_EQ(tree->vectors(0, name())->done(), 25u);
    EXPECT_EQ(some->done(), 10u);
  }
  build(tree);
  EXPECT_TRUE(tree->vectors(0, name())->is_complete());
  EXPECT_EQ(encoder_.most_often(), 1u);
}

TEST_F(SegmentVectorsTest, AreContinuedAfterTheProcessWasKilledWhileItEncoded) {
  const auto tree = indexed({{"a.md", page(0, 40)}});
  const pid_t child = ::fork();
  if (child == 0) {
    encoder_.failure = [this](const auto&) -> std::optional<Error> {
      if (encoder_.calls == 4) ::kill(::getpid(), SIGKILL);
      return std::nullopt;
    };
    auto vectors = open(tree, 0);
    while (vectors->encode_next(encoder_, 8, {})) {
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  build(tree);
  EXPECT_EQ(encoder_.passages(), passages_in(*tree) - 3 * 8);
}

TEST_F(SegmentVectorsTest, KeepWhatWasEncodedBeforeAQuotaWasUsedUp) {
  const auto tree = indexed({{"a.md", page(0, 40)}});
  encoder_.failure = [this](const auto&) -> std::optional<Error> {
    if (encoder_.calls < 3) return std::nullopt;
    return Error{Code::kResourceExhausted, "no tokens left this month"};
  };
  {
    auto vectors = open(tree, 0);
    EXPECT_TRUE(vectors->encode_next(encoder_, 8, {}));
    EXPECT_TRUE(vectors->encode_next(encoder_, 8, {}));
    for (int i = 0; i < 2; ++i) {
      const Status third = vectors->encode_next(encoder_, 8, {});
      EXPECT_EQ(third.error().message, "no tokens left this month");
    }
    EXPECT_EQ(vectors->done(), 16u);
  }
  encoder_.failure = nullptr;
  build(tree);
  EXPECT_EQ(encoder_.passages(), passages_in(*tree));
}

TEST_F(SegmentVectorsTest, StopWhileTheEncoderWorks) {
  const auto tree = indexed({{"a.md", page(0, 4)}});
  std::stop_source stop;
  stop.request_stop();
  encoder_.hold();
  auto vectors = open(tree, 0);
  EXPECT_EQ(vectors->encode_next(encoder_, 8, stop.get_token()).error().code, Code::kCancelled);
}

TEST_F(SegmentVectorsTest, RefuseVectorsThatDoNotFit) {
  const auto tree = indexed({{"a.md", page(0, 40)}});
  auto vectors = open(tree, 0);
  encoder_.change = [](std::vector<float>& out) { out.pop_back(); };
  EXPECT_THAT(vectors->encode_next(encoder_, 7, {}).error().message, HasSubstr("for 7 texts"));
  encoder_.change = [](std::vector<float>& out) { out.clear(); };
  EXPECT_THAT(vectors->encode_next(encoder_, 7, {}).error().message, HasSubstr("0 values"));
  encoder_.change = [](std::vector<float>& out) {
    out[3] = std::numeric_limits<float>::quiet_NaN();
  };
  EXPECT_THAT(vectors->encode_next(encoder_, 7, {}).error().message, HasSubstr("finite"));
  EXPECT_EQ(vectors->done(), 0u);
  encoder_.change = nullptr;
  EXPECT_TRUE(vectors->encode_next(encoder_, 7, {}));
  encoder_.dimension = 50;
  EXPECT_THAT(vectors->encode_next(encoder_, 7, {}).error().message,
              HasSubstr("50 dimensions, and earlier ones of 48"));
  EXPECT_EQ(vectors->done(), 7u);
}

TEST_F(SegmentVectorsTest, OfAnotherEncoderAreNotTakenOver) {
  const auto tree = indexed({{"a.md", page(0, 10)}});
  build(tree);
  encoder_.set_identity("fake/2");
  encoder_.dimension = 64;
  build(tree);
  EXPECT_EQ(encoder_.most_often(), 2u);
  EXPECT_EQ(tree->vectors(0, name())->dimension(), 64u);
  encoder_.set_identity("fake/1");
  EXPECT_EQ(tree->vectors(0, name())->dimension(), 48u) << "those of both are kept";
}

TEST_F(SegmentVectorsTest, HaveNoDirectionForATextThatTheEncoderRefuses) {
  const auto tree = indexed({{"a.md", page(0, 10)}});
  encoder_.failure = [](std::span<const std::string_view> texts) -> std::optional<Error> {
    for (const std::string_view text : texts) {
      if (text.contains("part4")) return Error{Code::kInvalidArgument, "bad text"};
    }
    return std::nullopt;
  };
  build(tree);
  EXPECT_EQ(encoder_.passages(), 9u);
  EXPECT_EQ(encoder_.most_often(), 1u);
  const auto vectors = tree->vectors(0, name());
  EXPECT_EQ(vectors->scale(4), 0);
  EXPECT_GT(vectors->scale(5), 0);
}

TEST_F(SegmentVectorsTest, AreNotBuiltIfTheEncoderRefusesEveryText) {
  const auto tree = indexed({{"a.md", page(0, 10)}});
  encoder_.failure = [](const auto&) { return Error{Code::kInvalidArgument, "no such model"}; };
  auto vectors = open(tree, 0);
  EXPECT_EQ(vectors->encode_next(encoder_, 5, {}).error().message, "no such model");
  EXPECT_EQ(vectors->done(), 0u);
}

TEST_F(SegmentVectorsTest, HaveOneBuilderAtATime) {
  const auto tree = indexed({{"a.md", page(0, 10)}});
  const auto vectors = open(tree, 0);
  ASSERT_TRUE(vectors);
  EXPECT_EQ(open(tree, 0).error().code, Code::kUnavailable);
}

TEST_F(SegmentVectorsTest, ThatAreDamagedAreBuiltAgain) {
  const auto tree = indexed({{"a.md", page(0, 10)}});
  build(tree);
  const std::string good = bytes_of(*tree, 0);
  write(tree->segments()[0]->directory() / name(), "nonsense");
  const auto reopened = *Snapshot::open(tree->directory());
  EXPECT_FALSE(reopened->vectors(0, name()));
  build(reopened);
  EXPECT_EQ(bytes_of(*reopened, 0), good);
}

TEST_F(SegmentVectorsTest, OfDamagedTextAreNotBuilt) {
  const auto tree = indexed({{"a.md", page(0, 10)}});
  const fs::path text = tree->segments()[0]->directory() / "text";
  std::string changed = *read_file(text);
  changed[20] = 'X';
  write(text, changed);
  EXPECT_EQ(open(*Snapshot::open(tree->directory()), 0).error().tag, "SnapshotDamaged");
}

TEST_F(SegmentVectorsTest, EncodeAPassageWithTheHeadingsAboveIt) {
  const auto tree = indexed({{"a.md",
                              "# Options\n\nAll about options, in three lines.\n\nYes.\n\n"
                              "## retries\n\nHow often.\n\nMany lines.\n\nTruly.\n"}});
  build(tree);
  const WordTable& table = tree->words(0)->table();
  ASSERT_EQ(table.passage_count(), 2u);
  EXPECT_THAT(passage_text(*tree->segments()[0], table, 1),
              ::testing::StartsWith("Options\n## retries\n"));
}

}  // namespace
}  // namespace quarry::corpus
