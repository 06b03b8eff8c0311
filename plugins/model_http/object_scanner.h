#pragma once

#include <cstddef>
#include <string_view>

namespace quarry::model_http {

/// Finds the end of a JSON object in a text that grows, by its brackets alone. Each byte is read
/// once, in whatever pieces a server sends it.
class ObjectScanner {
 public:
  /// Reads the next bytes of the text.
  void add(std::string_view bytes);
  /// True if the text so far is one object, with nothing but blanks around it.
  [[nodiscard]] bool is_whole() const { return state_ == State::kAfter; }
  /// Length of the text so far.
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  enum class State { kBefore, kObject, kString, kEscape, kAfter, kOther };
  [[nodiscard]] State after(char c);
  [[nodiscard]] State after_in_object(char c);

  State state_ = State::kBefore;
  std::size_t depth_ = 0;  ///< open objects and arrays
  std::size_t size_ = 0;
};

}  // namespace quarry::model_http
