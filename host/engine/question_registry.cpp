#include "engine/question_registry.h"

#include "base/random.h"

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
  auto log = question->log();
  auto cited = question->cited();
  entries_[id] = {std::move(log), std::move(cited), std::move(question), std::move(state), keep};
  ++running_;
  return id;
}

void QuestionRegistry::ended(const std::string& id) {
  Entry over;  // destroyed after the lock is released
  std::lock_guard lock(mutex_);
  Entry& entry = entries_.at(id);
  const Retention keep = entry.keep;
  over = std::exchange(entry, {entry.log, entry.cited, nullptr, nullptr, keep});
  --running_;
  idle_.notify_all();
  const std::uint64_t bytes = entry.log->memory_bytes() + entry.cited->memory_bytes();
  ended_.push_back({id, bytes, std::chrono::steady_clock::now() + keep.time});
  ended_bytes_ += ended_.back().bytes;
  while (ended_bytes_ > keep.bytes && ended_.size() > 1) remove_oldest();
  if (ended_.size() == 1) schedule_removal();
}

/// On the I/O thread, under the mutex: removes expired questions when the oldest expires.
void QuestionRegistry::schedule_removal() {
  timer_->at.expires_at(ended_.front().expires);
  timer_->at.async_wait([this](const boost::system::error_code& failed) {
    if (failed) return;
    std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    while (!ended_.empty() && ended_.front().expires <= now) remove_oldest();
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

bool QuestionRegistry::stop(std::string_view id) {
  std::shared_ptr<ask::Question> question;
  {
    std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return false;
    question = found->second.question;
  }
  if (question) question->stop(ask::StopReason::kAsked);
  return true;
}

void QuestionRegistry::stop_all_of(std::string_view bearer) {
  std::vector<std::shared_ptr<ask::Question>> questions;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [id, entry] : entries_) {
      if (entry.question && entry.question->bearer() == bearer) questions.push_back(entry.question);
    }
  }
  for (const auto& question : questions) question->stop(ask::StopReason::kWithdrawn);
}

std::size_t QuestionRegistry::running() const {
  std::lock_guard lock(mutex_);
  return running_;
}

void QuestionRegistry::close(std::chrono::milliseconds grace) {
  std::unique_lock lock(mutex_);
  closing_ = true;
  if (idle_.wait_for(lock, grace, [&] { return running_ == 0; })) return;
  for (const auto& [id, entry] : entries_) {
    if (entry.question) entry.question->stop(ask::StopReason::kShutdown);
  }
  idle_.wait(lock, [&] { return running_ == 0; });
}

}  // namespace quarry::engine
