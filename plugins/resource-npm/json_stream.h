#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// Parses JSON incrementally, storing only the nesting and the current token. It validates just
/// enough to distinguish complete JSON from other texts.
class JsonStream {
 public:
  /// Receives the parts in order. Texts are valid during the call.
  class Handler {
   public:
    virtual ~Handler() = default;
    virtual void begin(char bracket) = 0;  ///< '{' or '['
    virtual void end(char bracket) = 0;    ///< the same bracket as begin()
    /// `key` is empty when it is longer than kMostKey bytes.
    virtual void key(std::string_view key) = 0;
    /// The limit, in bytes as written, up to which the next string is passed on; 0 = skip it.
    virtual std::size_t capacity() = 0;
    virtual void string(std::string_view value) = 0;
    /// A number, true, false or null.
    virtual void scalar(std::string_view text) = 0;
  };

  explicit JsonStream(Handler& handler) : handler_(handler) {}

  /// False when this is not JSON; then feed no more.
  [[nodiscard]] bool feed(std::string_view bytes);
  /// True once an object or array has ended, with nothing after it.
  [[nodiscard]] bool whole() const { return want_ == Want::kNothing; }

 private:
  static constexpr std::size_t kMostKey = 1024;
  static constexpr std::size_t kMostNesting = 512;
  enum class Want { kValue, kValueOrEnd, kKey, kKeyOrEnd, kColon, kCommaOrEnd, kNothing };
  enum class Within { kNothing, kKey, kString, kScalar };

  bool take(char c);
  std::size_t take_string(std::string_view bytes);
  void begin_string(Within what, std::size_t capacity);
  void end_string();
  bool end_scalar();
  bool open(char bracket);
  bool close(char bracket);
  void after_value() { want_ = nesting_.empty() ? Want::kNothing : Want::kCommaOrEnd; }

  Handler& handler_;
  Want want_ = Want::kValue;
  Within within_ = Within::kNothing;
  std::string nesting_;  ///< the open brackets
  std::string token_;    ///< of a string as written, without its quotes
  std::size_t capacity_ = 0;
  bool too_long_ = false;
  bool escaped_ = false;
};

}  // namespace quarry::resource_npm
