#include "resource-debian/release.h"

#include "resource-debian/version.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>

namespace quarry::resource_debian {
namespace {

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::optional<int> as_int(std::string_view text, int least, int most) {
  int number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size() ||
      number < least || number > most) {
    return std::nullopt;
  }
  return number;
}

// Only what leads to the sources of a component: the index names a thousand other files.
bool is_source_index(std::string_view path) {
  return path.ends_with("/source/Sources") || path.ends_with("/source/Sources.xz") ||
         path.ends_with("/source/Sources.gz");
}

}  // namespace

const Listed* Release::sources_of(std::string_view component) const {
  for (const std::string_view ending : {".xz", ".gz", ""}) {
    const auto found = files.find(std::string(component) + "/source/Sources" + std::string(ending));
    if (found != files.end()) return &found->second;
  }
  return nullptr;
}

std::optional<std::int64_t> as_time(std::string_view text) {
  // The day of the week is not needed; the zone is always UTC.
  auto parts = words(text, ",:");
  if (parts.size() == 8 && parts[7] == "+0000") parts[7] = "UTC";
  if (parts.size() != 8 || (parts[7] != "UTC" && parts[7] != "GMT")) return std::nullopt;
  const auto month = std::find(kMonths.begin(), kMonths.end(), parts[2]);
  const auto day = as_int(parts[1], 1, 31);
  const auto year = as_int(parts[3], 1970, 9999);
  const auto hour = as_int(parts[4], 0, 23);
  const auto minute = as_int(parts[5], 0, 59);
  const auto second = as_int(parts[6], 0, 60);
  if (month == kMonths.end() || !day || !year || !hour || !minute || !second) return std::nullopt;
  const auto number = static_cast<unsigned>(month - kMonths.begin()) + 1;
  const std::chrono::sys_days date = std::chrono::year(*year) / std::chrono::month(number) / *day;
  return ((date.time_since_epoch().count() * 24 + *hour) * 60 + *minute) * 60 + *second;
}

std::string as_day(std::int64_t seconds) {
  const std::chrono::year_month_day date(std::chrono::sys_days(std::chrono::days(seconds / 86400)));
  std::array<char, 80> out{};
  std::snprintf(out.data(), out.size(), "%04d-%02u-%02u %02d:%02d UTC",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(seconds / 3600 % 24),
                static_cast<int>(seconds / 60 % 60));
  return out.data();
}

Outcome<Release> read_release(std::string_view text) {
  Release out;
  out.origin = field(text, "Origin");
  out.suite = field(text, "Suite");
  out.codename = field(text, "Codename");
  out.by_hash = field(text, "Acquire-By-Hash") == "yes";
  const std::string date = field(text, "Date");
  const std::string until = field(text, "Valid-Until");
  const auto made = as_time(date);
  const auto ends = as_time(until);
  if (!made || (!until.empty() && !ends)) {
    return failure(
        QUARRY_UNAVAILABLE,
        "the index of the suite has a malformed date: \"" + shown(made ? until : date) + "\"",
        "use another mirror, or report it to the archive");
  }
  out.date = *made;
  out.valid_until = ends.value_or(0);
  for (Listed& file : listed_files(field(text, "SHA256"))) {
    if (is_source_index(file.name)) out.files.emplace(file.name, file);
  }
  const std::string components = field(text, "Components");
  for (const auto component : words(components)) {
    if (!is_component_name(component)) continue;
    // Debian's security archive calls "updates/main" what lies in "main".
    const auto last = component.substr(component.rfind('/') + 1);
    out.components.emplace_back(out.sources_of(component) != nullptr ? component : last);
  }
  return out;
}

}  // namespace quarry::resource_debian
