#include "runner/frame.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::runner {
namespace {

using ::testing::HasSubstr;

std::string frame_bytes(Kind kind, std::uint32_t call, std::string_view text) {
  std::string out;
  append_frame(out, kind, call, [&](PacketWriter& packet) { packet.text(text); });
  return out;
}

void receive(FrameBuffer& buffer, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto space = buffer.space();
    const auto part = bytes.substr(0, space.size());
    std::ranges::copy(part, space.begin());
    buffer.received(part.size());
    bytes.remove_prefix(part.size());
  }
}

TEST(Frames, AreTheSameHoweverTheBytesWereCut) {
  const auto bytes = frame_bytes(Kind::kFile, 7, "one") + frame_bytes(Kind::kReply, 8, "");
  FrameBuffer buffer;
  std::string seen;
  for (const char byte : bytes) {
    receive(buffer, {&byte, 1});
    while (const auto frame = buffer.next().value()) {
      PacketReader packet(frame->payload);
      seen += std::to_string(frame->call) + std::string(packet.text()) + ";";
      EXPECT_TRUE(packet.complete());
    }
  }
  EXPECT_EQ(seen, "7one;8;");
}

TEST(Frames, AreTakenManyFromOneRead) {
  std::string bytes;
  for (std::uint32_t i = 0; i < 1000; ++i) bytes += frame_bytes(Kind::kFile, i, "text");
  FrameBuffer buffer;
  receive(buffer, bytes);
  for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(buffer.next().value()->call, i);
  EXPECT_FALSE(buffer.next().value());
}

TEST(Frames, OfALargeValueAreWhole) {
  const std::string large(5u << 20, 'x');
  FrameBuffer buffer;
  receive(buffer, frame_bytes(Kind::kFile, 1, large) + frame_bytes(Kind::kFile, 2, "small"));
  PacketReader first(buffer.next().value()->payload);
  EXPECT_EQ(first.text(), large);
  PacketReader second(buffer.next().value()->payload);
  EXPECT_EQ(second.text(), "small");
}

TEST(Frames, OfMalformedBytesAreRefused) {
  struct Case {
    std::string bytes;
    const char* words;
  };
  const Case cases[] = {
      {std::string("\x04\0\0\0\1\0\0\0\0", 9), "a frame of 4 bytes"},
      {std::string("\xff\xff\xff\xff\1\0\0\0\0", 9), "a frame of 4294967295 bytes"},
      {std::string("\x05\0\0\0\0\0\0\0\0", 9), "unknown kind 0"},
      {std::string("\x05\0\0\0\xc8\0\0\0\0", 9), "unknown kind 200"},
  };
  for (const auto& [bytes, words] : cases) {
    FrameBuffer buffer;
    receive(buffer, bytes);
    const auto frame = buffer.next();
    ASSERT_FALSE(frame) << words;
    EXPECT_THAT(frame.error().message, HasSubstr(words));
  }
}

TEST(Packets, WithMissingFieldsReadAsMalformed) {
  std::string bytes;
  PacketWriter(bytes).put(std::uint32_t{5}).raw("abc");  // text of five bytes, three are there
  PacketReader packet(bytes);
  EXPECT_EQ(packet.text(), "");
  EXPECT_FALSE(packet.good());
  EXPECT_EQ(packet.get<std::uint8_t>(), 0);
  EXPECT_FALSE(packet.complete());
}

TEST(Packets, WithMoreThanTheirFieldsAreNotComplete) {
  PacketReader packet("ab");
  EXPECT_EQ(packet.get<char>(), 'a');
  EXPECT_TRUE(packet.good());
  EXPECT_FALSE(packet.complete());
}

}  // namespace
}  // namespace quarry::runner
