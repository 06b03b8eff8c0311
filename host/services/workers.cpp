#include "services/workers.h"

#include "services/thread_setup.h"

#include <algorithm>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

namespace quarry::services {

namespace {

/// The pool whose worker this thread is; null while it is blocked, and on other threads.
constinit thread_local WorkerPool* pool_of_this_thread = nullptr;

}  // namespace

WorkerPool::WorkerPool(std::size_t threads, std::chrono::milliseconds idle)
    : size_(threads ? threads : std::max(1u, std::thread::hardware_concurrency())),
      idle_time_(idle) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < size_; ++i) start_thread();
}

WorkerPool::~WorkerPool() {
  shutdown();
}

void WorkerPool::submit(std::function<void()> job) {
  enqueue({.run = std::move(job), .accepted = false});
}

bool WorkerPool::try_submit(std::function<void()> job) {
  return enqueue({.run = std::move(job), .accepted = true});
}

bool WorkerPool::enqueue(Job job) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return false;
  jobs_.push_back(std::move(job));
  start_if_needed();
  wake_if_needed();
  return true;
}

void WorkerPool::block(const std::function<void()>& wait) {
  const BlockedWorker blocked;
  wait();
}

void WorkerPool::shutdown() {
  std::deque<Job> waiting;
  Threads threads;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting.swap(jobs_);
    for (Job& job : waiting) {
      if (job.accepted) jobs_.push_back(std::move(job));
    }
    threads.splice(threads.end(), threads_);
    threads.splice(threads.end(), ended_);
    idle_.wake_all();
  }
  for (std::thread& thread : threads) thread.join();
}

std::size_t WorkerPool::threads() {
  const std::lock_guard lock(mutex_);
  return threads_.size();
}

std::size_t WorkerPool::waiting() {
  const std::lock_guard lock(mutex_);
  return jobs_.size();
}

/// Requires the mutex. Throws std::system_error if the system cannot create a thread.
void WorkerPool::start_thread() {
  const auto self = threads_.emplace(threads_.end());
  try {
    *self = std::thread([this, self, number = ++last_number_] { run(number, self); });
  } catch (...) {
    threads_.erase(self);
    throw;
  }
}

/// Starts a replacement if a job waits that no thread would take. Requires the mutex.
void WorkerPool::start_if_needed() {
  const bool full = threads_.size() >= size_ + kMostReplacements;
  if (stopping_ || full || jobs_.empty() || active_ >= size_) return;
  if (threads_.size() > active_ + blocked_) return;  // one is idle, or about to look for a job
  for (std::thread& ended : ended_) ended.join();
  ended_.clear();
  try {
    start_thread();
  } catch (const std::system_error&) {
    return;  // the job waits for a thread that is not blocked any more
  } catch (const std::bad_alloc&) {
    return;
  }
}

bool WorkerPool::may_begin() const {
  return !jobs_.empty() && active_ < size_;
}

void WorkerPool::wake_if_needed() {
  if (may_begin()) idle_.wake_one();
}

/// False if the thread should end.
bool WorkerPool::wait_for_job(std::unique_lock<std::mutex>& lock) {
  for (bool idle = false; !stopping_ && !may_begin();) {
    const bool replacement = threads_.size() > size_;  // another one may have ended meanwhile
    if (idle && replacement) return false;
    idle = !idle_.wait(lock, replacement ? std::optional(idle_time_) : std::nullopt);
  }
  return !jobs_.empty();
}

void WorkerPool::run(std::size_t number, Threads::iterator self) {
  become_worker("quarry-work-" + std::to_string(number));
  pool_of_this_thread = this;
  std::unique_lock lock(mutex_);
  while (wait_for_job(lock)) {
    auto job = std::move(jobs_.front().run);
    jobs_.pop_front();
    ++active_;
    start_if_needed();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
    --active_;
  }
  if (!stopping_) ended_.splice(ended_.end(), threads_, self);
}

void WorkerPool::block() {
  const std::lock_guard lock(mutex_);
  --active_;
  ++blocked_;
  start_if_needed();
  wake_if_needed();
}

void WorkerPool::unblock() {
  const std::lock_guard lock(mutex_);
  --blocked_;
  ++active_;
}

BlockedWorker::BlockedWorker() : pool_(std::exchange(pool_of_this_thread, nullptr)) {
  if (pool_ != nullptr) pool_->block();
}

BlockedWorker::~BlockedWorker() {
  if (pool_ == nullptr) return;
  pool_->unblock();
  pool_of_this_thread = pool_;
}

bool BlockedWorker::can_be() {
  return pool_of_this_thread != nullptr;
}

NamedLoop::NamedLoop(const std::string& name, std::function<void()> run)
    : thread_([name, body = std::move(run)] {
        name_this_thread(name);
        body();
      }) {}

NamedLoop::~NamedLoop() {
  thread_.join();
}

}  // namespace quarry::services
