#include "services/log_scope.h"

namespace quarry::services {
namespace {

constinit thread_local const LogScope* innermost = nullptr;

}  // namespace

LogScope::LogScope(std::shared_ptr<const LogSubject> subject)
    : own_(std::move(subject)), subject_(own_), outer_(innermost) {
  innermost = this;
}

LogScope::LogScope(std::reference_wrapper<const std::shared_ptr<const LogSubject>> subject)
    : subject_(subject), outer_(innermost) {
  innermost = this;
}

LogScope::~LogScope() {
  innermost = outer_;
}

std::shared_ptr<const LogSubject> LogScope::current() {
  return innermost == nullptr ? nullptr : innermost->subject_;
}

std::function<void()> with_current_subject(std::function<void()> job) {
  auto subject = LogScope::current();
  if (subject == nullptr) return job;
  return [subject = std::move(subject), job = std::move(job)] {
    const LogScope scope(subject);
    job();
  };
}

}  // namespace quarry::services
