#pragma once

#include "base/json.h"
#include "corpus/tools/retrieval.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace quarry::corpus {

struct HitLines;

/// The results of a page as text for a model, in the form of ripgrep: "path:line: text", the path
/// only where it changes, and "path:first-last: text" where a hit goes on after its lines. A line
/// "-- …" before a hit has what its lines do not tell. The first lines have, for each source, the
/// version and the patterns of citations and permalinks.
class PageText {
 public:
  /// The retrieval must outlive it.
  explicit PageText(const Retrieval& retrieval) : retrieval_(retrieval) {}

  /// Bytes that a hit costs besides its lines.
  [[nodiscard]] std::size_t frame_size(const HitLines& hit) const;
  /// Bytes of line `number`, with its number.
  [[nodiscard]] static std::size_t line_size(std::uint32_t number, std::string_view line);
  /// `lines` are the first ones of the hit, as they are shown; `last`: of the whole.
  void add(const HitLines& hit, std::span<const std::string> lines, std::uint32_t last);

  [[nodiscard]] std::size_t entry_size(const Json& entry) const;
  void add_entry(const Json& entry);

  [[nodiscard]] std::size_t size() const { return heads_.size() + body_.size(); }
  [[nodiscard]] std::string finish() &&;

 private:
  [[nodiscard]] std::string head_of(std::size_t source) const;
  [[nodiscard]] std::string remark_of(const HitLines& hit,
                                      std::span<const std::string> lines) const;
  [[nodiscard]] std::string entry_text(const Json& entry) const;

  const Retrieval& retrieval_;
  std::set<std::size_t> sources_;  ///< whose heads are in heads_
  std::string heads_;
  std::string body_;
  std::string path_;  ///< of the last hit; of an entry, the directory
};

/// Makes `answer` the text of a page: "text" gets what the other members tell a model. Members of
/// the results are removed unless `with_results`.
void finish_text(Json& answer, bool with_results);

}  // namespace quarry::corpus
