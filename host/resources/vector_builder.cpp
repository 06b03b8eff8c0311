#include "resources/vector_builder.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace quarry::resources {
namespace {

namespace fs = std::filesystem;

/// A quota is not asked about more often.
constexpr auto kQuotaPause = std::chrono::hours(1);
/// Another process builds the same vectors.
constexpr auto kOtherProcessPause = std::chrono::seconds(30);
/// A later state waits this long for the batch of an earlier one, to take it over.
constexpr auto kLongestBatchWait = std::chrono::seconds(5);
/// So does a shutdown: a batch that is stopped may have been paid for.
constexpr auto kShutdownWait = std::chrono::seconds(1);
/// Batches before another snapshot has its turn: its vectors are then closed to free their memory.
constexpr std::size_t kBatchesPerTurn = 64;

/// True if no later attempt succeeds before a person, or the provider's month, changes something.
bool is_refusal(Code code) {
  return code == Code::kResourceExhausted || code == Code::kPermissionDenied ||
         code == Code::kUnauthenticated || code == Code::kInvalidArgument;
}

}  // namespace

VectorBuilder::VectorBuilder(std::shared_ptr<corpus::Encoding> encoding, const fs::path& cache,
                             Store& store, IndexingLeases& indexing, const Clock& clock,
                             std::function<void(std::string_view)> problem)
    : encoding_(std::move(encoding)),
      budget_(cache / "encoded", encoding_ ? encoding_->options().passages_a_day : 0, clock),
      store_(store),
      indexing_(indexing),
      clock_(clock),
      problem_(std::move(problem)) {}

VectorBuilder::~VectorBuilder() {
  shutdown();
}

void VectorBuilder::add(const std::shared_ptr<const Stored>& stored) {
  if (!encoding_) return;
  forget_earlier(*stored);
  const auto encoder = encoding_->encoder();
  if (encoder) take_over(stored, encoder->identity());
  const std::lock_guard lock(wakes_->mutex);
  std::erase_if(added_, [&](const auto& one) {
    const auto open = one.lock();
    return !open || open->name == stored->name || replace_each_other(*open, *stored);
  });
  added_.push_back(stored);
  if (encoder) enqueue(stored);
}

void VectorBuilder::take_over(const std::shared_ptr<const Stored>& stored,
                              const std::string& identity) {
  const std::vector<fs::path> earlier = store_.others_of(*stored);
  for (std::uint32_t i = 0; i < stored->snapshot->segments().size(); ++i) {
    // Opening takes the rows over. Its errors are those of the turn that builds them.
    static_cast<void>(corpus::SegmentVectors::open(stored->snapshot, i, identity, earlier));
  }
}

/// Requires the mutex.
void VectorBuilder::enqueue(const std::shared_ptr<const Stored>& stored) {
  if (closing_) return;
  const auto is_known = [&](const TaskPointer& task) { return task->stored->name == stored->name; };
  const bool is_new = std::ranges::none_of(tasks_, is_known) && !(running_ && is_known(running_));
  if (is_new) tasks_.push_back(std::make_shared<Task>(Task{.stored = stored}));
  wakes_->changed.notify_all();
  if (is_running_) return;
  thread_.submit([this] { run(); });
  // Without a thread, which the system may refuse, the job is dropped, and the next call tries
  // again.
  is_running_ = thread_.threads() > 0;
}

void VectorBuilder::notice_encoder() {
  const auto encoder = encoding_ ? encoding_->encoder() : nullptr;
  if (!encoder) return;
  std::vector<std::shared_ptr<const Stored>> open;  // closed after the mutex is free
  const std::lock_guard lock(wakes_->mutex);
  if (encoder_.lock() == encoder) return;
  encoder_ = encoder;
  paused_until_ = {};
  for (const auto& one : added_) {
    if (auto stored = one.lock()) open.push_back(std::move(stored));
  }
  for (const auto& stored : open) enqueue(stored);
}

