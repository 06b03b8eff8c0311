#include "resource-pypi/pep440.h"

#include "package_source/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace quarry::resource_pypi {
namespace {

using package_source::is_space;
using package_source::lower;
using package_source::trimmed;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_separator(char c) {
  return c == '.' || c == '-' || c == '_';
}
/// Reads a version from left to right.
class VersionReader {
 public:
  explicit VersionReader(std::string_view rest) : rest_(rest) {}

  [[nodiscard]] bool done() const { return rest_.empty(); }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<Number> number() {
    std::size_t size = 0;
    while (size < rest_.size() && is_digit(rest_[size])) ++size;
    if (size == 0) return std::nullopt;
    std::string_view digits = rest_.substr(0, size);
    rest_.remove_prefix(size);
    while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
    return Number{std::string(digits)};
  }
  /// A separator, one of `words`, a separator and a number, all but the word optional.
  template <std::size_t N>
  std::optional<std::pair<std::size_t, Number>> part(const std::array<std::string_view, N>& words) {
    const std::string_view before = rest_;
    if (!rest_.empty() && is_separator(rest_.front())) rest_.remove_prefix(1);
    for (std::size_t i = 0; i < N; ++i) {
      if (!rest_.starts_with(words[i])) continue;
      rest_.remove_prefix(words[i].size());
      return std::pair{i, number_after_separator()};
    }
    rest_ = before;
    return std::nullopt;
  }
  /// The post-release "-1" without a word.
  std::optional<Number> short_post() {
    const std::string_view before = rest_;
    if (take('-')) {
      if (auto found = number()) return found;
    }
    rest_ = before;
    return std::nullopt;
  }
  std::vector<Number> release() {
    std::vector<Number> out;
    auto next = number();
    while (next) {
      out.push_back(std::move(*next));
      const std::string_view before = rest_;
      next = take('.') ? number() : std::nullopt;
      if (!next) rest_ = before;
    }
    return out;
  }
  /// The segments after '+'; none when they are malformed.
  std::vector<std::string> local() {
    std::vector<std::string> out(1);
    for (; !rest_.empty(); rest_.remove_prefix(1)) {
      const char c = rest_.front();
      if (is_separator(c)) {
        out.emplace_back();
      } else if (is_digit(c) || (c >= 'a' && c <= 'z')) {
        out.back() += c;
      } else {
        return {};
      }
    }
    for (std::string& segment : out) {
      if (segment.empty()) return {};
      if (std::all_of(segment.begin(), segment.end(), is_digit)) {
        segment.erase(0, std::min(segment.find_first_not_of('0'), segment.size() - 1));
      }
    }
    return out;
  }

 private:
  Number number_after_separator() {
    const std::string_view before = rest_;
    if (!rest_.empty() && is_separator(rest_.front())) rest_.remove_prefix(1);
    if (auto found = number()) return *found;
    rest_ = before;
    return {};
  }

