#pragma once

#include "base/error.h"
#include "base/json.h"
#include "corpus/tools/retrieval.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// Greatest position in a cursor, in results or lines.
inline constexpr std::uint32_t kMostPosition = 1'000'000'000;

/// Makes and reads the cursors of one tool call. A cursor is not secret and gives no access: it has
/// the position, and digests of the call and of itself, which tell a wrong cursor from a damaged
/// one.
class PageCursor {
 public:
  /// `arguments` without `cursor`, `limit`, `maxTokens` and nulls decide which cursors fit.
  PageCursor(std::string_view tool, const Json& arguments, const Retrieval& retrieval);

  /// The cursor of results from `position` on.
  [[nodiscard]] std::string at(std::uint32_t position) const;
  /// The position of a cursor; 0 for "". kInvalidArgument with a sentence: malformed, of another
  /// call, or of other versions.
  [[nodiscard]] Result<std::uint32_t> position_of(std::string_view cursor) const;

 private:
  std::string arguments_;  ///< digest
  std::string versions_;   ///< digest
};

}  // namespace quarry::corpus
