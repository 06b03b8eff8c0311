#pragma once

#include "base/error.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// The role of a text that is encoded: some encoders treat a question unlike what answers it.
enum class TextKind : std::uint8_t {
  kQuery,    ///< the words of a search
  kPassage,  ///< a passage that may answer it
};

/// Turns texts into vectors; texts of similar meaning have vectors of similar direction.
class Encoder {
 public:
  virtual ~Encoder() = default;
  /// Everything that determines the vectors: model, its version, dimension, prefixes. Vectors of
  /// different identities are never compared. Any non-empty text; does not block. [any thread]
  [[nodiscard]] virtual std::string identity() const = 0;
  /// The vectors of `texts` (UTF-8, at least one), one row after the other: texts.size() rows of
  /// one dimension. Blocks until they are there, `stop` is requested (kCancelled), or it fails:
  /// kResourceExhausted if a quota is used up, kInvalidArgument if a text itself is refused,
  /// kUnavailable or another code for the rest. [any thread]
  virtual Result<std::vector<float>> encode(std::span<const std::string_view> texts, TextKind kind,
                                            std::stop_token stop) = 0;
};

}  // namespace quarry::corpus