  std::string_view rest_;
};

// Longer words first, since "c" begins none of them but "a" begins "alpha".
constexpr std::array<std::string_view, 8> kPre{"alpha", "beta", "preview", "pre",
                                               "rc",    "a",    "b",       "c"};
constexpr std::array<std::string_view, 8> kPreLetter{"a", "b", "rc", "rc", "rc", "a", "b", "rc"};
constexpr std::array<std::string_view, 3> kPost{"post", "rev", "r"};
constexpr std::array<std::string_view, 1> kDev{"dev"};
constexpr std::size_t kLongestVersion = 512;

bool read_release(VersionReader& reader, Version& version) {
  version.release = reader.release();
  if (version.release.size() == 1 && reader.take('!')) {
    version.epoch = version.release[0];
    version.release = reader.release();
  }
  return !version.release.empty();
}

void read_suffixes(VersionReader& reader, Version& version) {
  if (const auto pre = reader.part(kPre)) {
    version.pre_letter = kPreLetter[pre->first];
    version.pre = pre->second;
  }
  if (auto post = reader.short_post()) {
    version.post = std::move(post);
  } else if (const auto named = reader.part(kPost)) {
    version.post = named->second;
  }
  if (const auto dev = reader.part(kDev)) version.dev = dev->second;
}

/// The release without trailing zeros, which do not matter in comparisons.
std::size_t significant(const std::vector<Number>& release) {
  std::size_t size = release.size();
  while (size > 0 && release[size - 1] == Number{}) --size;
  return size;
}

std::strong_ordering compare_release(const Version& a, const Version& b) {
  return std::lexicographical_compare_three_way(
      a.release.begin(), a.release.begin() + static_cast<std::ptrdiff_t>(significant(a.release)),
      b.release.begin(), b.release.begin() + static_cast<std::ptrdiff_t>(significant(b.release)));
}

/// Order of the pre-release part: a development release of the final comes first, the final last.
int pre_rank(const Version& version) {
  if (!version.pre_letter.empty()) return 1;
  return !version.post && version.dev ? 0 : 2;
}

std::strong_ordering compare_local(const std::string& a, const std::string& b) {
  const bool a_number = is_digit(a.front()) && std::all_of(a.begin(), a.end(), is_digit);
  const bool b_number = is_digit(b.front()) && std::all_of(b.begin(), b.end(), is_digit);
  if (a_number != b_number) return a_number <=> b_number;
  return a_number ? Number{a} <=> Number{b} : a <=> b;
}

/// A version as the segments that "==" with ".*" compares; the release padded to `length`.
std::vector<std::string> segments(const Version& version, std::size_t length) {
  std::vector<std::string> out{version.epoch.digits};
  for (std::size_t i = 0; i < std::max(length, version.release.size()); ++i) {
    out.push_back(i < version.release.size() ? version.release[i].digits : "0");
  }
  if (!version.pre_letter.empty()) out.push_back(version.pre_letter + version.pre.digits);
  if (version.post) out.push_back("post" + version.post->digits);
  if (version.dev) out.push_back("dev" + version.dev->digits);
  return out;
}

bool has_prefix(const Version& candidate, const Version& prefix) {
  const auto wanted = segments(prefix, 0);
  const auto given = segments(candidate, prefix.release.size());
  return given.size() >= wanted.size() && std::equal(wanted.begin(), wanted.end(), given.begin());
}

bool is_compatible(const Version& candidate, const Version& wanted) {
  Version prefix = wanted.base();
  prefix.release.pop_back();
  return candidate.without_local() >= wanted && has_prefix(candidate.without_local(), prefix);
}

bool is_less(const Version& candidate, const Version& bound) {
  if (!(candidate < bound)) return false;
  return bound.is_prerelease() || !candidate.is_prerelease() || candidate.base() != bound.base();
}

bool is_greater(const Version& candidate, const Version& bound) {
  if (!(candidate > bound)) return false;
  if (candidate.base() != bound.base()) return true;
  return (bound.post || !candidate.post) && candidate.local.empty();
}

std::optional<Clause> arbitrary(std::string_view text) {
  if (text.empty() || text.find_first_of(" ,;)") != std::string_view::npos) return std::nullopt;
  Clause clause{"===", lower(text), {}, false};
  if (auto version = Version::parse(text)) clause.version = std::move(*version);
  return clause;
}

std::optional<Clause> clause_of(std::string_view text) {
  constexpr std::array<std::string_view, 8> kOperators{
      "===", "~=", "==", "!=", "<=", ">=", "<", ">"};
  Clause clause{"==", {}, {}, false};
  for (const std::string_view op : kOperators) {
    if (!text.starts_with(op)) continue;
    clause.op = op;
    text = trimmed(text.substr(op.size()));
    break;
  }
  if (clause.op == "===") return arbitrary(text);
  const bool equality = clause.op == "==" || clause.op == "!=";
  if (equality && text.ends_with(".*")) {
    clause.prefix = true;
    text.remove_suffix(2);
  }
  auto version = Version::parse(text);
  if (!version || is_space(text.back()) || is_space(text.front())) return std::nullopt;
  if (clause.prefix && (version->dev || !version->local.empty())) return std::nullopt;
  if (!equality && !version->local.empty()) return std::nullopt;
  if (clause.op == "~=" && version->release.size() < 2) return std::nullopt;
  clause.version = std::move(*version);
  clause.text = clause.version.text() + (clause.prefix ? ".*" : "");
  return clause;
}

}  // namespace

std::strong_ordering Number::operator<=>(const Number& other) const {
  if (digits.size() != other.digits.size()) return digits.size() <=> other.digits.size();
  return digits <=> other.digits;
}

