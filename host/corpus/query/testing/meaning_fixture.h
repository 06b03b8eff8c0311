#pragma once

#include "base/executor.h"
#include "corpus/query/collection.h"
#include "corpus/query/question_encoder.h"
#include "corpus/snapshot/segment_vectors.h"
#include "corpus/snapshot/testing/fake_encoder.h"
#include "corpus/snapshot/testing/snapshot_fixture.h"

#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace quarry::corpus {

/// Makes collections that are searched by meaning.
class MeaningFixture : public SnapshotFixture {
 protected:
  static constexpr std::size_t kAll = 1'000'000;

  MeaningFixture() {
    encoder_->dimension = 256;
    encoder_->meanings = {{"automobile", "car"}, {"vehicle", "car"}, {"mend", "repair"}};
  }
  /// A snapshot with its indexes, and the vectors of the first `encoded` texts.
  std::shared_ptr<const Snapshot> indexed(const Files& files, std::size_t encoded = kAll) {
    auto made = snapshot(files);
    EXPECT_TRUE(build_indexes(*made, inline_, {}));
    auto vectors = SegmentVectors::open(made, 0, encoder_->identity(), {});
    EXPECT_TRUE(vectors->encode_next(*encoder_, encoded, {}));
    EXPECT_TRUE(vectors->publish());
    return made;
  }
  /// The same over `snapshot`, with an encoder that is given `time` for a question.
  Collection over(std::shared_ptr<const Snapshot> snapshot, Executor& calls,
                  std::chrono::milliseconds time = std::chrono::minutes(1)) {
    encoding_ = std::make_shared<Encoding>([encoder = encoder_] { return encoder; },
                                           EncodingOptions{.question_time = time});
    return Collection({{"docs", std::move(snapshot)}},
                      {.encoder = std::make_shared<QuestionEncoder>(encoding_, calls)});
  }

  InlineExecutor inline_;
  std::shared_ptr<FakeEncoder> encoder_ = std::make_shared<FakeEncoder>();
  std::shared_ptr<Encoding> encoding_;
};

}  // namespace quarry::corpus
