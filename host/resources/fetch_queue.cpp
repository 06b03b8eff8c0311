#include "resources/fetch_queue.h"

#include <algorithm>

namespace quarry::resources {
namespace {

void count_down(std::map<std::string, std::size_t, std::less<>>& counts, const std::string& key) {
  const auto found = counts.find(key);
  if (found != counts.end() && --found->second == 0) counts.erase(found);
}

}  // namespace

/// One job from make() to its end. Mutable members are guarded by the queue's mutex.
class FetchQueue::Ticket {
 public:
  enum class State { kWaits, kRuns, kEnded };
  struct Claimant {
    int foreground = 0;  ///< below zero after a disclaim that preceded its claim
    int background = 0;
    Line* line = nullptr;  ///< queue position for this claimant; null = none
    Line::iterator at = {};

    [[nodiscard]] bool wants() const { return foreground > 0 || background > 0; }
    [[nodiscard]] bool in_background() const { return foreground <= 0; }
  };

  explicit Ticket(Job given)
      : host(std::move(given.host)),
        type(std::move(given.type)),
        waits(std::move(given.waits)),
        run(std::move(given.run)) {}

  const std::string host;
  const std::string type;
  const std::function<void(std::size_t)> waits;
  std::function<void()> run;
  State state = State::kWaits;
  std::map<std::string, Claimant, std::less<>> claimants;
  std::optional<std::string> charged;  ///< principal for which it runs
  bool charged_background = false;
};

/// Runs a job, or drops it with the executor. Ends it in the queue before its waiters are notified.
class FetchQueue::Turn {
 public:
  Turn(FetchQueue& queue, TicketPointer ticket) : queue_(queue), ticket_(std::move(ticket)) {}
  ~Turn() {
    const auto run = std::move(ticket_->run);
    queue_.end(*ticket_);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  void run() const { ticket_->run(); }

 private:
  FetchQueue& queue_;
  const TicketPointer ticket_;
};

FetchQueue::TicketPointer FetchQueue::make(Job job) {
  return std::make_shared<Ticket>(std::move(job));
}

void FetchQueue::claim(const TicketPointer& ticket, const Claim& claim) {
  {
    const std::lock_guard lock(mutex_);
    change(ticket, claim, 1);
  }
  start_some();
  if (!ticket->waits) return;
  std::optional<std::size_t> ahead;
  {
    const std::lock_guard lock(mutex_);
    if (ticket->state == Ticket::State::kWaits) ahead = ahead_of(*ticket);
  }
  if (ahead) ticket->waits(*ahead);
}

void FetchQueue::disclaim(const TicketPointer& ticket, const Claim& claim) {
  {
    const std::lock_guard lock(mutex_);
    change(ticket, claim, -1);
  }
  start_some();
}

void FetchQueue::change(const TicketPointer& ticket, const Claim& claim, int by) {
  if (ticket->state == Ticket::State::kEnded) return;
  Ticket::Claimant& claimant = ticket->claimants[claim.principal];
  (claim.background ? claimant.background : claimant.foreground) += by;
  if (ticket->state == Ticket::State::kWaits) return place(ticket, claim.principal);
  recharge(*ticket);
}

/// Moves the ticket to the queue that matches the claims of one principal.
void FetchQueue::place(const TicketPointer& ticket, const std::string& name) {
  Ticket::Claimant& claimant = ticket->claimants[name];
  if (!claimant.wants()) return take_out(*ticket, name);
  Principal& principal = principals_[name];
  Line& line = claimant.in_background() ? principal.background : principal.foreground;
  if (claimant.line == &line) return;
  take_out(*ticket, name);
  claimant.line = &line;
  claimant.at = line.insert(line.end(), ticket);
}

void FetchQueue::take_out(Ticket& ticket, const std::string& name) {
  Ticket::Claimant& claimant = ticket.claimants[name];
  if (claimant.line != nullptr) claimant.line->erase(claimant.at);
  claimant.line = nullptr;
  const auto found = principals_.find(name);
  const bool wanted = claimant.wants() && ticket.state == Ticket::State::kWaits;
  if (!wanted && found != principals_.end() && found->second.gone()) principals_.erase(found);
}

void FetchQueue::take_out(Ticket& ticket) {
  for (const auto& [name, claimant] : ticket.claimants) take_out(ticket, name);
}

void FetchQueue::charge(Ticket& ticket, const std::string& name) {
  Principal& principal = principals_[name];
  ticket.charged = name;
  ticket.charged_background = ticket.claimants[name].in_background();
  ++principal.running;
  if (ticket.charged_background) ++principal.running_background;
  if (!ticket.host.empty()) ++principal.running_of_host[ticket.host];
  if (!ticket.type.empty()) ++principal.running_of_type[ticket.type];
}

void FetchQueue::discharge(Ticket& ticket) {
  const auto found = principals_.find(*ticket.charged);
  Principal& principal = found->second;
  --principal.running;
  if (ticket.charged_background) --principal.running_background;
  count_down(principal.running_of_host, ticket.host);
  count_down(principal.running_of_type, ticket.type);
  if (principal.gone()) principals_.erase(found);
  ticket.charged.reset();
}

/// Charges a running ticket to another principal if its claims have changed.
void FetchQueue::recharge(Ticket& ticket) {
  std::string name = *ticket.charged;
  if (!ticket.claimants[name].wants()) {
    const auto other = std::ranges::find_if(
        ticket.claimants, [](const auto& claimant) { return claimant.second.wants(); });
    if (other == ticket.claimants.end()) return;  // the job is about to be stopped
    name = other->first;
  }
  const bool background = ticket.claimants[name].in_background();
  // Discharging the only job of a principal would forget its turn.
  if (name == *ticket.charged && background == ticket.charged_background) return;
  discharge(ticket);
  charge(ticket, name);
}

/// The fewer slots are free, the fewer one principal may use, so that free slots remain for
/// principals without a running job.
bool FetchQueue::may_run(const Principal& principal, bool background) const {
  const std::size_t left = limits_.at_once - std::min(limits_.at_once, running_);
  if (principal.running >= std::min(limits_.per_principal, left)) return false;
  const std::size_t half = std::max<std::size_t>(1, limits_.per_principal / 2);
  return !background || principal.running_background < half;
}

bool FetchQueue::may_reach(const Principal& principal, const std::string& host) const {
  if (limits_.per_host == 0 || host.empty() || !principal.running_of_host.contains(host)) {
    return true;
  }
  const auto running = running_of_host_.find(host);
  return running == running_of_host_.end() || running->second < limits_.per_host;
}

bool FetchQueue::may_exceed(const Principal& principal, const std::string& type) const {
  return !type.empty() && !principal.running_of_type.contains(type) &&
         principal.running < limits_.per_principal + limits_.for_other_types &&
         running_ < limits_.at_once;
}

/// The first job of this principal that may start now; null if none.
FetchQueue::TicketPointer FetchQueue::first_of(const Principal& principal) const {
  for (const bool background : {false, true}) {
    const bool may = may_run(principal, background);
    const Line& line = background ? principal.background : principal.foreground;
    const auto found = std::ranges::find_if(line, [&](const TicketPointer& ticket) {
      return (may || (!background && may_exceed(principal, ticket->type))) &&
             may_reach(principal, ticket->host);
    });
    if (found != line.end()) return *found;
  }
  return nullptr;
}

/// The next ticket, already counted as running; null if none may start.
FetchQueue::TicketPointer FetchQueue::begin_next(std::vector<Report>& reports) {
  TicketPointer ticket;
  std::string name;
  std::uint64_t longest_ago = turns_ + 1;
  for (const auto& [its_name, principal] : principals_) {
    if (principal.served >= longest_ago) continue;
    auto first = first_of(principal);
    if (!first) continue;
    longest_ago = principal.served;
    ticket = std::move(first);
    name = its_name;
  }
  if (!ticket) return nullptr;
  charge(*ticket, name);
  ticket->state = Ticket::State::kRuns;
  take_out(*ticket);
  ++running_;
  if (!ticket->host.empty()) ++running_of_host_[ticket->host];
  Principal& principal = principals_[name];
  principal.served = ++turns_;
  report_line(principal, reports);
  return ticket;
}

std::size_t FetchQueue::ahead_of(const Ticket& ticket) const {
  std::optional<std::size_t> fewest;
  for (const auto& [name, claimant] : ticket.claimants) {
    if (claimant.line == nullptr) continue;
    const Principal& principal = principals_.find(name)->second;
    std::size_t ahead = principal.running;
    if (claimant.line == &principal.background) ahead += principal.foreground.size();
    ahead += static_cast<std::size_t>(
        std::distance(claimant.line->begin(), Line::iterator(claimant.at)));
    fewest = std::min(ahead, fewest.value_or(ahead));
  }
  return std::max<std::size_t>(1, fewest.value_or(0));
}

void FetchQueue::report_line(const Principal& principal, std::vector<Report>& reports) const {
  std::size_t ahead = principal.running;
  for (const Line* line : {&principal.foreground, &principal.background}) {
    for (const TicketPointer& ticket : *line) {
      const bool shared = ticket->claimants.size() > 1;
      if (ticket->waits) reports.emplace_back(ticket, shared ? ahead_of(*ticket) : ahead);
      ++ahead;
    }
  }
}

/// Starts all jobs that may start. Only one thread at a time does so, so that jobs which the
/// executor drops at once do not end recursively.
void FetchQueue::start_some() {
  std::unique_lock lock(mutex_);
  if (starting_) return;
  starting_ = true;
  std::vector<Report> reports;
  while (TicketPointer ticket = begin_next(reports)) {
    lock.unlock();
    executor_.submit([turn = std::make_shared<Turn>(*this, std::move(ticket))] { turn->run(); });
    for (const auto& [waiting, ahead] : std::exchange(reports, {})) waiting->waits(ahead);
    lock.lock();
  }
  starting_ = false;
}

void FetchQueue::end(Ticket& ticket) {
  {
    const std::lock_guard lock(mutex_);
    ticket.state = Ticket::State::kEnded;
    discharge(ticket);
    --running_;
    count_down(running_of_host_, ticket.host);
  }
  start_some();
}

void FetchQueue::drop(const TicketPointer& ticket) {
  std::function<void()> dropped;  // destroyed after the mutex is unlocked
  const std::lock_guard lock(mutex_);
  if (ticket->state != Ticket::State::kWaits) return;
  ticket->state = Ticket::State::kEnded;
  take_out(*ticket);
  dropped.swap(ticket->run);
}

}  // namespace quarry::resources
