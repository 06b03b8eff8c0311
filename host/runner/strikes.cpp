#include "runner/strikes.h"

#include "base/file.h"
#include "base/text.h"

#include <algorithm>
#include <functional>
#include <system_error>
#include <utility>

namespace quarry::runner {
namespace {

constexpr const char* kIfRepeated = "if this repeats, update the plugin, or tell its author";

}  // namespace

bool is_quarantined(const std::filesystem::path& list, const std::string& sha256) {
  const auto text = list.empty() ? Result<std::string>("") : read_file(list);
  return text && std::ranges::count(split(*text, '\n'), sha256) != 0;
}

Error quarantined(const std::string& id, const CrashLimits& limits) {
  return {Code::kUnavailable,
          "plugin " + id + " (isolated) is not started: it crashed " + std::to_string(limits.most) +
              " times within " + std::to_string(Strikes::kWindow.count()) + " minutes",
          "update it, or disable it in [plugins] of the configuration; \"quarry plugins release " +
              id + "\" permits it again"};
}

Result<bool> release(const std::filesystem::path& list, const std::string& sha256) {
  if (!is_quarantined(list, sha256)) return false;
  const auto text = read_file(list);
  if (!text) return text.error();
  std::string others;
  for (const auto line : split(*text, '\n')) {
    if (!line.empty() && line != sha256) others += std::string(line) + "\n";
  }
  if (auto written = write_file_atomically(list, others); !written) return written.error();
  return true;
}

Strikes::Strikes(const Clock& clock, std::filesystem::path list, std::string sha256,
                 CrashLimits limits)
    : clock_(clock),
      list_(std::move(list)),
      sha256_(std::move(sha256)),
      limits_(limits),
      quarantined_(is_quarantined(list_, sha256_)),
      listed_(quarantined_) {}

/// The crashes by `input` with this one. They are forgotten with the window, as are those by all
/// others. Requires the mutex.
Strikes::Times* Strikes::count_input(std::string_view input) {
  std::erase_if(by_input_, [&](const auto& one) { return recent(one.second) == 0; });
  Times& crashes = by_input_[std::hash<std::string_view>()(input)];
  crashes.push_back(clock_.steady_now());
  const bool known = crashes.size() > 1;
  return known || by_input_.size() <= limits_.most_inputs ? &crashes : nullptr;
}

std::size_t Strikes::recent(const Times& crashes) const {
  const auto now = clock_.steady_now();
  return static_cast<std::size_t>(
      std::ranges::count_if(crashes, [&](const auto& crash) { return now - crash < kWindow; }));
}

std::string Strikes::add(std::string_view input) {
  const std::lock_guard lock(mutex_);
  if (const Times* const of_input = input.empty() ? nullptr : count_input(input)) {
    if (recent(*of_input) < limits_.most_by_input) return kIfRepeated;
    return "the plugin is not given this again for " + std::to_string(kWindow.count()) +
           " minutes: update the plugin, or tell its author";
  }
  const auto now = clock_.steady_now();
  std::erase_if(crashes_, [&](const auto& crash) { return now - crash >= kWindow; });
  crashes_.push_back(now);
  if (crashes_.size() < limits_.most) return kIfRepeated;
  if (!std::exchange(quarantined_, true)) listed_ = write_list();
  if (!limits_.lasts) return "it is not started again for this project while it crashes so often";
  return "it is not started again until its file changes or \"quarry plugins release\" permits it: "
         "update or disable it";
}

bool Strikes::quarantined() {
  const std::lock_guard lock(mutex_);
  const bool released = listed_ && !is_quarantined(list_, sha256_);
  if (released) crashes_.clear();
  if (released || (!limits_.lasts && !listed_ && recent(crashes_) < limits_.most)) {
    quarantined_ = listed_ = false;
  }
  return quarantined_;
}

std::chrono::milliseconds Strikes::wait() const {
  const std::lock_guard lock(mutex_);
  if (crashes_.size() < 2) return std::chrono::milliseconds(0);
  const auto permitted = crashes_.back() + limits_.first_delay * (1u << (crashes_.size() - 2));
  return std::max(std::chrono::milliseconds(0),
                  std::chrono::ceil<std::chrono::milliseconds>(permitted - clock_.steady_now()));
}

std::size_t Strikes::by(std::string_view input) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_input_.find(std::hash<std::string_view>()(input));
  return input.empty() || found == by_input_.end() ? 0 : recent(found->second);
}

bool Strikes::none() const {
  const std::lock_guard lock(mutex_);
  return recent(crashes_) == 0 &&
         std::ranges::all_of(by_input_, [&](const auto& one) { return recent(one.second) == 0; });
}

/// If the list cannot be written, the quarantine ends with this process.
bool Strikes::write_list() const {
  if (list_.empty()) return false;
  std::error_code ignored;
  std::filesystem::create_directories(list_.parent_path(), ignored);
  const auto before = read_file(list_);
  return write_file_atomically(list_, before.value_or("") + sha256_ + "\n").has_value();
}

}  // namespace quarry::runner
