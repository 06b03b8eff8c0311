#pragma once

#include "base/error.h"
#include "services/call.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

/// A definition in a file. Lines count from 1.
struct Definition {
  std::string kind;  ///< a lower-case word, such as "method"
  std::string name;  ///< without its scope; UTF-8, not empty
  std::uint32_t line = 0;
  std::uint32_t first_line = 0;
  std::uint32_t last_line = 0;
  std::int32_t parent = -1;  ///< place of the one that encloses it, or -1; no circle
};

/// An analyser of source files of one language (quarry/draft/symbols.h). What its plugin replies is
/// checked: kInternal, with the plugin's name, when it is not as the contract says.
class Analyser {
 public:
  virtual ~Analyser() = default;
  /// Name of the language, such as "C++".
  [[nodiscard]] virtual const std::string& title() const = 0;
  /// As Module::ready(). [any]
  [[nodiscard]] virtual Status ready() const = 0;
  /// In order of their lines. [worker]
  virtual Result<std::vector<Definition>> definitions(const services::Call& call,
                                                      std::string_view path,
                                                      std::string_view text) = 0;
  /// Lines of `text`, ascending. [worker]
  virtual Result<std::vector<std::uint32_t>> references(const services::Call& call,
                                                        std::string_view path,
                                                        std::string_view text,
                                                        std::string_view name) = 0;
};

}  // namespace quarry::plugins
