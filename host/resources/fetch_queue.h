#pragma once

#include "base/executor.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace quarry::resources {

/// Who asked for a job.
struct Claim {
  std::string principal;
  bool background = false;  ///< nobody waits for it: whatever else the principal asked for is first
};

/// Starts jobs that may take long, in turns: each principal has a share of what runs at once, and
/// what it asked for beyond that waits without keeping others waiting. Thread-safe; calls nothing
/// with its mutex held.
class FetchQueue {
 public:
  struct Limits {
    std::size_t at_once = 64;
    /// Of one principal; less when little of `at_once` is left. Half of it for the background.
    std::size_t per_principal = 8;
    /// From one host; but each principal may always have one there. 0 = no limit.
    std::size_t per_host = 4;
  };
  struct Job {
    std::string host;  ///< empty = none that counts
    std::function<void()> run;
    /// Told how many other jobs come before this one, each time that changes while it waits; at
    /// least 1. May be called once more after the job began. May be empty.
    std::function<void(std::size_t ahead)> waits;
  };
  class Ticket;
  using TicketPointer = std::shared_ptr<Ticket>;

  /// Jobs run on `executor`, which gets no more than `limits` permit and must outlive them. When it
  /// drops a job, so does the queue.
  FetchQueue(Executor& executor, Limits limits) : executor_(executor), limits_(limits) {}
  FetchQueue(const FetchQueue&) = delete;
  FetchQueue& operator=(const FetchQueue&) = delete;

  /// A job that waits until somebody claims it. It runs once at most.
  static TicketPointer make(Job job);
  /// Somebody waits for the job, or no more; the two may come in either order. The job begins when
  /// the turn of one claimant comes, and counts for that one; when that one is gone while it runs,
  /// for another.
  void claim(const TicketPointer& ticket, const Claim& claim);
  void disclaim(const TicketPointer& ticket, const Claim& claim);
  /// Drops a job that has not begun, at once.
  void drop(const TicketPointer& ticket);

 private:
  class Turn;
  using Line = std::list<TicketPointer>;
  struct Principal {
    Line foreground;
    Line background;
    std::size_t running = 0;
    std::size_t running_background = 0;
    std::map<std::string, std::size_t, std::less<>> running_of_host;
    std::uint64_t served = 0;  ///< when it last had its turn
    [[nodiscard]] bool gone() const {
      return foreground.empty() && background.empty() && running == 0;
    }
  };
  using Principals = std::map<std::string, Principal, std::less<>>;
  using Report = std::pair<TicketPointer, std::size_t>;

  void change(const TicketPointer& ticket, const Claim& claim, int by);
  void place(const TicketPointer& ticket, const std::string& name);
  void take_out(Ticket& ticket, const std::string& name);
  void take_out(Ticket& ticket);
  void charge(Ticket& ticket, const std::string& name);
  void discharge(Ticket& ticket);
  void recharge(Ticket& ticket);
  [[nodiscard]] bool may_run(const Principal& principal, bool background) const;
  [[nodiscard]] bool may_reach(const Principal& principal, const std::string& host) const;
  [[nodiscard]] TicketPointer first_of(const Principal& principal) const;
  TicketPointer begin_next(std::vector<Report>& reports);
  [[nodiscard]] std::size_t ahead_of(const Ticket& ticket) const;
  void report_line(const Principal& principal, std::vector<Report>& reports) const;
  void start_some();
  void end(Ticket& ticket);

  Executor& executor_;
  const Limits limits_;
  std::mutex mutex_;
  Principals principals_;
  std::map<std::string, std::size_t, std::less<>> running_of_host_;
  std::size_t running_ = 0;
  std::uint64_t turns_ = 0;
  bool starting_ = false;  // somebody is in start_some, and looks again
};

}  // namespace quarry::resources
