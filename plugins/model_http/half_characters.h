#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::model_http {

// Some servers cut a text between the two halves of one character, so that neither message is valid
// JSON: \ud83d ends one delta and \udc4d begins the next, or the bytes of a character are divided.
// A half is read as a private character of plane 16, and the halves of successive deltas are
// joined.

/// `json` with a private character in the place of each half; nullopt when it has no halves.
std::optional<std::string> mark_halves(std::string_view json);

/// Joins the halves in the deltas of one text.
class HalfJoiner {
 public:
  /// The text of `delta` after the half that the previous one ended with. A half at its end is held
  /// back. The view is valid until the next call, and no longer than `delta`.
  std::string_view join(std::string_view delta);
  /// The replacement character for a half that is still held back, else nothing.
  std::string_view rest();

 private:
  void add(std::uint32_t mark);
  void end_half();

  std::string joined_;
  std::uint32_t high_ = 0;  ///< a held half; 0 = none
};

}  // namespace quarry::model_http
