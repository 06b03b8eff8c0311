#include "embedding-openai/vectors.h"

#include "model_http/embedding_request.h"
#include "model_http/json_cursor.h"

#include <quarry/base64.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace quarry::embedding_openai {
namespace {

using model_http::JsonCursor;

constexpr std::int64_t kMostIndex = 1'000'000;

/// Values of Base64's digits; 64 for other bytes.
constexpr auto kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(64);
  for (std::uint8_t i = 0; i < 64; ++i) values[static_cast<unsigned char>(kBase64Digits[i])] = i;
  return values;
}();

/// One member of "data".
class Item {
 public:
  explicit Item(JsonCursor& json) : json_(json) {}

  /// False when it has no index or no vector.
  bool read() {
    json_.object([this](std::string_view key) {
      if (key == "index") {
        index_ = model_http::read_count(json_);
      } else if (key == "embedding") {
        vector_ = read_embedding();
      } else {
        json_.skip();
      }
    });
    return !json_.failed() && vector_ && index_ >= 0 && index_ <= kMostIndex;
  }
  [[nodiscard]] std::uint32_t index() const { return static_cast<std::uint32_t>(index_); }
  [[nodiscard]] const std::vector<float>& vector() const { return *vector_; }

 private:
  std::optional<std::vector<float>> read_embedding() {
    if (!json_.at_string()) return model_http::read_vector(json_);
    return vector_of_base64(json_.string());
  }

  JsonCursor& json_;
  std::int64_t index_ = -1;
  std::optional<std::vector<float>> vector_;
};

}  // namespace

std::optional<std::vector<float>> vector_of_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  const std::size_t bytes = text.size() * 3 / 4;
  if (text.size() % 4 == 1 || bytes % sizeof(float) != 0) return std::nullopt;
  std::vector<float> out;
  out.reserve(bytes / sizeof(float));
  std::uint64_t held = 0;  // the bytes read, the last one lowest
  int bits = 0;
  for (const char c : text) {
    const std::uint8_t value = kValues[static_cast<unsigned char>(c)];
    if (value == 64) return std::nullopt;
    held = (held << 6) | value;
    bits += 6;
    if (bits < 32) continue;
    bits -= 32;
    const auto word = static_cast<std::uint32_t>(held >> bits);
    out.push_back(std::bit_cast<float>(__builtin_bswap32(word)));
  }
  return out;
}

bool read_vectors(std::string_view body, EmbeddingSink& sink) {
  JsonCursor json(body);
  bool has_data = false;
  std::int64_t tokens = -1;
  const auto take_item = [&] {
    Item item(json);
    if (!item.read()) return json.fail();
    sink.vector(item.index(), item.vector());
  };
  const auto take_usage = [&](std::string_view key) {
    if (key != "prompt_tokens") return json.skip();
    tokens = model_http::read_count(json);
  };
  json.object([&](std::string_view key) {
    if (key == "data") {
      has_data = true;
      json.array(take_item);
    } else if (key != "usage") {
      json.skip();
    } else if (!json.null()) {
      json.object(take_usage);
    }
  });
  if (!json.finished() || !has_data) return false;
  if (tokens >= 0) sink.usage(tokens);
  return true;
}

}  // namespace quarry::embedding_openai
