#pragma once

#include "base/error.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// A definition in a file. Lines are numbered from 1; first_line <= line <= last_line.
struct SymbolDefinition {
  std::string kind;          ///< a lower-case word, such as "method"
  std::string name;          ///< without its scope, not empty
  std::uint32_t line;        ///< of the name
  std::uint32_t first_line;  ///< of the definition with the comment that belongs to it
  std::uint32_t last_line;
  std::int32_t parent;  ///< number within the file of the definition that encloses it, or -1

  friend bool operator==(const SymbolDefinition&, const SymbolDefinition&) = default;
};

/// The tag of an error of definitions() and references() for which the file is not to blame, such
/// as a plugin that cannot be started: the file is read again at the next opportunity. A file that
/// fails in any other way is not read again until its text or its reader changes.
inline constexpr std::string_view kAnalyserUnavailable = "AnalyserUnavailable";

/// Finds definitions and references in source files of the languages that it knows. A text is UTF-8
/// and has the same results whenever reader_of() is the same.
class SymbolAnalyser {
 public:
  virtual ~SymbolAnalyser() = default;

  /// The id of what reads the file, such as "c@3"; "" = nothing does. It changes whenever results
  /// do. `first_line` is empty for files whose name has an extension. Cheap. [any thread]
  [[nodiscard]] virtual std::string reader_of(std::string_view path,
                                              std::string_view first_line) const = 0;

  /// The definitions of a file, in order of their names' places. kCancelled. Blocks; several calls
  /// may run at once.
  virtual Result<std::vector<SymbolDefinition>> definitions(std::string_view path,
                                                            std::string_view text,
                                                            std::stop_token stop) = 0;

  /// The lines on which `name` is used other than in its definitions, ascending, each once.
  /// kCancelled. Blocks; several calls may run at once.
  virtual Result<std::vector<std::uint32_t>> references(std::string_view path,
                                                        std::string_view text,
                                                        std::string_view name,
                                                        std::stop_token stop) = 0;
};

}  // namespace quarry::corpus
