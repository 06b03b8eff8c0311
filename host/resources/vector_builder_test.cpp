#include "base/testing/waiting.h"
#include "corpus/snapshot/encoding.h"
#include "corpus/snapshot/segment_vectors.h"
#include "corpus/snapshot/testing/fake_encoder.h"
#include "resources/testing/setting.h"

#include <chrono>
#include <condition_variable>

#include <gmock/gmock.h>

namespace quarry::resources {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

std::string page(int first, int count) {
  std::string text;
  for (int i = first; i < first + count; ++i) {
    const std::string number = std::to_string(i);
    text += "# Section " + number + "\n\nText of part" + number + ".\n\nMore of it" + number +
            " here.\n\n";
  }
  return text;
}

/// A library that builds vectors with an encoder of the test.
class VectorBuilding : public ::testing::Test {
 protected:
  void SetUp() override {
    setting_.fake->files = {{"a.md", page(0, 40)}};
    setting_.fake->version = version_of("v1", false, "1");
    open();
  }
  void open(std::uint64_t passages_a_day = 0) {
    encoding_ = std::make_shared<corpus::Encoding>(
        [this] {
          const std::lock_guard lock(mutex_);
          return current_;
        },
        corpus::EncodingOptions{.batch = 8, .passages_a_day = passages_a_day});
    setting_.encoding = encoding_;
    setting_.open();
  }
  /// Publishes these files as the next version.
  Result<Prepared> update(const std::string& version, std::map<std::string, std::string> files) {
    setting_.fake->files = std::move(files);
    setting_.fake->version = version_of(version, false, version);
    return setting_.sync();
  }
  [[nodiscard]] std::size_t done(const Prepared& prepared) const {
    std::size_t count = 0;
    const std::string name = corpus::vector_file_name(encoder_->identity());
    for (std::uint32_t i = 0; i < prepared.snapshot->segments().size(); ++i) {
      const auto vectors = prepared.snapshot->vectors(i, name);
      if (vectors) count += vectors->done();
    }
    return count;
  }
  /// As a reload of the configuration does.
  void exchange(const std::string& identity) {
    const std::lock_guard lock(mutex_);
    current_ = encoder_ = std::make_shared<corpus::FakeEncoder>();
    encoder_->set_identity(identity);
  }
  void wait_until_paused() {
    wait_until([this] { return !encoding_->pause_reason().empty(); });
  }

