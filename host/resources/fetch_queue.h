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

/// Claim of a principal on a job.
struct Claim {
  std::string principal;
  bool background = false;  ///< no caller waits: other jobs of the principal run first
};

/// Starts long-running jobs in turns: each principal has a share of the slots, and its further jobs
/// wait without delaying other principals. Thread-safe; calls nothing with its mutex held.
class FetchQueue {
 public:
  struct Limits {
    std::size_t at_once = 64;
    /// For one principal; fewer when few of `at_once` are free. Half of it for the background.
    std::size_t per_principal = 8;
    /// From one host; but each principal may always have one job there. 0 = no limit.
    std::size_t per_host = 4;
    /// Beyond the share of a principal, for types of which it has no running job: sources of others
    /// are fetched while all those of a type do not answer.
    std::size_t for_other_types = 2;
  };
  struct Job {
    std::string host;  ///< empty = not limited by host
    std::function<void()> run;
    /// Called with the number of jobs ahead of this one (at least 1) whenever it changes while the
    /// job waits, possibly once more after the job has started. May be empty.
    std::function<void(std::size_t ahead)> waits;
    std::string type = {};  ///< of the resource; empty = unknown
  };
  class Ticket;
  using TicketPointer = std::shared_ptr<Ticket>;

  /// Jobs run on `executor`, which gets no more than `limits` permit and must outlive them. A job
  /// dropped by the executor is dropped by the queue too.
  FetchQueue(Executor& executor, Limits limits) : executor_(executor), limits_(limits) {}
  FetchQueue(const FetchQueue&) = delete;
  FetchQueue& operator=(const FetchQueue&) = delete;

  /// Creates a job that waits until it is claimed. It runs at most once.
  static TicketPointer make(Job job);
  /// Adds or removes a claim on the job; the calls may arrive in either order. The job starts with
  /// the turn of one claimant and counts against that one; if that claim is removed while it runs,
  /// against another.
  void claim(const TicketPointer& ticket, const Claim& claim);
  void disclaim(const TicketPointer& ticket, const Claim& claim);
  /// Drops a job that has not started, at once.
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
    std::map<std::string, std::size_t, std::less<>> running_of_type;
    std::uint64_t served = 0;  ///< number of its last turn
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
  [[nodiscard]] bool may_exceed(const Principal& principal, const std::string& type) const;
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
  bool starting_ = false;  // a thread is in start_some and will check again
};

}  // namespace quarry::resources
