#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace quarry::resource_git {

/// What git prints on standard error while it works, taken apart as it comes, cut anywhere.
class Progress {
 public:
  /// `report` gets a JSON object for quarry_call.progress.
  explicit Progress(std::function<void(std::string_view json)> report)
      : report_(std::move(report)) {}

  void take(std::string_view bytes);
  /// About so many bytes of the repository came from the remote, by what git last said.
  [[nodiscard]] std::uint64_t received() const { return received_; }
  /// Whether all of it came: what follows is this machine's work.
  [[nodiscard]] bool all_received() const { return all_received_; }
  /// What was no progress: warnings and errors, a line each, the last 64 KiB of them.
  [[nodiscard]] std::string finish();

 private:
  void take_line();

  std::function<void(std::string_view)> report_;
  std::string line_;
  std::string rest_;
  std::string last_;
  std::uint64_t received_ = 0;
  bool all_received_ = false;
};

/// The JSON of a line such as "Receiving objects:  12% (3/25), 1.20 MiB | 3.00 MiB/s"; empty when
/// the line tells no progress.
std::string progress_of(std::string_view line);

/// The bytes such a line tells, 1258291 of the one above; 0 when it tells none.
std::uint64_t received_bytes(std::string_view line);

}  // namespace quarry::resource_git
