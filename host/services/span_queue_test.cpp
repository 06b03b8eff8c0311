#include "services/span_queue.h"

#include <gtest/gtest.h>

namespace quarry::services {
namespace {

using Added = SpanQueue::Added;

TEST(SpanQueue, TellsOfTheFirstAndOfAFullBatch) {
  SpanQueue queue({.spans = 10, .batch = 3});
  EXPECT_EQ(queue.add("1"), Added::kFirst);
  EXPECT_EQ(queue.add("2"), Added::kQueued);
  EXPECT_FALSE(queue.has_full_batch());
  EXPECT_EQ(queue.add("3"), Added::kFillsBatch);
  EXPECT_EQ(queue.add("4"), Added::kQueued);
  EXPECT_TRUE(queue.has_full_batch());
  const auto batch = queue.take();
  EXPECT_EQ(batch.spans, "1,2,3");
  EXPECT_EQ(batch.count, 3u);
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(queue.take().spans, "4");
  EXPECT_EQ(queue.take().count, 0u);
  EXPECT_EQ(queue.add("5"), Added::kFirst);
}

TEST(SpanQueue, DropsWhatIsTooMuch) {
  SpanQueue queue({.spans = 2, .bytes = 5});
  EXPECT_EQ(queue.add("123456"), Added::kDropped);
  EXPECT_EQ(queue.add("1234"), Added::kFirst);
  EXPECT_EQ(queue.add("12"), Added::kDropped);
  EXPECT_EQ(queue.add("1"), Added::kQueued);
  EXPECT_EQ(queue.add(""), Added::kDropped);
  EXPECT_EQ(queue.take().spans, "1234,1");
  EXPECT_EQ(queue.add("12345"), Added::kFirst);
}

TEST(SpanQueue, BoundsTheBytesOfABatchButForALargeSpan) {
  SpanQueue queue({.batch_bytes = 5});
  EXPECT_EQ(queue.add("12"), Added::kFirst);
  EXPECT_EQ(queue.add("12"), Added::kQueued);
  EXPECT_EQ(queue.add("1234567"), Added::kFillsBatch);
  EXPECT_EQ(queue.add("1"), Added::kQueued);
  EXPECT_EQ(queue.take().spans, "12,12");
  EXPECT_TRUE(queue.has_full_batch());
  EXPECT_EQ(queue.take().spans, "1234567");
  EXPECT_FALSE(queue.has_full_batch());
  EXPECT_EQ(queue.take().spans, "1");
}

}  // namespace
}  // namespace quarry::services
