#pragma once

#include "base/error.h"
#include "corpus/segment/table_file.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quarry::corpus {

/// The name of an index at the root of a source, as its writers name it.
inline constexpr const char* kScipSource = "index.scip";
/// Larger ones are not used, in bytes.
inline constexpr std::size_t kMostScipBytes = 128u << 20;

/// The index of SCIP (code intelligence of compilers and type checkers) that came with a source, by
/// document. Mapped and verified on opening. Immutable; thread-safe.
class ScipIndex {
 public:
  static constexpr const char* kFileName = "scip";

  /// The bytes of the file for an index. `problem` says why it is not used; "" = it is. `source`
  /// identifies the state of the file that it was read from; "" = nothing does.
  static std::string bytes_of(std::string_view index, std::string_view problem,
                              std::string_view source = {});
  /// kInternal if the bytes are not an index.
  static Status check(std::string_view index);
  /// Opens that file; kNotFound if there is none, kInternal if it is damaged.
  static Result<std::shared_ptr<const ScipIndex>> open(const std::filesystem::path& file);

  /// Why the index is not used, so that it has no documents; "" = it is.
  [[nodiscard]] std::string_view problem() const { return problem_; }
  /// See bytes_of().
  [[nodiscard]] std::string_view source() const { return source_; }
  /// The document of a file; "" if there is none.
  [[nodiscard]] std::string_view document(std::string_view path) const;

  explicit ScipIndex(TableFile table) : table_(std::move(table)) {}

 private:
  using Documents = std::vector<std::pair<std::string_view, std::string_view>>;
  [[nodiscard]] Status load();
  static Result<Documents> read(std::string_view index);

  TableFile table_;
  std::string_view problem_;
  std::string_view source_;
  Documents documents_;  ///< by path
};

}  // namespace quarry::corpus
