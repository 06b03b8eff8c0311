#include "ask/citation_list.h"

#include "base/json_writer.h"

#include <quarry/percent.hpp>

#include <algorithm>

namespace quarry::ask {
namespace {

/// Null if there are none.
const plugins::FileFacts* facts_of(const CitableResource& resource, std::string_view path) {
  if (!resource.facts) return nullptr;
  const auto found = resource.facts->find(path);
  return found == resource.facts->end() ? nullptr : &found->second;
}

std::string misquotation_object(const corpus::Misquotation& misquotation) {
  return json_object([&](JsonWriter& json) {
    json.member("quoted", misquotation.quoted);
    if (!misquotation.nearest.empty()) json.member("nearest", misquotation.nearest);
  });
}

std::string citation_item(const corpus::Citation& citation,
                          const std::vector<CitableResource>& resources) {
  return json_object([&](JsonWriter& json) {
    json.member("resource", citation.resource).member("path", citation.path);
    json.member("startLine", citation.start_line).member("endLine", citation.end_line);
    if (citation.verified && citation.source < resources.size()) {
      const auto& source = resources[citation.source];
      const auto url = permalink(source, citation.path, citation.start_line, citation.end_line);
      if (!url.empty()) json.member("url", url);
      const auto* const facts = facts_of(source, citation.path);
      if (facts != nullptr && !facts->title.empty()) json.member("title", facts->title);
      json.member("version", source.version);
    }
    json.member("verified", citation.verified);
    if (citation.misquotation) {
      json.raw("misquotation", misquotation_object(*citation.misquotation));
    }
  });
}

}  // namespace

std::string permalink(const CitableResource& resource, std::string_view path,
                      std::uint32_t start_line, std::uint32_t end_line) {
  const std::pair<std::string_view, std::string> parts[] = {
      {"{version}", to_percent_encoded(resource.version, "/")},
      {"{path}", to_percent_encoded(path, "/")},
      {"{start}", std::to_string(start_line)},
      {"{end}", std::to_string(end_line)}};
  std::string out;
  const auto* const facts = facts_of(resource, path);
  const bool has_own = facts != nullptr && !facts->permalink.empty();
  if (!has_own && std::ranges::find(resource.generated, path) != resource.generated.end())
    return {};
  std::string_view rest = has_own ? facts->permalink : resource.permalink;
  while (!rest.empty()) {
    bool replaced = false;
    for (const auto& [mark, value] : parts) {
      if (!rest.starts_with(mark)) continue;
      out += value;
      rest.remove_prefix(mark.size());
      replaced = true;
      break;
    }
    if (replaced) continue;
    out += rest.front();
    rest.remove_prefix(1);
  }
  return out;
}

std::string permalink_pattern(const CitableResource& resource) {
  constexpr std::string_view kVersion = "{version}";
  std::string out = resource.permalink;
  const std::string version = to_percent_encoded(resource.version, "/");
  for (auto at = out.find(kVersion); at != out.npos; at = out.find(kVersion, at + version.size())) {
    out.replace(at, kVersion.size(), version);
  }
  return out;
}

std::vector<std::string> citation_items(const std::vector<corpus::Citation>& citations,
                                        const std::vector<CitableResource>& resources) {
  std::vector<std::string> out;
  for (const auto& citation : citations) out.push_back(citation_item(citation, resources));
  return out;
}

}  // namespace quarry::ask
