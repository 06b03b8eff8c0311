#pragma once

#include "base/json.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace quarry::cli {

/// The numbers of citations in an answer, from 1 in the order in which the text names their places.
class CitationNumbers {
 public:
  /// From now on [resource:path#L3-L4] with this resource is a citation.
  void add_resource(std::string resource) { resources_.insert(std::move(resource)); }

  /// Markdown with a number, as [1], in place of each citation outside of code.
  [[nodiscard]] std::string numbered(std::string_view markdown);

  /// The number of a place, which is a new one if the text did not name it. Lines are from 1; 0 =
  /// none.
  std::size_t number_of(std::string_view resource, std::string_view path, std::size_t start,
                        std::size_t end);

 private:
  /// The place in `mark`, the text between brackets, as number_of() takes it; "" if it is none.
  [[nodiscard]] std::string place_in(std::string_view mark) const;
  std::size_t number_of(std::string place);

  std::set<std::string, std::less<>> resources_;
  std::map<std::string, std::size_t> numbers_;  ///< by place: "docs:dates.md#L3-L3"
};

/// The citations of a `done` event or a stored turn by their numbers. They must outlive it.
std::map<std::size_t, const Json*> by_number(const Json& citations, CitationNumbers& numbers);

}  // namespace quarry::cli
