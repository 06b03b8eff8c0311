#include "runner/strikes.h"

#include "base/file.h"
#include "base/text.h"

#include <algorithm>
#include <system_error>

namespace quarry::runner {

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

std::string Strikes::add() {
  const std::lock_guard lock(mutex_);
  const auto now = clock_.steady_now();
  std::erase_if(crashes_, [&](const auto& crash) { return now - crash >= kWindow; });
  crashes_.push_back(now);
  if (crashes_.size() < limits_.most) {
    return "if this repeats, update the plugin, or tell its author";
  }
  if (!std::exchange(quarantined_, true)) listed_ = write_list();
  return "it is not started again until its file changes or \"quarry plugins release\" permits it: "
         "update or disable it";
}

bool Strikes::quarantined() {
  const std::lock_guard lock(mutex_);
  if (listed_ && !is_quarantined(list_, sha256_)) {
    crashes_.clear();
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

/// If the list cannot be written, the quarantine ends with this process.
bool Strikes::write_list() const {
  if (list_.empty()) return false;
  std::error_code ignored;
  std::filesystem::create_directories(list_.parent_path(), ignored);
  const auto before = read_file(list_);
  return write_file_atomically(list_, before.value_or("") + sha256_ + "\n").has_value();
}

}  // namespace quarry::runner
