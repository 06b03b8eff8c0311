#include "resource-npm/choice.h"

#include <algorithm>
#include <vector>

namespace quarry::resource_npm {
namespace {

constexpr std::size_t kNear = 5;
constexpr std::size_t kMostTags = 10;

struct Candidate {
  Version version;
  std::string text;
  bool deprecated;
};

/// The versions in order; those invalid by npm's current rules are left out.
std::vector<Candidate> candidates_of(const Packument& packument) {
  std::vector<Candidate> out;
  for (const auto& [text, release] : packument.releases) {
    if (auto version = Version::parse(text)) {
      out.push_back({std::move(*version), text, !release.deprecated.empty()});
    }
  }
  std::ranges::stable_sort(out, {}, &Candidate::version);
  return out;
}

std::string list_of(const std::vector<std::string>& items) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  }
  return out;
}

std::string tags_of(const Packument& packument) {
  std::vector<std::string> tags;
  const auto latest = packument.tags.find("latest");
  const auto tell = [&](const auto& tag) { tags.push_back(tag.first + " = " + tag.second); };
  if (latest != packument.tags.end()) tell(*latest);
  for (const auto& tag : packument.tags) {
    if (tags.size() < kMostTags && tag.first != "latest") tell(tag);
  }
  if (packument.tags.size() > tags.size()) {
    tags.push_back(std::to_string(packument.tags.size() - tags.size()) + " more");
  }
  return list_of(tags);
}

/// The versions next to `wanted` in the order; deprecated ones and prereleases only when there are
/// no others (or `wanted` is a prerelease itself).
std::vector<std::string> nearest(std::vector<Candidate> candidates, const Version& wanted) {
  const auto drop = [&](auto deprioritised) {
    if (!std::ranges::all_of(candidates, deprioritised)) std::erase_if(candidates, deprioritised);
  };
  drop([](const Candidate& candidate) { return candidate.deprecated; });
  if (wanted.prerelease.empty()) {
    drop([](const Candidate& candidate) { return !candidate.version.prerelease.empty(); });
  }
  const auto place = std::ranges::lower_bound(candidates, wanted, {}, &Candidate::version);
  auto begin = place, end = place;
  while (static_cast<std::size_t>(end - begin) < std::min(kNear, candidates.size())) {
    // Alternately from both sides, as far as each has versions.
    const bool below =
        end == candidates.end() || (begin != candidates.begin() && place - begin < end - place);
    below ? static_cast<void>(--begin) : static_cast<void>(++end);
  }
  std::vector<std::string> out;
  for (auto each = begin; each != end; ++each) out.push_back(each->text);
  return out;
}

/// The failure for a missing version; lists the versions near `near`, else near the latest.
Failure none(const Packument& packument, std::optional<Version> near, std::string message) {
  const auto candidates = candidates_of(packument);
  if (candidates.empty()) {
    return {QUARRY_NOT_FOUND,
            std::move(message),
            "It has no versions at all; it may have been unpublished.",
            {}};
  }
  const auto latest = packument.tags.find("latest");
  if (!near && latest != packument.tags.end()) near = Version::parse(latest->second);
  if (!near) near = candidates.back().version;
  std::string hint = "The nearest versions are " + list_of(nearest(candidates, *near)) + ".";
  if (!packument.tags.empty()) hint += " Tagged: " + tags_of(packument) + ".";
  return {QUARRY_NOT_FOUND, std::move(message), std::move(hint), {}};
}

const Candidate* best(const std::vector<Candidate>& candidates, const Range& range) {
  const Candidate* found = nullptr;
  for (const Candidate& candidate : candidates) {
    if (!range.contains(candidate.version)) continue;
    if (found == nullptr || !candidate.deprecated || found->deprecated) found = &candidate;
  }
  return found;
}

bool is_every_version(const Wanted& wanted) {
  return wanted.text == "*";
}

/// The version tagged "latest", when it is inside the range.
const std::string* latest_inside(const Packument& packument, const Wanted& wanted) {
  const auto tagged = packument.tags.find("latest");
  if (tagged == packument.tags.end()) return nullptr;
  const auto release = packument.releases.find(tagged->second);
  if (release == packument.releases.end() || !release->second.deprecated.empty()) return nullptr;
  const auto version = Version::parse(tagged->second);
  const bool inside = version && (is_every_version(wanted) || wanted.range->contains(*version));
  return inside ? &tagged->second : nullptr;
}

Outcome<std::string> choose_tagged(const Packument& packument, const Wanted& wanted) {
  const auto tagged = packument.tags.find(wanted.text);
  if (tagged == packument.tags.end()) {
    return none(packument, {}, packument.name + " has no dist-tag " + wanted.text);
  }
  if (packument.releases.contains(tagged->second)) return tagged->second;
  return none(packument, Version::parse(tagged->second),
              packument.name + " is tagged " + wanted.text + " at " + tagged->second +
                  ", a version that the registry does not have");
}

}  // namespace

Failure no_version(const Packument& packument, const std::string& version) {
  return none(packument, Version::parse(version), packument.name + " has no version " + version);
}

Outcome<std::string> choose(const Packument& packument, const Wanted& wanted) {
  if (wanted.is_tag()) return choose_tagged(packument, wanted);
  if (wanted.version) {
    if (packument.releases.contains(wanted.text)) return wanted.text;
    return no_version(packument, wanted.text);
  }
  if (const std::string* latest = latest_inside(packument, wanted)) return *latest;
  const auto candidates = candidates_of(packument);
  if (const Candidate* found = best(candidates, *wanted.range)) return found->text;
  return none(packument, wanted.range->landmark(),
              packument.name + " has no version in the range " + wanted.text);
}

}  // namespace quarry::resource_npm
