// Applies hunks where GNU patch would: at the stated line, else at the nearest line that fits.
#include "resource-debian/patch.h"

namespace quarry::resource_debian {
namespace {

using Lines = std::vector<std::string_view>;
using Signed = std::ptrdiff_t;

Lines lines_of(std::string_view text) {
  Lines out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end == std::string_view::npos ? end : end + 1);
    out.push_back(line);
    text.remove_prefix(line.size());
  }
  return out;
}

// Finds hunks of one file in order. Lines are counted from 1.
class Locator {
 public:
  explicit Locator(const Lines& lines) : lines_(lines) {}

  // The line at which the hunk fits; 0 = nowhere.
  Signed locate(const Hunk& hunk) {
    const auto size = static_cast<Signed>(hunk.before.size());
    const auto all = static_cast<Signed>(lines_.size());
    const Signed guess = static_cast<Signed>(hunk.old_first) + offset_;
    if (size == 0) return guess >= frozen_ + 1 && guess <= all + 1 ? guess : 0;
    const bool at_begin = hunk.prefix < hunk.suffix && hunk.old_first <= 1;
    const bool at_end = hunk.suffix < hunk.prefix;
    if (at_begin) return accept(hunk, guess, 1);
    if (at_end) return accept(hunk, guess, all - size + 1);
    const Signed last = all - size + 1;
    const Signed first = frozen_ + 1;
    const Signed most = std::max(last - guess, guess - first);
    for (Signed offset = std::max<Signed>(0, guess - last); offset <= most; ++offset) {
      if (const Signed found = accept(hunk, guess, guess + offset)) return found;
      if (const Signed found = accept(hunk, guess, guess - offset)) return found;
    }
    return 0;
  }
  // Lines up to the last changed one cannot be matched again.
  void freeze(const Hunk& hunk, Signed where) {
    frozen_ = where - 1 + static_cast<Signed>(hunk.before.size() - kept_suffix(hunk));
  }
  static std::size_t kept_suffix(const Hunk& hunk) {
    return std::min({hunk.suffix, hunk.before.size(), hunk.after.size()});
  }
  [[nodiscard]] Signed frozen() const { return frozen_; }

 private:
  Signed accept(const Hunk& hunk, Signed guess, Signed where) {
    if (where <= frozen_ || !fits(hunk, where)) return 0;
    offset_ += where - guess;
    return where;
  }
  [[nodiscard]] bool fits(const Hunk& hunk, Signed where) const {
    const auto begin = static_cast<std::size_t>(where - 1);
    if (where < 1 || begin + hunk.before.size() > lines_.size()) return false;
    return std::equal(hunk.before.begin(), hunk.before.end(),
                      lines_.begin() + static_cast<Signed>(begin));
  }

  const Lines& lines_;
  Signed offset_ = 0;
  Signed frozen_ = 0;
};

}  // namespace

std::optional<std::string> apply_hunks(std::string_view text, const std::vector<Hunk>& hunks) {
  const Lines lines = lines_of(text);
  Locator locator(lines);
  std::string out;
  // Only the last line of a file may be without a line end.
  const auto add = [&](std::string_view line) {
    if (!out.empty() && out.back() != '\n') out += '\n';
    out += line;
  };
  const auto copy = [&](Signed from, Signed to) {  // lines after `from` up to `to`
    for (Signed line = from; line < to; ++line) add(lines[static_cast<std::size_t>(line)]);
  };
  for (const Hunk& hunk : hunks) {
    const Signed where = locator.locate(hunk);
    if (where == 0) return std::nullopt;
    copy(locator.frozen(), where - 1);
    const std::size_t kept = Locator::kept_suffix(hunk);
    for (std::size_t i = 0; i + kept < hunk.after.size(); ++i) add(hunk.after[i]);
    locator.freeze(hunk, where);
  }
  copy(locator.frozen(), static_cast<Signed>(lines.size()));
  return out;
}

}  // namespace quarry::resource_debian
