#include "services/otlp_span.h"

#include <array>

#include <gtest/gtest.h>

namespace quarry::services {
namespace {

using namespace std::chrono_literals;

Span example() {
  Span span{
      .context = *parse_traceparent("00-5b8efff798038103d269b633813fc60c-eee19b7ec3c1b174-01"),
      .name = "chat gpt-4",
      .kind = SpanKind::kClient,
      .begin = std::chrono::system_clock::time_point(1'544'712'660'000'000'001ns)};
  span.end = span.begin + 1s;
  return span;
}

TEST(OtlpSpan, IsTheJsonOfTheProtocol) {
  EXPECT_EQ(to_otlp(example()),
            R"({"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174",)"
            R"("flags":257,"name":"chat gpt-4","kind":3,)"
            R"("startTimeUnixNano":"1544712660000000001","endTimeUnixNano":"1544712661000000001",)"
            R"("attributes":[]})");
}

TEST(OtlpSpan, HasItsParentAttributesAndFailure) {
  Span span = example();
  span.parent = parse_traceparent("00-5b8efff798038103d269b633813fc60c-eee19b7ec3c1b173-01");
  span.parent_is_remote = true;
  span.failed = true;
  span.kind = SpanKind::kServer;
  span.attributes.add("text", "a \"b\"\n\xff");
  span.attributes.add("number", std::int64_t{-9'007'199'254'740'993});
  span.attributes.add("seconds", 0.25);
  span.attributes.add("list", std::array<std::string_view, 2>{"stop", "length"});
  EXPECT_EQ(to_otlp(span),
            R"({"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174",)"
            R"("parentSpanId":"eee19b7ec3c1b173","flags":769,"name":"chat gpt-4","kind":2,)"
            R"("startTimeUnixNano":"1544712660000000001","endTimeUnixNano":"1544712661000000001",)"
            R"("attributes":[{"key":"text","value":{"stringValue":"a \"b\"\n)"
            "\uFFFD"
            R"("}},{"key":"number","value":{"intValue":"-9007199254740993"}},)"
            R"({"key":"seconds","value":{"doubleValue":0.25}},)"
            R"({"key":"list","value":{"arrayValue":{"values":[{"stringValue":"stop"},)"
            R"({"stringValue":"length"}]}}}],"status":{"code":2}})");
}

TEST(OtlpFrame, NamesTheHost) {
  SpanAttributes resource;
  resource.add("service.name", "quarry");
  const OtlpFrame frame = otlp_frame(resource, "1.2.3");
  EXPECT_EQ(frame.begin + "{},{}" + std::string(frame.end),
            R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name",)"
            R"("value":{"stringValue":"quarry"}}]},"scopeSpans":[{"scope":{"name":"quarry",)"
            R"("version":"1.2.3"},"spans":[{},{}]}]}]})");
}

}  // namespace
}  // namespace quarry::services
