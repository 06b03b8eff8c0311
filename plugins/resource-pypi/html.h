/// The tags of an HTML page that an index uses.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace quarry::resource_pypi {

struct Tag {
  std::string name;                               ///< in lower case
  std::map<std::string, std::string> attributes;  ///< names in lower case, values decoded
};

/// Calls `found` for each start tag named a, base, form or meta, in order. Comments, scripts and
/// style sheets are passed over.
void each_tag(std::string_view html, const std::function<void(const Tag&)>& found);

}  // namespace quarry::resource_pypi
