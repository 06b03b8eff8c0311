#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::cli {

/// How far each resource is, as lines of text: pure, so that drawing can be tested.
class ProgressBoard {
 public:
  /// Takes a `resource.progress` event. True when its resource says something else than before.
  bool report(std::string_view json);

  /// A line for each resource in the order they came, of at most `width` columns, with a bar where
  /// the whole is known; at most `most` lines, the last of which says how many there are more.
  [[nodiscard]] std::vector<std::string> lines(std::size_t width, std::size_t most) const;

  /// The resource reported last, for who reads line by line: "svelte: receiving objects".
  [[nodiscard]] std::string last() const;

 private:
  struct Row {
    std::string resource;
    std::string message;
    std::uint64_t done = 0;
    std::uint64_t total = 0;  // 0 = unknown
  };
  [[nodiscard]] std::string line(const Row& row, std::size_t name_width, std::size_t width) const;

  std::vector<Row> rows_;
  std::size_t last_ = 0;
};

}  // namespace quarry::cli
