#include "engine/question_desk.h"

#include <array>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <nlohmann/json.hpp>
#include <sys/random.h>

namespace quarry::engine {
namespace {

/// 128 random bits in hexadecimal: nobody guesses another's question.
std::string fresh_id() {
  static constexpr char kHex[] = "0123456789abcdef";
  std::array<unsigned char, 16> bytes{};
  while (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
  }
  std::string id;
  for (const unsigned char byte : bytes) {
    id += kHex[byte >> 4];
    id += kHex[byte & 15];
  }
  return id;
}

}  // namespace

Result<std::string> QuestionDesk::start(ask::Request request, std::uint32_t most,
                                        std::chrono::seconds keep,
                                        std::shared_ptr<const void> state) {
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
  const std::string id = request.id = fresh_id();
  // The end is told on the I/O thread, which waits for this lock.
  auto question = ask::Question::start(house_, std::move(request),
                                       [this, id, keep](const ask::Question&) { ended(id, keep); });
  entries_[id] = {std::move(question), std::move(state)};
  ++running_;
  return id;
}

void QuestionDesk::ended(const std::string& id, std::chrono::seconds keep) {
  std::lock_guard lock(mutex_);
  entries_.at(id).running = false;
  --running_;
  idle_.notify_all();
  const auto timer = std::make_shared<boost::asio::steady_timer>(house_.io, keep);
  timer->async_wait([this, id, timer](const boost::system::error_code& failed) {
    std::lock_guard inner(mutex_);
    if (!failed) entries_.erase(id);
  });
}

std::shared_ptr<ask::Question> QuestionDesk::find(std::string_view id) const {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : found->second.question;
}

std::size_t QuestionDesk::running() const {
  std::lock_guard lock(mutex_);
  return running_;
}

void QuestionDesk::close(std::chrono::milliseconds grace) {
  std::unique_lock lock(mutex_);
  closing_ = true;
  if (idle_.wait_for(lock, grace, [&] { return running_ == 0; })) return;
  for (const auto& [id, entry] : entries_) {
    if (entry.running) entry.question->stop(ask::StopReason::kShutdown);
  }
  idle_.wait(lock, [&] { return running_ == 0; });
}

}  // namespace quarry::engine
