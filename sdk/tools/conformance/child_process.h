#pragma once

#include "base/file.h"
#include "conformance/verdict.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace quarry::conformance {

/// A value of this process in /proc/self/status, as "VmRSS:", in bytes; 0 if it is not there.
std::uint64_t status_bytes(std::string_view name);

/// Text in memory that a child shares with its parent: the function that runs. [any thread]
class Note {
 public:
  static constexpr std::size_t kSize = 512;

  Note();
  ~Note();
  Note(Note&& other) noexcept : text_(std::exchange(other.text_, nullptr)) {}
  Note& operator=(Note&&) = delete;

  void write(std::string_view text) const;
  [[nodiscard]] std::string read() const;

 private:
  char* text_;
};

/// Output streams of a child that ran code of a plugin.
struct ChildOutput {
  int standard = -1;  ///< descriptors of files in memory
  int error = -1;
};

/// One check in a forked child process, in a process group of its own that ends with the object.
class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;
  /// Runs in the child.
  using Task = std::function<Verdict(const Note&, const ChildOutput&)>;
  struct Limits {
    std::chrono::milliseconds time{};
    std::uint64_t memory = 0;  ///< private memory in bytes beyond that of this process; 0 = none
    std::filesystem::path directory;  ///< current directory of the child
  };

  static Result<ChildProcess> start(const Task& task, const Limits& limits);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  /// Descriptors to poll for reading: its result, and its end.
  [[nodiscard]] std::array<int, 2> descriptors() const { return {result_.get(), end_.get()}; }
  [[nodiscard]] Clock::time_point deadline() const { return started_ + limits_.time; }
  [[nodiscard]] Clock::time_point started() const { return started_; }
  /// True once it has a result, has ended, or is beyond its deadline.
  bool is_done();
  /// Kills what is left and returns the result. Once, after is_done().
  Verdict finish();

 private:
  ChildProcess(Note note, Limits limits) : note_(std::move(note)), limits_(std::move(limits)) {}
  void read_result();
  [[nodiscard]] std::string while_it_ran() const;
  [[nodiscard]] Verdict verdict_of_end(int status) const;
  [[nodiscard]] std::string last_words() const;

  Note note_;
  Limits limits_;
  Clock::time_point started_ = Clock::now();
  pid_t pid_ = -1;
  Fd result_;
  Fd end_;
  Fd standard_;
  Fd error_;
  std::string text_;
  bool ended_ = false;
};

/// While it exists, processes that a child's plugin left behind become children of this process;
/// destruction kills and reaps them.
class Orphans {
 public:
  Orphans();
  ~Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;
};

}  // namespace quarry::conformance
