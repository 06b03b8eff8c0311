#pragma once

#include "base/error.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// A definition in a file. Lines count from 1.
struct SymbolDefinition {
  std::string kind;
  std::string name;
  std::uint32_t line;
  std::uint32_t first_line;
  std::uint32_t last_line;
  std::int32_t parent;  ///< number within the file, or -1
};

class SymbolAnalyser {
 public:
  virtual ~SymbolAnalyser() = default;
  [[nodiscard]] virtual std::string reader_of(std::string_view path) const = 0;
  virtual Result<std::vector<SymbolDefinition>> definitions(std::string_view path,
                                                            std::string_view text,
                                                            std::stop_token stop) = 0;
  virtual Result<std::vector<std::uint32_t>> references(std::string_view path,
                                                        std::string_view text,
                                                        std::string_view name,
                                                        std::stop_token stop) = 0;
};

}  // namespace quarry::corpus
