#pragma once

#include "corpus/query/citations.h"
#include "corpus/query/collection.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace quarry::ask {

/// A citation with the lines around it, of the snapshot that it was checked against.
struct CitedSource {
  std::string citation;                 ///< the item of done.citations, JSON
  std::uint32_t first_line = 1;         ///< of `lines`
  std::vector<std::string> lines = {};  ///< UTF-8, without their ends; none unless it is verified
};

/// The source as JSON: the members of its citation, `firstLine` and `lines`.
[[nodiscard]] std::string source_json(const CitedSource& source);

/// The citation `items` of `citations`, each with its lines and up to 30 before and after them:
/// at most 400 lines and 64 KiB of each citation, 1 MiB of all; lines after 4 KiB are cut.
[[nodiscard]] std::vector<CitedSource> cited_sources(const corpus::Collection& collection,
                                                     const std::vector<corpus::Citation>& citations,
                                                     std::vector<std::string> items);

/// What an answer cites, readable after its snapshots were released. Thread-safe.
class CitedSources {
 public:
  /// Called once, before the question ends.
  void set(std::vector<CitedSource> sources);
  /// The citation with this number, from 1.
  [[nodiscard]] std::optional<CitedSource> find(std::size_t number) const;
  /// JSON array of all, each as source_json; empty before the answer has been checked.
  [[nodiscard]] std::string json() const;
  /// Number of citations; nullopt before the answer has been checked.
  [[nodiscard]] std::optional<std::size_t> size() const;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  mutable std::mutex mutex_;
  std::optional<std::vector<CitedSource>> sources_;
};

}  // namespace quarry::ask