void VectorBuilder::forget_earlier(const Stored& stored) {
  std::unique_lock lock(wakes_->mutex);
  const auto is_earlier = [&](const TaskPointer& task) {
    return replace_each_other(*task->stored, stored);
  };
  std::erase_if(tasks_, is_earlier);
  if (running_ && is_earlier(running_)) running_superseded_ = true;
  wakes_->changed.wait_for(lock, kLongestBatchWait,
                           [&] { return closing_ || !running_ || !is_earlier(running_); });
}

void VectorBuilder::release(std::string_view prefix) {
  std::unique_lock lock(wakes_->mutex);
  const auto is_meant = [&](const TaskPointer& task) {
    return task->stored->name.starts_with(prefix);
  };
  std::erase_if(tasks_, is_meant);
  if (running_ && is_meant(running_)) turn_stop_.request_stop();
  wakes_->changed.wait(lock, [&] { return !running_ || !is_meant(running_); });
}

void VectorBuilder::when_done(std::function<void()> act) {
  std::unique_lock lock(wakes_->mutex);
  when_done_.push_back(std::move(act));
  if (!is_running_) return tell_done(lock);
  wakes_->changed.notify_all();  // it may be in a pause
}

/// Requires the lock, which is free meanwhile.
void VectorBuilder::tell_done(std::unique_lock<std::mutex>& lock) {
  const auto acts = std::exchange(when_done_, {});
  lock.unlock();
  for (const auto& act : acts) act();
  lock.lock();
}

void VectorBuilder::shutdown() {
  {
    std::unique_lock lock(wakes_->mutex);
    closing_ = true;
    tasks_.clear();
    wakes_->changed.notify_all();
    wakes_->changed.wait_for(lock, kShutdownWait, [this] { return !running_; });
    turn_stop_.request_stop();
  }
  thread_.shutdown();
  std::unique_lock lock(wakes_->mutex);
  tell_done(lock);
}

void VectorBuilder::run() {
  std::unique_lock lock(wakes_->mutex);
  while (const TaskPointer task = next_task(lock)) {
    std::erase(tasks_, task);
    running_ = task;
    running_superseded_ = false;
    turn_stop_ = std::stop_source();
    const std::stop_token stop = turn_stop_.get_token();
    lock.unlock();
    const Turn done = turn(*task, stop);
    lock.lock();
    running_ = nullptr;
    const bool ends = done == Turn::kDone || stop.stop_requested() || running_superseded_;
    if (!ends && !closing_) put_back(task);
    wakes_->changed.notify_all();
  }
  is_running_ = false;
  tell_done(lock);
}

/// In front, unless another one shall have its turn.
void VectorBuilder::put_back(const TaskPointer& task) {
  if (tasks_.empty() || ++task->turns % kBatchesPerTurn != 0) return tasks_.push_front(task);
  task->vectors.reset();
  tasks_.push_back(task);
}

/// The task whose turn it is, when it is due; null if there is none left, or at a shutdown.
VectorBuilder::TaskPointer VectorBuilder::next_task(std::unique_lock<std::mutex>& lock) {
  while (!closing_ && !tasks_.empty()) {
    if (!wait_for_indexes(lock)) continue;
    Clock::Steady next = Clock::Steady::max();
    const Clock::Steady now = clock_.steady_now();
    if (auto task = due_task(now, next)) return task;
    if (!when_done_.empty()) {
      tell_done(lock);
    } else {
      wakes_->changed.wait_for(lock, next - now);
    }
  }
  return nullptr;
}

/// False after a wait, in which anything may have changed.
bool VectorBuilder::wait_for_indexes(std::unique_lock<std::mutex>& lock) {
  const auto idle = std::make_shared<bool>(false);
  lock.unlock();
  indexing_.when_idle([wakes = wakes_, idle] {
    const std::lock_guard inner(wakes->mutex);
    *idle = true;
    wakes->changed.notify_all();
  });
  lock.lock();
  if (*idle) return !closing_ && !tasks_.empty();
  wakes_->changed.wait(lock, [&] { return *idle || closing_; });
  return false;
}

