#include "engine/question_registry.h"

#include "base/random.h"

#include <algorithm>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr std::size_t kIdBytes = 16;  // long enough that ids cannot be guessed

}  // namespace

struct QuestionRegistry::Timer {
  boost::asio::steady_timer at;
};

QuestionRegistry::QuestionRegistry(const ask::QuestionServices& services)
    : services_(services), timer_(new Timer{boost::asio::steady_timer(services.io)}) {}

QuestionRegistry::~QuestionRegistry() = default;

Result<std::string> QuestionRegistry::start(ask::Request request, std::uint32_t most,
                                            Retention keep, std::shared_ptr<const void> state) {
  std::lock_guard lock(mutex_);
  if (closing_) {
    return Error{Code::kUnavailable, "the server is shutting down", "Ask again once it runs."}
        .tagged("Unavailable");
  }
  if (running_ >= most) {
    return Error{Code::kResourceExhausted,
                 std::to_string(running_) + " questions are running, which is the limit",
                 "Ask again when one has ended, or raise server.max_questions."}
        .tagged("RateLimitError");
  }
  std::string id = request.id = random_hex(kIdBytes);
  // The callback runs on the I/O thread, which waits for this lock.
  auto question = ask::Question::start(services_, std::move(request),
                                       [this](const ask::Question& over) { ended(over.id()); });
  ++running_;
  add(id, {question->log(), question->cited(), question->bearer(), keep, false,
           [question](ask::StopReason reason) { question->stop(reason); }, std::move(state)});
  return id;
}

/// Under the mutex.
void QuestionRegistry::add(const std::string& id, Entry entry) {
  const Entry& added = entries_[id] = std::move(entry);
  if (follower_) follower_(known(id, added));
}

bool QuestionRegistry::add_replica(KnownQuestion question,
                                   std::function<void(ask::StopReason)> stop) {
  const std::lock_guard lock(mutex_);
  if (entries_.contains(question.id)) return false;
  ++running_replicas_;
  const auto keep = std::chrono::ceil<std::chrono::seconds>(question.keep);
  add(question.id, {std::move(question.log),
                    std::move(question.cited),
                    std::move(question.bearer),
                    {.time = keep},
                    true,
                    std::move(stop)});
  return true;
}

void QuestionRegistry::replica_ended(const std::string& id) {
  ended(id);
}

void QuestionRegistry::follow(std::function<void(const KnownQuestion&)> known_question) {
  const std::lock_guard lock(mutex_);
  follower_ = std::move(known_question);
  if (!follower_) return;
  for (const auto& [id, entry] : entries_) follower_(known(id, entry));
}

/// Under the mutex.
KnownQuestion QuestionRegistry::known(const std::string& id, const Entry& entry) {
  KnownQuestion out{id, entry.bearer, entry.log, entry.cited, entry.keep.time};
  if (entry.stop) return out;
  const auto left = entry.expires - std::chrono::steady_clock::now();
  out.keep = std::chrono::ceil<std::chrono::milliseconds>(left);
  return out;
}

void QuestionRegistry::ended(const std::string& id) {
  Entry over;  // destroyed after the lock is released
  std::lock_guard lock(mutex_);
  Entry& entry = entries_.at(id);
  const Retention keep = entry.keep;
  over = std::exchange(entry, {entry.log, entry.cited, entry.bearer, keep, entry.replica});
  --(entry.replica ? running_replicas_ : running_);
  idle_.notify_all();
  const std::uint64_t bytes = entry.log->memory_bytes() + entry.cited->memory_bytes();
  entry.expires = std::chrono::steady_clock::now() + keep.time;
  ended_.push_back({id, bytes});
  ended_bytes_ += ended_.back().bytes;
  while (ended_bytes_ > keep.bytes && ended_.size() > 1) remove_oldest();
  if (ended_.size() == 1) schedule_removal();
}

/// On the I/O thread, under the mutex: removes expired questions when the oldest expires.
void QuestionRegistry::schedule_removal() {
  timer_->at.expires_at(oldest_expires());
  timer_->at.async_wait([this](const boost::system::error_code& failed) {
    if (failed) return;
    std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    while (!ended_.empty() && oldest_expires() <= now) remove_oldest();
    if (!ended_.empty() && !closing_) schedule_removal();
  });
}

/// Under the mutex.
void QuestionRegistry::remove_oldest() {
  ended_bytes_ -= ended_.front().bytes;
  entries_.erase(ended_.front().id);
  ended_.pop_front();
}

std::shared_ptr<ask::EventLog> QuestionRegistry::log_of(std::string_view id) const {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : found->second.log;
}

std::shared_ptr<const ask::CitedSources> QuestionRegistry::cited_by(std::string_view id) const {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : found->second.cited;
}

std::optional<std::string> QuestionRegistry::bearer_of(std::string_view id) const {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  return found == entries_.end() ? std::nullopt : std::optional(found->second.bearer);
}

bool QuestionRegistry::is_running(std::string_view id) const {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  return found != entries_.end() && found->second.stop;
}

bool QuestionRegistry::stop(std::string_view id, ask::StopReason reason) {
  std::function<void(ask::StopReason)> stop;
  {
    std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return false;
    stop = found->second.stop;
  }
  if (stop) stop(reason);
  return true;
}

void QuestionRegistry::stop_all_of(std::string_view bearer) {
  std::vector<std::function<void(ask::StopReason)>> stops;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [id, entry] : entries_) {
      if (entry.stop && entry.bearer == bearer) stops.push_back(entry.stop);
    }
  }
  for (const auto& stop : stops) stop(ask::StopReason::kWithdrawn);
}

std::size_t QuestionRegistry::running() const {
  std::lock_guard lock(mutex_);
  return running_;
}

void QuestionRegistry::wait_until_idle(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  idle_.wait_for(lock, limit, [&] { return closing_ || idle(); });
}

void QuestionRegistry::close(std::chrono::milliseconds grace) {
  std::unique_lock lock(mutex_);
  closing_ = true;
  idle_.notify_all();
  if (idle_.wait_for(lock, grace, [&] { return idle(); })) return;
  for (const auto& [id, entry] : entries_) {
    if (entry.stop) entry.stop(ask::StopReason::kShutdown);
  }
  idle_.wait(lock, [&] { return running_ == 0; });
}

}  // namespace quarry::engine