std::optional<Version> Version::parse(std::string_view text) {
  text = trimmed(text);
  if (text.size() > kLongestVersion) return std::nullopt;
  const std::string folded = lower(text);
  VersionReader reader(folded);
  reader.take('v');
  Version version;
  if (!read_release(reader, version)) return std::nullopt;
  read_suffixes(reader, version);
  if (reader.take('+')) {
    version.local = reader.local();
    if (version.local.empty()) return std::nullopt;
  }
  return reader.done() ? std::optional(version) : std::nullopt;
}

std::string Version::text() const {
  std::string out = epoch == Number{} ? "" : epoch.digits + "!";
  for (std::size_t i = 0; i < release.size(); ++i) {
    out += (i == 0 ? "" : ".") + release[i].digits;
  }
  if (!pre_letter.empty()) out += pre_letter + pre.digits;
  if (post) out += ".post" + post->digits;
  if (dev) out += ".dev" + dev->digits;
  for (std::size_t i = 0; i < local.size(); ++i) out += (i == 0 ? "+" : ".") + local[i];
  return out;
}

Version Version::without_local() const {
  Version out = *this;
  out.local.clear();
  return out;
}

Version Version::base() const {
  Version out;
  out.epoch = epoch;
  out.release = release;
  return out;
}

std::strong_ordering Version::operator<=>(const Version& other) const {
  if (const auto order = epoch <=> other.epoch; order != 0) return order;
  if (const auto order = compare_release(*this, other); order != 0) return order;
  if (const auto order = pre_rank(*this) <=> pre_rank(other); order != 0) return order;
  if (const auto order = pre_letter <=> other.pre_letter; order != 0) return order;
  if (const auto order = pre <=> other.pre; order != 0) return order;
  if (post.has_value() != other.post.has_value())
    return post.has_value() <=> other.post.has_value();
  if (post) {
    if (const auto order = *post <=> *other.post; order != 0) return order;
  }
  if (dev.has_value() != other.dev.has_value()) return other.dev.has_value() <=> dev.has_value();
  if (dev) {
    if (const auto order = *dev <=> *other.dev; order != 0) return order;
  }
  return std::lexicographical_compare_three_way(local.begin(), local.end(), other.local.begin(),
                                                other.local.end(), compare_local);
}

bool Clause::matches(const Version& candidate) const {
  if (op == "===") return candidate.text() == text;
  if (op == "~=") return is_compatible(candidate, version);
  if (op == "<=") return candidate.without_local() <= version;
  if (op == ">=") return candidate.without_local() >= version;
  if (op == "<") return is_less(candidate, version);
  if (op == ">") return is_greater(candidate, version);
  const bool equal =
      prefix ? has_prefix(candidate.without_local(), version)
             : (version.local.empty() ? candidate.without_local() : candidate) == version;
  return (op == "==") == equal;
}

std::optional<Specifier> Specifier::parse(std::string_view text, std::string* fault) {
  Specifier out;
  text = trimmed(text);
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = trimmed(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (part.empty()) continue;  // a comma too many, which packaging accepts
    auto clause = clause_of(part);
    if (!clause) {
      if (fault != nullptr) *fault = part;
      return std::nullopt;
    }
    out.clauses_.push_back(std::move(*clause));
  }
  const auto key = [](const Clause& clause) { return std::pair(clause.op, clause.text); };
  std::sort(out.clauses_.begin(), out.clauses_.end(),
            [&](const Clause& a, const Clause& b) { return key(a) < key(b); });
  const auto same = [&](const Clause& a, const Clause& b) { return key(a) == key(b); };
  out.clauses_.erase(std::unique(out.clauses_.begin(), out.clauses_.end(), same),
                     out.clauses_.end());
  return out;
}

bool Specifier::matches(const Version& candidate) const {
  return std::all_of(clauses_.begin(), clauses_.end(),
                     [&](const Clause& clause) { return clause.matches(candidate); });
}

bool Specifier::admits_prereleases() const {
  return std::any_of(clauses_.begin(), clauses_.end(), [](const Clause& clause) {
    return clause.op != "!=" && clause.op != "<" && clause.op != ">" &&
           clause.version.is_prerelease();
  });
}

bool Specifier::is_pinned() const {
  return std::any_of(clauses_.begin(), clauses_.end(), [](const Clause& clause) {
    return clause.op == "===" || (clause.op == "==" && !clause.prefix);
  });
}

std::string Specifier::text() const {
  std::string out;
  for (const Clause& clause : clauses_) out += (out.empty() ? "" : ",") + clause.op + clause.text;
  return out;
}

}  // namespace quarry::resource_pypi
