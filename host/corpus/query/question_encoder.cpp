#include "corpus/query/question_encoder.h"

#include <algorithm>
#include <array>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostKnown = 64;

}  // namespace

Result<std::vector<float>> AwaitedQuestion::wait(std::chrono::steady_clock::time_point deadline,
                                                 const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  ended_.wait_until(lock, stop, deadline, [this] { return vector_.has_value(); });
  if (vector_) return *vector_;
  if (stop.stop_requested()) return Error{Code::kCancelled, "the search was cancelled"};
  return Error{Code::kDeadlineExceeded, "the question was not encoded in time"};
}

void AwaitedQuestion::finish(Result<std::vector<float>> vector) {
  const std::lock_guard lock(mutex_);
  vector_.emplace(std::move(vector));
  ended_.notify_all();
}

bool AwaitedQuestion::succeeded() {
  const std::lock_guard lock(mutex_);
  return vector_ && *vector_;
}

bool AwaitedQuestion::ended() {
  const std::lock_guard lock(mutex_);
  return vector_.has_value();
}

QuestionEncoder::QuestionEncoder(std::shared_ptr<Encoding> encoding, Executor& calls)
    : encoding_(std::move(encoding)), calls_(calls) {}

QuestionEncoder::~QuestionEncoder() {
  stop();
}

/// One that runs or has succeeded. Requires the mutex.
std::shared_ptr<AwaitedQuestion> QuestionEncoder::find(const Key& key) {
  const auto at = std::ranges::find(known_, key, &Known::value_type::first);
  if (at == known_.end() || (at->second->ended() && !at->second->succeeded())) return nullptr;
  known_.splice(known_.begin(), known_, at);
  return at->second;
}

Result<std::shared_ptr<AwaitedQuestion>> QuestionEncoder::begin(std::string_view question) {
  const std::shared_ptr<Encoder> encoder = encoding_->encoder();
  if (!encoder) return Error{Code::kUnavailable, "no encoder is configured any more"};
  const Key key{encoder->identity(), question};
  const auto awaited = std::make_shared<AwaitedQuestion>(key.first);
  {
    const std::lock_guard lock(mutex_);
    if (auto known = find(key)) return known;
    const auto running = std::ranges::count_if(
        known_, [](const Known::value_type& one) { return !one.second->ended(); });
    if (static_cast<std::size_t>(running) >= calls_.concurrency()) {
      return Error{Code::kUnavailable, "the encoder is busy with earlier questions"};
    }
    std::erase_if(known_, [&](const Known::value_type& one) { return one.first == key; });
    known_.emplace_front(key, awaited);
    const auto oldest =
        std::ranges::find_if(known_.rbegin(), known_.rend(),
                             [](const Known::value_type& one) { return one.second->ended(); });
    if (known_.size() > kMostKnown && oldest != known_.rend()) {
      known_.erase(std::next(oldest).base());
    }
  }
  // What ends without running, as the executor is shutting down, is an error too.
  const std::shared_ptr<void> dropped(nullptr, [awaited](void*) {
    if (!awaited->ended()) {
      awaited->finish(Error{Code::kUnavailable, "the host is shutting down"});
    }
  });
  calls_.submit([encoder, awaited, dropped, text = key.second, stop = stop_.get_token()] {
    const std::array<std::string_view, 1> texts = {text};
    awaited->finish(encoder->encode(texts, TextKind::kQuery, stop));
  });
  return awaited;
}

}  // namespace quarry::corpus