/// The first task that is due; otherwise null, and the time when one may be.
VectorBuilder::TaskPointer VectorBuilder::due_task(Clock::Steady now, Clock::Steady& next) const {
  for (const TaskPointer& task : tasks_) {
    const Clock::Steady due = std::max(paused_until_, task->not_before);
    if (due <= now) return task;
    next = std::min(next, due);
  }
  return nullptr;
}

VectorBuilder::Turn VectorBuilder::turn(Task& task, const std::stop_token& stop) {
  const auto leased = store_.lease(task.stored);
  if (!leased) return Turn::kDone;  // it was removed
  const auto encoder = encoding_->encoder();
  if (!encoder) return Turn::kDone;
  const Clock::Steady since = clock_.steady_now();
  const auto open = open_segment(task, encoder->identity());
  if (open && !*open) return Turn::kDone;
  Status status = open ? encode(task, *encoder, stop) : Status(open.error());
  if (!status && !stop.stop_requested()) failed(task, status.error(), since);
  const bool is_lost = !open && open.error().code != Code::kUnavailable;
  return is_lost ? Turn::kDone : Turn::kMore;
}

/// Opens the next segment whose vectors are incomplete. False if there is none.
Result<bool> VectorBuilder::open_segment(Task& task, const std::string& identity) {
  if (identity != task.identity) {
    task.vectors.reset();
    task.segment = 0;
    task.identity = identity;
  }
  if (task.vectors && task.vectors->is_complete()) {
    task.vectors.reset();
    ++task.segment;
  }
  const corpus::Snapshot& snapshot = *task.stored->snapshot;
  for (; !task.vectors && task.segment < snapshot.segments().size();) {
    auto opened = corpus::SegmentVectors::open(task.stored->snapshot, task.segment, identity,
                                               store_.others_of(*task.stored));
    if (!opened) return std::move(opened).error();
    if (opened->is_complete()) {
      ++task.segment;
    } else {
      task.vectors.emplace(std::move(*opened));
    }
  }
  return task.vectors.has_value();
}

Status VectorBuilder::encode(Task& task, corpus::Encoder& encoder, const std::stop_token& stop) {
  const std::size_t wanted = std::min(encoding_->options().batch, task.vectors->missing());
  const auto granted = budget_.reserve(wanted);
  if (!granted) return granted.error();
  if (*granted == 0) {
    pause_for(budget_.left_of_day(), "the " + std::to_string(budget_.passages_a_day()) +
                                         " passages of this day are encoded");
    return task.vectors->publish();
  }
  Status encoded = task.vectors->encode_next(encoder, *granted, stop);
  if (!encoded) return encoded;
  back_off_.answered();
  encoding_->set_pause_reason({});
  return {};
}

void VectorBuilder::failed(Task& task, const Error& error, Clock::Steady since) {
  const Clock::Steady now = clock_.steady_now();
  if (!task.vectors) {  // of the segment, not of the encoder
    task.not_before = now + kOtherProcessPause;
    // Without an index of words, it is added again once that is built.
    if (error.code != Code::kUnavailable && error.code != Code::kNotFound) {
      problem_("vectors could not be built: " + error.message);
    }
    return;
  }
  if (const Status kept = task.vectors->publish(); !kept) problem_(kept.error().message);
  if (is_refusal(error.code)) {
    pause_for(kQuotaPause, error.message);
  } else {
    back_off_.failed(error.message, now - since, now);
    pause_for(back_off_.pause(now).value_or(BackOff::Pause{}).left, error.message);
  }
}

/// The operator reads each reason once.
void VectorBuilder::pause_for(Clock::Steady::duration time, const std::string& why) {
  {
    const std::lock_guard lock(wakes_->mutex);
    paused_until_ = clock_.steady_now() + time;
  }
  if (encoding_->pause_reason() != why) problem_("no vectors are built for now: " + why);
  encoding_->set_pause_reason(why);
}

}  // namespace quarry::resources
