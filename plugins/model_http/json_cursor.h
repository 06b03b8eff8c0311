#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::model_http {

/// Reads JSON text from front to back and builds nothing, for what comes thousands of times a
/// second. Strict about what it hands out, lax about what it skips. Once something is not what was
/// asked for it has failed, for good, and hands out nothing more.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : rest_(text) {}

  /// The object that comes next: `take(key)` passes each value by one of these functions. The key
  /// is there until then.
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
  /// The array that comes next: `take()` passes each value.
  template <class Take>
  void array(const Take& take) {
    if (!next('[')) return fail();
    if (next(']')) return;
    do take();
    while (next(','));
    if (!next(']')) fail();
  }
  /// The string that comes next, its bytes as they are; valid until the next call.
  std::string_view string();
  /// Passes a null; false when something else comes.
  bool null();
  /// Passes whatever value comes next.
  void skip();

  void fail();
  [[nodiscard]] bool failed() const { return failed_; }
  /// Whether all has been read and nothing failed.
  [[nodiscard]] bool finished();

 private:
  bool next(char wanted);
  void pass_white_space();
  [[nodiscard]] std::size_t size_of_string() const;
  bool unescape(std::string_view quoted);
  bool unescape_unicode(std::string_view& quoted);

  std::string_view rest_;
  std::string unescaped_;
  bool failed_ = false;
};

}  // namespace quarry::model_http
