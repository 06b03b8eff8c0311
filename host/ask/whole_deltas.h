#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace quarry::ask {

/// Makes deltas of what a server sends that repeats the whole text so far with each: "It", "It is",
/// "It is off". From the second text that begins with the one before it until this is certain, or
/// is not so, texts are held back, at most 64 KiB.
class WholeDeltas {
 public:
  using Give = std::function<void(std::string_view delta)>;

  /// `text`: not empty.
  void add(std::string_view text, const Give& give);
  /// Gives what is held back.
  void finish(const Give& give);

 private:
  enum class State { kUnknown, kWhole, kDeltas };
  void decide(State state, const Give& give);

  State state_ = State::kUnknown;
  std::size_t count_ = 0;  ///< texts so far, each of which begins with the one before it
  std::size_t given_ = 0;  ///< bytes
  std::string last_;       ///< the text before
  std::string held_;       ///< all texts after the first
};

}  // namespace quarry::ask
