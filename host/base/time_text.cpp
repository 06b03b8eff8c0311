#include "base/time_text.h"

#include <chrono>

namespace quarry {
namespace {

void write_digits(char* first, char* last, unsigned number) {
  for (; last != first; number /= 10) *--last = static_cast<char>('0' + number % 10);
}

}  // namespace

// Long lists have two times an entry, and strftime would be a tenth of what they cost.
std::string rfc3339(Clock::Wall time) {
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(second);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(second - day);
  std::string out = "0000-00-00T00:00:00Z";
  const auto write = [&](std::size_t at, std::size_t digits, unsigned number) {
    write_digits(&out[at], &out[at] + digits, number);
  };
  write(0, 4, static_cast<unsigned>(static_cast<int>(date.year())));
  write(5, 2, static_cast<unsigned>(date.month()));
  write(8, 2, static_cast<unsigned>(date.day()));
  write(11, 2, static_cast<unsigned>(clock.hours().count()));
  write(14, 2, static_cast<unsigned>(clock.minutes().count()));
  write(17, 2, static_cast<unsigned>(clock.seconds().count()));
  return out;
}

}  // namespace quarry
