#include "services/serial_thread.h"

#include "services/workers.h"

#include <utility>

namespace quarry::services {

SerialThread::SerialThread(std::string name) : name_(std::move(name)) {}

SerialThread::~SerialThread() {
  close();
}

void SerialThread::post(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      jobs_.push_back(std::move(job));
      if (!started_) thread_ = std::make_unique<NamedLoop>(name_, [this] { run(); });
      started_ = true;
      changed_.notify_one();
      return;
    }
  }
  job();
}

void SerialThread::close() {
  std::unique_ptr<NamedLoop> thread;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    closed_ = closed_ || !started_;
    changed_.notify_one();
    thread = std::move(thread_);
  }
  // Joined here, without the lock.
}

void SerialThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
    if (jobs_.empty()) break;
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
  closed_ = true;
}

}  // namespace quarry::services
