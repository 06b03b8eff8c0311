#include "services/trace_context.h"

#include <set>

#include <gtest/gtest.h>

namespace quarry::services {
namespace {

constexpr std::string_view kParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

std::string parent_with(std::size_t at, std::string_view with) {
  return std::string(kParent).replace(at, with.size(), with);
}

TEST(Traceparent, IsReadAndWritten) {
  const auto context = parse_traceparent(kParent);
  ASSERT_TRUE(context);
  EXPECT_EQ(context->trace[0], 0x4b);
  EXPECT_EQ(context->trace[15], 0x36);
  EXPECT_EQ(context->span[1], 0xf0);
  EXPECT_TRUE(context->sampled);
  EXPECT_EQ(to_traceparent(*context), kParent);
}

TEST(Traceparent, HasOneFlagThatIsRead) {
  EXPECT_FALSE(parse_traceparent(parent_with(53, "00"))->sampled);
  EXPECT_TRUE(parse_traceparent(parent_with(53, "ff"))->sampled);
  const auto other = parse_traceparent(parent_with(53, "02"));
  EXPECT_FALSE(other->sampled);
  EXPECT_EQ(to_traceparent(*other), parent_with(53, "00"));  // flags of others are not passed on
}

TEST(Traceparent, OfALaterVersionMayBeLonger) {
  for (const std::string_view rest : {"", "-", "-what-the-future-will-be-like", "-.."}) {
    const auto context = parse_traceparent(parent_with(0, "cc").append(rest));
    ASSERT_TRUE(context) << rest;
    EXPECT_EQ(to_traceparent(*context), kParent);
  }
  EXPECT_FALSE(parse_traceparent(parent_with(0, "cc").append(".what")));
}

TEST(Traceparent, IsIgnoredUnlessItIsValid) {
  const std::string zeros(32, '0');
  const std::string invalid[] = {
      "",
      "0",
      std::string(kParent.substr(0, 54)),
      std::string(kParent) + "-",  // version 00 has four fields
      std::string(kParent) + "-01",
      std::string(kParent) + " ",
      " " + std::string(kParent),
      parent_with(0, "ff"),  // no version
      parent_with(0, "0x"),
      parent_with(3, zeros),
      parent_with(3, "4BF9"),  // upper case
      parent_with(3, "4bg9"),
      parent_with(36, zeros.substr(0, 16)),
      parent_with(36, "00F0"),
      parent_with(36, ".0f0"),
      parent_with(53, "0."),
      parent_with(53, "0A"),
      parent_with(2, "_"),
      parent_with(35, "_"),
      parent_with(52, "_"),
      std::string(55, '-'),
      std::string(100'000, '0'),
      std::string("00-\0bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", 55),
  };
  for (const std::string& text : invalid) EXPECT_FALSE(parse_traceparent(text)) << text;
}

TEST(TraceContexts, AreDistinct) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const TraceContext root = new_trace(true);
    const TraceContext child = new_span(root);
    EXPECT_EQ(root.trace, child.trace);
    EXPECT_TRUE(child.sampled);
    EXPECT_TRUE(parse_traceparent(to_traceparent(child)));
    EXPECT_TRUE(seen.insert(to_traceparent(root)).second);
    EXPECT_TRUE(seen.insert(to_traceparent(child)).second);
  }
}

TEST(TraceContexts, AreInARatioByTheirLastBytes) {
  TraceContext context = *parse_traceparent(kParent);
  EXPECT_TRUE(is_in_ratio(context, 1));
  EXPECT_FALSE(is_in_ratio(context, 0));
  std::fill(context.trace.begin() + 9, context.trace.end(), std::uint8_t{0xff});
  EXPECT_TRUE(is_in_ratio(context, 1e-9));
  EXPECT_FALSE(is_in_ratio(context, 0));
  std::fill(context.trace.begin() + 9, context.trace.end(), std::uint8_t{0});
  EXPECT_FALSE(is_in_ratio(context, 0.999));
  EXPECT_TRUE(is_in_ratio(context, 1));
  context.trace[9] = 0x80;  // half of them
  EXPECT_TRUE(is_in_ratio(context, 0.5));
  EXPECT_FALSE(is_in_ratio(context, 0.499));
}

TEST(TraceContexts, AreInARatioAsOftenAsItSays) {
  int count = 0;
  for (int i = 0; i < 100'000; ++i) count += is_in_ratio(new_trace(false), 0.1) ? 1 : 0;
  EXPECT_NEAR(count, 10'000, 1000);  // ten standard deviations
}

TEST(TraceContext, HasIdsInHexadecimal) {
  const auto context = parse_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  EXPECT_EQ(trace_id(*context), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(span_id(*context), "00f067aa0ba902b7");
  EXPECT_EQ(trace_id({}), "");
  EXPECT_EQ(span_id({}), "");
}

}  // namespace
}  // namespace quarry::services
