#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::bench {

/// The common way to search a tree: SQLite's FTS5 over passages of 60 lines, Porter's stemmer, BM25
/// with the path as a separate column. In memory.
class FtsPeer {
 public:
  FtsPeer();
  ~FtsPeer();
  void add(std::string_view path, std::string_view text);
  void finish();
  /// Paths of the best passages for any of `words`, best first.
  [[nodiscard]] std::vector<std::string> search(const std::vector<std::string>& words, int limit);
  /// Size of the index in bytes.
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quarry::bench
