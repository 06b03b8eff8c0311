#include "runner/fields.h"

#include <string>

#include <gtest/gtest.h>

namespace quarry::runner {
namespace {

/// A struct as the other side of the socket reads it.
template <class Struct>
class Sent {
 public:
  explicit Sent(const Struct& value) {
    PacketWriter packet(bytes_);
    Fields<Struct>::write(packet, value);
    EXPECT_EQ(bytes_.size(), Fields<Struct>::size(value));
    PacketReader reader(bytes_);
    read_ = Fields<Struct>::template read<Struct>(reader);
    EXPECT_TRUE(reader.complete());
    EXPECT_EQ(read_.struct_size, sizeof(Struct));
  }
  const Struct* operator->() const { return &read_; }

 private:
  std::string bytes_;
  Struct read_{};
};

TEST(Fields, OfProvidersAreReadAsTheyWereWritten) {
  const Sent usage(quarry_usage{sizeof(quarry_usage), 0, 1, 2, -1, 4, 5});
  EXPECT_EQ(usage->input_tokens, 1);
  EXPECT_EQ(usage->output_tokens, 2);
  EXPECT_EQ(usage->reasoning_tokens, -1);
  EXPECT_EQ(usage->cache_read_tokens, 4);
  EXPECT_EQ(usage->cache_write_tokens, 5);
  const Sent error(quarry_model_error{sizeof(quarry_model_error), QUARRY_UNAVAILABLE, 503, 250,
                                      as_text("busy")});
  EXPECT_EQ(error->status, QUARRY_UNAVAILABLE);
  EXPECT_EQ(error->http_status, 503);
  EXPECT_EQ(error->retry_after_ms, 250);
  EXPECT_EQ(as_view(error->message), "busy");
}

TEST(Fields, OfRequestsAreReadAsTheyWereWritten) {
  const Sent header(quarry_header{sizeof(quarry_header), as_text("a"), as_text("b"), as_text("c")});
  EXPECT_EQ(as_view(header->name), "a");
  EXPECT_EQ(as_view(header->value), "b");
  EXPECT_EQ(as_view(header->secret), "c");
  const Sent request(quarry_http_request{sizeof(quarry_http_request), 0, as_text("PUT"),
                                         as_text("https://a.example"), nullptr, as_text("body"), 7,
                                         -1, 0});
  EXPECT_EQ(as_view(request->method), "PUT");
  EXPECT_EQ(as_view(request->url), "https://a.example");
  EXPECT_EQ(as_view(request->body), "body");
  EXPECT_EQ(request->timeout_ms, 7);
  EXPECT_EQ(request->max_redirects, -1);
}

TEST(Fields, OfFilesAndProgramsAreReadAsTheyWereWritten) {
  const Sent file(quarry_file{sizeof(quarry_file), 0, as_text("a/b"), as_text("https://a.example"),
                              as_text("A title"), as_text("text/html")});
  EXPECT_EQ(as_view(file->path), "a/b");
  EXPECT_EQ(as_view(file->permalink), "https://a.example");
  EXPECT_EQ(as_view(file->title), "A title");
  EXPECT_EQ(as_view(file->media_type), "text/html");
  quarry_process_spec asked{};
  asked.program = as_text("git");
  asked.directory = as_text("/tmp");
  asked.input = {nullptr, 5};  // empty, with any size
  asked.output_limit = 1;
  asked.file_limit = 2;
  asked.memory_limit = 3;
  const Sent program(asked);
  EXPECT_EQ(as_view(program->program), "git");
  EXPECT_EQ(as_view(program->directory), "/tmp");
  EXPECT_EQ(as_view(program->input), "");
  EXPECT_EQ(program->output_limit, 1U);
  EXPECT_EQ(program->file_limit, 2U);
  EXPECT_EQ(program->memory_limit, 3U);
}

/// A pointer to a struct as the other side reads it.
bool arrives(const quarry_usage* usage) {
  std::string bytes;
  PacketWriter packet(bytes);
  Codec<const quarry_usage*>::write(packet, usage);
  EXPECT_EQ(bytes.size(), Codec<const quarry_usage*>::size(usage));
  PacketReader reader(bytes);
  const auto read = Codec<const quarry_usage*>::read(reader);
  EXPECT_TRUE(reader.complete());
  return static_cast<const quarry_usage*>(read) != nullptr;
}

TEST(Fields, OfAStructThatIsMissingOrTooSmallAreNone) {
  quarry_usage usage{};
  usage.struct_size = sizeof usage;
  EXPECT_TRUE(arrives(&usage));
  EXPECT_FALSE(arrives(nullptr));
  usage.struct_size = sizeof usage - 1;
  EXPECT_FALSE(arrives(&usage));
}

}  // namespace
}  // namespace quarry::runner
