#include "cli/event_stream.h"

#include <gtest/gtest.h>

namespace quarry::cli {
namespace {

constexpr std::string_view kStream =
    "retry: 3000\n\n: hello\n\nevent: meta\ndata: {\"a\":1}\nid: 1\n\n"
    "event:text.delta\r\ndata:one\r\ndata: two\r\n\r\ndata\n\nevent: unfinished\ndata: x\n";
constexpr const char* kRead = "meta={\"a\":1};text.delta=one\ntwo;=;";

std::string read_events(std::string_view first, std::string_view second = {}) {
  std::string out;
  EventStream stream([&](std::string_view type, std::string_view data) {
    out += std::string(type) + "=" + std::string(data) + ";";
  });
  stream.feed(first);
  stream.feed(second);
  return out;
}

TEST(EventStream, ReadsEventsAndPassesOverTheRest) {
  EXPECT_EQ(read_events(kStream), kRead);
}

TEST(EventStream, ReadsTheSameWhereverTheBytesAreCut) {
  for (std::size_t cut = 0; cut <= kStream.size(); ++cut) {
    EXPECT_EQ(read_events(kStream.substr(0, cut), kStream.substr(cut)), kRead) << cut;
  }
}

}  // namespace
}  // namespace quarry::cli
