#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::model_http {

/// Reads JSON text sequentially without building values, for texts that arrive thousands of times a
/// second. Strict about returned values, lax about skipped ones. After any mismatch it has failed
/// permanently and returns nothing more.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : rest_(text) {}

  /// Reads the next value as an object: `take(key)` must consume each value with one of these
  /// functions. The key is valid until then.
  template <class Take>
  void object(const Take& take) {
    if (!next('{')) return fail();
    if (next('}')) return;
    do {
      const std::string_view key = string();
      if (!next(':')) return fail();
      take(key);
    } while (next(','));
    if (!next('}')) fail();
  }
  /// Reads the next value as an array: `take()` must consume each value.
  template <class Take>
  void array(const Take& take) {
    if (!next('[')) return fail();
    if (next(']')) return;
    do take();
    while (next(','));
    if (!next(']')) fail();
  }
  /// Reads the next value as a string, decoded; valid until the next call.
  std::string_view string();
  /// Reads the next value as a number; 0 after a failure. What a double cannot hold is a failure.
  double number();
  /// True if the next value is a string.
  [[nodiscard]] bool at_string();
  /// Consumes a null; false when the next value is something else.
  bool null();
  /// Consumes the next value.
  void skip();

  void fail();
  [[nodiscard]] bool failed() const { return failed_; }
  /// True if the whole text was read without failure.
  [[nodiscard]] bool finished();

 private:
  bool next(char wanted);
  void pass_white_space();
  [[nodiscard]] std::size_t size_of_string(bool& escapes) const;
  bool unescape(std::string_view quoted);
  bool unescape_unicode(std::string_view& quoted);

  std::string_view rest_;
  std::string unescaped_;
  bool failed_ = false;
};

}  // namespace quarry::model_http
