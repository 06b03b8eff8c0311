#pragma once

#include "corpus/query/citations.h"
#include "plugins/resource_type.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::ask {

/// A resource that an answer may cite.
struct CitableResource {
  std::string name;
  std::string version;
  std::string permalink;               ///< template, see resources::Prepared; may be empty
  std::vector<std::string> generated;  ///< paths of files without a permalink
  std::shared_ptr<const plugins::FactsByPath> facts = nullptr;  ///< of single files; may be null
  std::shared_ptr<void> lease;  ///< keeps its snapshot from being removed
};

/// The file's own permalink, else `resource.permalink`, filled in: every part percent-encoded (RFC
/// 3986; '/' stays in a path). Empty when there is none, or this file is generated.
std::string permalink(const CitableResource& resource, std::string_view path,
                      std::uint32_t start_line, std::uint32_t end_line);

/// `resource.permalink` with the version alone filled in; may be empty.
std::string permalink_pattern(const CitableResource& resource);

/// One item of done.citations for each citation; `resources` in the order of the collection's
/// sources.
std::vector<std::string> citation_items(const std::vector<corpus::Citation>& citations,
                                        const std::vector<CitableResource>& resources);

}  // namespace quarry::ask
