#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace quarry::resource_git {

/// Parses git's standard error incrementally; the input may be cut anywhere.
class Progress {
 public:
  /// `report` gets a JSON object for quarry_call.progress.
  explicit Progress(std::function<void(std::string_view json)> report)
      : report_(std::move(report)) {}

  void take(std::string_view bytes);
  /// Bytes received from the remote, approximately, as git last reported.
  [[nodiscard]] std::uint64_t received() const { return received_; }
  /// True once the transfer is complete and only local work remains.
  [[nodiscard]] bool all_received() const { return all_received_; }
  /// Warnings and errors, one per line, the last 64 KiB of them.
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

/// The JSON of a line such as "Receiving objects: 12% (3/25), 1.20 MiB | 3.00 MiB/s"; empty when
/// the line reports no progress.
std::string progress_of(std::string_view line);

/// The bytes that such a line reports, 1258291 for the one above; 0 when it reports none.
std::uint64_t received_bytes(std::string_view line);

}  // namespace quarry::resource_git
