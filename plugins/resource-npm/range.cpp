#include "resource-npm/range.h"

#include "package_source/text.h"

#include <algorithm>
#include <string>

namespace quarry::resource_npm {
namespace {

using package_source::trimmed;

using Bound = Range::Bound;
using Comparators = Range::Comparators;

/// A version with possibly open parts, such as "1.x" or "1". An open part has no number.
struct Partial {
  std::string_view prefix;  ///< "v", "=" and spaces
  std::optional<std::uint64_t> major, minor, patch;
  std::vector<std::string> prerelease;

  [[nodiscard]] bool open() const { return !major || !minor || !patch; }
  /// True for text such as "x.1", which has no meaning.
  [[nodiscard]] bool is_disordered() const {
    return (!major && minor.has_value()) || (!minor && patch.has_value());
  }
  /// True for one exact version, with at most "v" before it.
  [[nodiscard]] bool is_plain() const { return !open() && (prefix.empty() || prefix == "v"); }
  [[nodiscard]] Version lowest() const {
    if (open()) return {*major, minor.value_or(0), 0, {}};
    return {*major, *minor, *patch, prerelease};
  }
};

bool skip(std::string_view& text, std::string_view what) {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  return true;
}

void skip_spaces(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
}

/// Takes a number, or "x" for none; false when there is neither.
bool take_part(std::string_view& text, std::optional<std::uint64_t>& part) {
  if (skip(text, "x") || skip(text, "X") || skip(text, "*")) return true;
  part = take_number(text);
  return part.has_value();
}

/// Removes a partial version from the front of `text`, up to a space or the end. Any of `marks` may
/// precede it.
std::optional<Partial> take_partial(std::string_view& text, std::string_view marks) {
  Partial out;
  out.prefix = text.substr(0, std::min(text.find_first_not_of(marks), text.size()));
  text.remove_prefix(out.prefix.size());
  bool taken = take_part(text, out.major);
  if (taken && skip(text, ".")) {
    taken = take_part(text, out.minor);
    if (taken && skip(text, ".")) {
      taken = take_part(text, out.patch);
      if (taken && skip(text, "-")) {
        auto prerelease = take_prerelease(text);
        if (!prerelease) return std::nullopt;
        out.prerelease = std::move(*prerelease);
      }
    }
  }
  if (!taken || (!text.empty() && text[0] != ' ')) return std::nullopt;
  return out;
}

/// The first release after those of `major`, or of `major` and `minor`; its lowest prerelease, so
/// that no prerelease of it is below.
Version release_after(std::uint64_t major) {
  return {major + 1, 0, 0, {"0"}};
}
Version release_after(std::uint64_t major, std::uint64_t minor) {
  return {major, minor + 1, 0, {"0"}};
}

Version release_after(const Partial& partial) {
  return partial.minor ? release_after(*partial.major, *partial.minor)
                       : release_after(*partial.major);
}

/// The first version that "^" excludes: the next that changes the leftmost nonzero number.
Version after_caret(const Partial& partial) {
  if (*partial.major != 0 || !partial.minor) return release_after(*partial.major);
  if (*partial.minor != 0 || !partial.patch) return release_after(0, *partial.minor);
  return {0, 0, *partial.patch + 1, {"0"}};
}

Version released(Version version) {
  version.prerelease.clear();
  return version;
}

/// Adds the span from the lowest version of `partial` up to `end`.
void add_span(Comparators& out, const Partial& partial, const Version& end) {
  out.push_back({Bound::kAtLeast, partial.lowest()});
  out.push_back({Bound::kLess, end});
}

void add_open(Comparators& out, Bound bound, const Partial& partial) {
  if (!partial.major) {
    if (bound == Bound::kLess || bound == Bound::kMore) {
      out.push_back({Bound::kLess, {0, 0, 0, {"0"}}});  // no version is below
    }
    return;
  }
  switch (bound) {
    case Bound::kEqual:
      return add_span(out, partial, release_after(partial));
    case Bound::kMore:
      return out.push_back({Bound::kAtLeast, released(release_after(partial))});
    case Bound::kAtMost:
      return out.push_back({Bound::kLess, release_after(partial)});
    case Bound::kAtLeast:
      return out.push_back({bound, partial.lowest()});
    case Bound::kLess:
      break;
  }
  Version end = partial.lowest();
  end.prerelease = {"0"};
  out.push_back({bound, std::move(end)});
}

Bound take_bound(std::string_view& text) {
  const bool more = skip(text, ">");
  const bool less = !more && skip(text, "<");
  const std::string_view rest = text;
  skip_spaces(text);
  const bool equal = skip(text, "=");
  if (!equal) text = rest;
  if (more) return equal ? Bound::kAtLeast : Bound::kMore;
  if (less) return equal ? Bound::kAtMost : Bound::kLess;
  return Bound::kEqual;
}

constexpr std::string_view kMarks = "v=";

bool take_tilde_or_caret(std::string_view& text, bool caret, Comparators& out) {
  skip_spaces(text);
  const auto partial = take_partial(text, kMarks);
  if (!partial) return false;
  if (partial->major)
    add_span(out, *partial, caret ? after_caret(*partial) : release_after(*partial));
  return true;
}

/// Removes one comparator from the front of `text`.
bool take_comparator(std::string_view& text, Comparators& out) {
  if (skip(text, "^")) return take_tilde_or_caret(text, true, out);
  if (skip(text, "~")) {
    skip_spaces(text);
    skip(text, ">");
    return take_tilde_or_caret(text, false, out);
  }
  const Bound bound = take_bound(text);
  skip_spaces(text);
  const auto partial = take_partial(text, kMarks);
  if (!partial || partial->is_disordered()) return false;
  if (partial->open()) {
    add_open(out, bound, *partial);
    return true;
  }
  if (!partial->is_plain()) return false;
  out.push_back({bound, partial->lowest()});
  return true;
}

/// Parses "1.2 - 2.3"; nullopt for any other form.
std::optional<Comparators> parse_hyphen(std::string_view text) {
  constexpr std::string_view kMarksAndSpaces = "v= ";
  const auto from = take_partial(text, kMarksAndSpaces);
  skip_spaces(text);
  if (!from || !skip(text, "- ")) return std::nullopt;
  const auto to = take_partial(text, kMarksAndSpaces);
  if (!to || !text.empty()) return std::nullopt;
  Comparators out;
  if (from->major) {
    if (!from->open() && !from->is_plain()) return std::nullopt;
    out.push_back({Bound::kAtLeast, from->lowest()});
  }
  if (!to->major) return out;
  if (to->open()) {
    out.push_back({Bound::kLess, release_after(*to)});
    return out;
  }
  if (to->prerelease.empty() && !to->is_plain()) return std::nullopt;
  out.push_back({Bound::kAtMost, to->lowest()});
  return out;
}

std::optional<Comparators> parse_comparators(std::string_view text) {
  Comparators out;
  for (text = trimmed(text); !text.empty(); skip_spaces(text)) {
    if (!take_comparator(text, out)) return std::nullopt;
  }
  return out;
}

/// Removes ">=0.0.0", which admits every version, even next to a prerelease of 0.0.0.
void drop_what_always_holds(Comparators& comparators) {
  std::erase_if(comparators, [](const Range::Comparator& comparator) {
    return comparator.bound == Bound::kAtLeast && comparator.version == Version{};
  });
}

bool is_possible(const Comparators& comparators) {
  return std::ranges::all_of(comparators, [](const Range::Comparator& comparator) {
    const Version& version = comparator.version;
    return std::max({version.major, version.minor, version.patch}) <= kLargestNumber;
  });
}

bool holds(const Range::Comparator& comparator, const Version& version) {
  const auto order = version <=> comparator.version;
  switch (comparator.bound) {
    case Bound::kEqual:
      return order == 0;
    case Bound::kLess:
      return order < 0;
    case Bound::kAtMost:
      return order <= 0;
    case Bound::kMore:
      return order > 0;
    case Bound::kAtLeast:
      return order >= 0;
  }
  return false;
}

bool satisfies(const Comparators& comparators, const Version& version) {
  const auto permits_prerelease = [&](const Range::Comparator& comparator) {
    return !comparator.version.prerelease.empty() && comparator.version.same_release(version);
  };
  return std::ranges::all_of(comparators, [&](const auto& each) { return holds(each, version); }) &&
         (version.prerelease.empty() || std::ranges::any_of(comparators, permits_prerelease));
}

/// `text` with white space collapsed, and without "+build", which is ignored.
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at++];
    const bool space = trimmed({&c, 1}).empty();
    if (c == '+' && at < text.size() && is_identifier(text[at])) {
      while (at < text.size() &&
             (is_identifier(text[at]) ||
              (text[at] == '.' && at + 1 < text.size() && is_identifier(text[at + 1])))) {
        ++at;
      }
    } else if (!space) {
      out += c;
    } else if (!out.ends_with(' ')) {
      out += ' ';
    }
  }
  return out;
}

}  // namespace

std::optional<Range> Range::parse(std::string_view text) {
  const std::string whole = plain(text);
  Range out;
  std::string_view rest = whole;
  while (true) {
    const auto bar = rest.find("||");
    const std::string_view part = trimmed(rest.substr(0, bar));
    auto comparators = parse_hyphen(part);
    if (!comparators) comparators = parse_comparators(part);
    if (!comparators || !is_possible(*comparators)) return std::nullopt;
    drop_what_always_holds(*comparators);
    out.alternatives_.push_back(std::move(*comparators));
    if (bar == rest.npos) break;
    rest.remove_prefix(bar + 2);
  }
  // Next to "every version" no other alternative has an effect, not even on prereleases.
  const auto every = std::ranges::find(out.alternatives_, 0u, &Comparators::size);
  if (every != out.alternatives_.end()) out.alternatives_ = {{}};
  return out;
}

std::optional<Version> Range::landmark() const {
  for (const Comparators& comparators : alternatives_) {
    if (!comparators.empty()) return comparators.front().version;
  }
  return std::nullopt;
}

bool Range::contains(const Version& version) const {
  return std::ranges::any_of(alternatives_,
                             [&](const auto& each) { return satisfies(each, version); });
}

}  // namespace quarry::resource_npm
