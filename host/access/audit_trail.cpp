#include "access/audit_trail.h"

#include "base/decimal.h"
#include "base/file.h"
#include "base/json.h"
#include "base/printable.h"
#include "base/time_text.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace quarry::access {
namespace {

/// Removes the last `bytes` that were written to `file`, unless others have written behind them.
void remove_end(int file, ::off_t bytes) {
  struct stat status {};
  const ::off_t end = ::lseek(file, 0, SEEK_CUR);
  if (::fstat(file, &status) != 0 || status.st_size != end) return;
  static_cast<void>(::ftruncate(file, end - bytes));
}

std::size_t bytes_of(const plugins::AuditEntry& entry) {
  std::size_t bytes = sizeof entry;
  for (const std::string* text : {&entry.request, &entry.token, &entry.project, &entry.method,
                                  &entry.tool, &entry.host, &entry.question, &entry.peer}) {
    bytes += text->size();
  }
  return bytes;
}

}  // namespace

std::string audit_line(const plugins::AuditEntry& entry) {
  Json line{{"at", rfc3339(entry.at)},      {"request", entry.request},
            {"token", entry.token},         {"project", entry.project},
            {"method", entry.method},       {"tool", entry.tool},
            {"status", entry.status},       {"ms", entry.duration.count()},
            {"cancelled", entry.cancelled}, {"host", entry.host}};
  if (entry.input_tokens) line["inputTokens"] = *entry.input_tokens;
  if (entry.output_tokens) line["outputTokens"] = *entry.output_tokens;
  if (entry.cost) line["usd"] = to_decimal(*entry.cost);
  if (!entry.question.empty()) line["question"] = entry.question;
  if (!entry.peer.empty()) line["peer"] = entry.peer;
  if (entry.count != 1) line["count"] = entry.count;
  return printable_json(to_text(line));
}

void AuditTrail::Queue::remove_oldest() {
  bytes -= bytes_of(entries.front());
  entries.pop_front();
  ++gone;
}

void AuditTrail::put(Queue& queue, plugins::AuditEntry entry) {
  queue.bytes += bytes_of(entry);
  queue.entries.push_back(std::move(entry));
  while (queue.entries.size() > kMost || (queue.bytes > kMostBytes && queue.entries.size() > 1)) {
    queue.remove_oldest();
    ++lost_;
  }
}

void AuditTrail::add(plugins::AuditEntry entry) {
  std::lock_guard lock(mutex_);
  if (!file_.empty()) put(for_file_, entry);
  put(for_store_, std::move(entry));
}

Status AuditTrail::flush() {
  std::lock_guard lock(flush_mutex_);
  const Status filed = flush(for_file_, [this](const auto& entries) { return append(entries); });
  const Status stored = flush(for_store_, store_);
  return filed ? stored : filed;
}

Status AuditTrail::flush(Queue& queue, const Write& write) {
  for (;;) {
    std::vector<plugins::AuditEntry> batch;
    std::size_t end = 0;
    {
      std::lock_guard lock(mutex_);
      const auto count = std::min(queue.entries.size(), kBatch);
      end = queue.gone + count;
      batch.assign(queue.entries.begin(),
                   queue.entries.begin() + static_cast<std::ptrdiff_t>(count));
    }
    if (batch.empty()) return {};
    if (Status written = write(batch); !written) return written;
    std::lock_guard lock(mutex_);
    while (queue.gone < end) queue.remove_oldest();
  }
}

std::size_t AuditTrail::take_lost() {
  std::lock_guard lock(mutex_);
  return std::exchange(lost_, 0);
}

Status AuditTrail::append(const std::vector<plugins::AuditEntry>& entries) const {
  std::string lines;
  for (const auto& entry : entries) lines += audit_line(entry) + "\n";
  const std::string what = "the audit file " + file_.string();
  // Opening a pipe without a reader would block.
  constexpr int kAppend = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const Fd file(::open(file_.c_str(), kAppend, 0600));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return system_error(what, errno);
  if (!S_ISREG(status.st_mode)) {
    return Error{
        Code::kInvalidArgument, what + " is not a regular file",
        "Name a file in audit_file of [access]; for a pipe, let a program follow the file."};
  }
  const ssize_t written = ::write(file.get(), lines.data(), lines.size());
  const int number = written < 0 ? errno : ENOSPC;
  if (written == static_cast<ssize_t>(lines.size())) return {};
  if (written > 0) remove_end(file.get(), written);  // the next call writes all of it again
  return system_error(what, number);
}

}  // namespace quarry::access