  std::shared_ptr<corpus::FakeEncoder> encoder_ = std::make_shared<corpus::FakeEncoder>();
  std::mutex mutex_;
  std::shared_ptr<corpus::Encoder> current_ = encoder_;
  std::shared_ptr<corpus::Encoding> encoding_;
  Setting setting_;
};

TEST_F(VectorBuilding, HappensInTheBackgroundAfterTheIndexes) {
  encoder_->hold();
  const auto prepared = setting_.prepare();
  ASSERT_TRUE(prepared) << prepared.error().message;
  encoder_->wait_for_calls(1);
  EXPECT_TRUE(prepared->snapshot->words(0));
  EXPECT_EQ(done(*prepared), 0u);
  encoder_->release();
  wait_until([&] { return done(*prepared) == 40; });
  EXPECT_EQ(encoder_->calls, 5u);
}

TEST_F(VectorBuilding, OfAnEditEncodesWhatIsNew) {
  const auto first = setting_.prepare();
  wait_until([&] { return done(*first) == 40; });
  const auto second = update("v2", {{"a.md", page(0, 39) + page(100, 2)}, {"b.md", page(39, 1)}});
  ASSERT_TRUE(second) << second.error().message;
  wait_until([&] { return done(*second) == 42; });
  EXPECT_EQ(encoder_->passages(), 42u);
  EXPECT_EQ(encoder_->most_often(), 1u);
}

TEST_F(VectorBuilding, OfAnEditInBetweenTakesOverTheBatchThatRuns) {
  encoder_->hold();
  const auto first = setting_.prepare();
  encoder_->wait_for_calls(1);
  auto second = std::async(std::launch::async, [&] {
    return update("v2", {{"a.md", page(0, 40) + page(100, 1)}});
  });
  const auto prepared = second.get();
  ASSERT_TRUE(prepared);
  encoder_->release();
  wait_until([&] { return done(*prepared) == 41; });
  EXPECT_EQ(encoder_->most_often(), 1u);
}

TEST_F(VectorBuilding, PausesWhenAQuotaIsUsedUpAndKeepsTheReason) {
  encoder_->set_failure([this](const auto&) -> std::optional<Error> {
    if (encoder_->calls < 3) return std::nullopt;
    return Error{Code::kResourceExhausted, "no tokens left this month"};
  });
  const auto prepared = setting_.prepare();
  wait_until_paused();
  EXPECT_EQ(encoding_->pause_reason(), "no tokens left this month");
  EXPECT_EQ(done(*prepared), 16u) << "what is kept can be searched";
  EXPECT_EQ(encoder_->calls, 3u);
  encoder_->set_failure(nullptr);
  setting_.clock.advance(std::chrono::minutes(61));
  ASSERT_TRUE(update("v2", {{"a.md", page(0, 40)}, {"b.md", page(100, 1)}}));
  wait_until([&] { return encoder_->passages() == 41; });
  wait_until([&] { return encoding_->pause_reason().empty(); });
  const std::lock_guard lock(setting_.mutex);
  EXPECT_THAT(setting_.problems,
              Contains(HasSubstr("no vectors are built for now: no tokens left")));
}

TEST_F(VectorBuilding, TriesAgainLessAndLessOftenWhenTheEncoderIsUnavailable) {
  encoder_->set_failure([this](const auto&) {
    return Error{Code::kUnavailable, "refused " + std::to_string(encoder_->calls)};
  });
  ASSERT_TRUE(setting_.prepare());
  wait_until([&] { return encoding_->pause_reason() == "refused 1"; });
  setting_.clock.advance(std::chrono::seconds(11));
  ASSERT_TRUE(update("v2", {{"a.md", page(0, 41)}}));
  wait_until([&] { return encoding_->pause_reason() == "refused 2"; });
  encoder_->set_failure(nullptr);
  setting_.clock.advance(std::chrono::seconds(21));
  const auto third = update("v3", {{"a.md", page(0, 42)}});
  wait_until([&] { return done(*third) == 42; });
  EXPECT_EQ(encoding_->pause_reason(), "");
}

TEST_F(VectorBuilding, StopsAtItsDailyNumberOfPassages) {
  open(20);
  const auto prepared = setting_.prepare();
  wait_until_paused();
  EXPECT_EQ(encoding_->pause_reason(), "the 20 passages of this day are encoded");
  wait_until([&] { return done(*prepared) == 20; });
  EXPECT_EQ(encoder_->passages(), 20u);
}

TEST_F(VectorBuilding, EndsWithTheLibraryAndGoesOnWithTheNext) {
  encoder_->hold(3);
  ASSERT_TRUE(setting_.prepare());
  encoder_->wait_for_calls(3);
  setting_.library->shutdown();
  EXPECT_EQ(encoder_->passages(), 16u);
  encoder_->release();
  open();
  const auto prepared = setting_.prepare();
  wait_until([&] { return done(*prepared) == 40; });
  EXPECT_EQ(encoder_->most_often(), 1u);
}

TEST_F(VectorBuilding, DoesNotKeepASnapshotThatIsCleared) {
  encoder_->hold();
  {
    const auto prepared = setting_.prepare();
    ASSERT_TRUE(prepared);
    encoder_->wait_for_calls(1);
  }
  EXPECT_EQ(setting_.library->clear(std::nullopt).value(), 1u);
  encoder_->release();
  EXPECT_TRUE(setting_.snapshots().empty());
}

TEST_F(VectorBuilding, BeginsAgainWhenTheEncoderIsExchanged) {
  const auto prepared = setting_.prepare();
  wait_until([&] { return done(*prepared) == 40; });
  exchange("fake/2");
  encoder_->set_failure([](const auto&) {
    return Error{Code::kUnauthenticated, "the key is wrong"};
  });
  ASSERT_TRUE(setting_.prepare());
  wait_until_paused();
  exchange("fake/2");
  ASSERT_TRUE(setting_.prepare());
  wait_until([&] { return done(*prepared) == 40; });
  EXPECT_EQ(encoder_->passages(), 40u);
}

TEST_F(VectorBuilding, BeginsWhenAnEncoderIsConfigured) {
  {
    const std::lock_guard lock(mutex_);
    current_ = nullptr;
  }
  const auto prepared = setting_.prepare();
  std::promise<void> indexed;
  setting_.library->when_indexed([&] { indexed.set_value(); });
  indexed.get_future().wait();
  EXPECT_EQ(done(*prepared), 0u);
  exchange("fake/1");
  ASSERT_TRUE(setting_.prepare());
  wait_until([&] { return done(*prepared) == 40; });
}

TEST_F(VectorBuilding, TellsWhenItIsDone) {
  encoder_->hold();
  const auto prepared = setting_.prepare();
  encoder_->wait_for_calls(1);
  std::promise<void> built;
  const auto told = built.get_future();
  setting_.library->when_encoded([&] { built.set_value(); });
  EXPECT_EQ(told.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  encoder_->release();
  told.wait();
  EXPECT_EQ(done(*prepared), 40u);
  std::promise<void> again;
  setting_.library->when_encoded([&] { again.set_value(); });
  again.get_future().wait();
}

TEST_F(VectorBuilding, IsDoneForNowWhileItPauses) {
  encoder_->set_failure([](const auto&) {
    return Error{Code::kUnavailable, "connection refused"};
  });
  ASSERT_TRUE(setting_.prepare());
  wait_until_paused();
  std::promise<void> paused;
  setting_.library->when_encoded([&] { paused.set_value(); });
  paused.get_future().wait();
}

TEST_F(VectorBuilding, WithoutAnEncoderDoesNothing) {
  setting_.encoding = nullptr;
  setting_.open();
  ASSERT_TRUE(setting_.prepare());
  std::promise<void> indexed;
  setting_.library->when_indexed([&] { indexed.set_value(); });
  indexed.get_future().wait();
  std::promise<void> encoded;
  setting_.library->when_encoded([&] { encoded.set_value(); });
  encoded.get_future().wait();
  EXPECT_EQ(encoder_->calls, 0u);
}

}  // namespace
}  // namespace quarry::resources
