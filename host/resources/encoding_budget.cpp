#include "resources/encoding_budget.h"

#include "base/file.h"

#include <algorithm>
#include <sstream>
#include <string>

namespace quarry::resources {
namespace {

using Days = std::chrono::sys_days;

Days day_of(Clock::Wall time) {
  return std::chrono::floor<std::chrono::days>(time);
}

/// The count of `day` in a file's text "<day since 1970> <passages>"; 0 if it is of another day.
std::uint64_t count_of(const std::string& text, Days day) {
  std::istringstream in(text);
  std::int64_t counted_day = 0;
  std::uint64_t count = 0;
  if (!(in >> counted_day >> count)) return 0;
  return counted_day == day.time_since_epoch().count() ? count : 0;
}

}  // namespace

Result<std::uint64_t> EncodingBudget::reserve(std::uint64_t wanted) const {
  if (passages_a_day_ == 0) return wanted;
  // A lock on the counted file would be lost when it is replaced.
  const auto lock = FileLock::acquire(file_.string() + ".lock", FileLock::Mode::kExclusive);
  if (!lock) return lock.error();
  const Days day = day_of(clock_.now());
  const std::uint64_t used = count_of(read_file(file_).value_or(""), day);
  const std::uint64_t granted = std::min(wanted, passages_a_day_ - std::min(used, passages_a_day_));
  if (granted == 0) return granted;
  const auto written =
      write_file_atomically(file_, std::to_string(day.time_since_epoch().count()) + ' ' +
                                       std::to_string(used + granted) + '\n');
  if (!written) return written.error();
  return granted;
}

std::chrono::seconds EncodingBudget::left_of_day() const {
  const Clock::Wall now = clock_.now();
  return std::chrono::ceil<std::chrono::seconds>(day_of(now) + std::chrono::days(1) - now);
}

}  // namespace quarry::resources
