#include "history/history.h"

#include "history/schema.h"

#include <utility>

namespace quarry::history {

void History::record(Entry entry) {
  {
    const std::lock_guard lock(mutex_);
    pending_.push_back(std::move(entry));
    if (std::exchange(writing_, true)) return;
  }
  parts_.workers.submit([this] { flush(); });
}

void History::flush() {
  const std::lock_guard lock(file_mutex_);
  write_pending();
}

void History::write_pending() {
  while (const auto entry = next()) {
    const Status written = write(*entry);
    if (!written) failed(written.error());
    const std::string warning = written ? "" : written.error().message;
    if (warning != warned_ && !written) parts_.warn(written.error());
    warned_ = warning;
  }
}

std::optional<Entry> History::next() {
  const std::lock_guard lock(mutex_);
  if (pending_.empty()) {
    writing_ = false;
    return std::nullopt;
  }
  Entry entry = std::move(pending_.front());
  pending_.pop_front();
  return entry;
}

Status History::write(const Entry& entry) {
  return attempt<void>([&](Database& open) {
    return open.transaction([&]() -> Status {
      const Question& question = entry.question;
      Status done = forget_old(open, question.started);
      if (done) done = Ledger(open).add(question);
      if (!done || !entry.turn) return done;
      const auto end = std::chrono::round<Time::duration>(question.started + question.duration);
      return Threads(open).add(question.thread, redacted(*entry.turn), end, entry.origin);
    });
  });
}

Turn History::redacted(Turn turn) const {
  turn.question = parts_.redact(turn.question);
  turn.answer = parts_.redact(turn.answer);
  for (std::string& name : turn.resources) name = parts_.redact(name);
  turn.details = parts_.redact_json(std::move(turn.details));
  if (turn.citations) turn.citations = parts_.redact_json(std::move(*turn.citations));
  return turn;
}

Status History::forget_old(Database& open, Time now) const {
  const auto age = parts_.keep ? parts_.keep() : std::nullopt;
  if (!age) return {};
  Status done = Ledger(open).forget(now - *age);
  return done ? Threads(open).forget(now - *age) : done;
}

template <class Answer>
Result<Answer> History::attempt(const std::function<Result<Answer>(Database&)>& body) {
  for (bool again = false;; again = true) {
    const auto open = database();
    Result<Answer> answer = open ? body(**open) : Result<Answer>(open.error());
    if (answer || again || answer.error().tag != kDamageTag) return answer;
    if (!rename_damaged(answer.error())) return answer;
  }
}

/// False if the damaged file is still in place. Warns with the old and the new name.
bool History::rename_damaged(const Error& why) {
  database_.reset();
  const auto renamed = rename_damaged_history(parts_.file);
  if (renamed && *renamed) {
    parts_.warn({Code::kInternal, why.message + "; it was renamed to " + (*renamed)->string() +
                                      ", and a new one is created"});
  }
  return renamed.has_value();
}

Result<Database*> History::database() {
  if (!database_) {
    auto opened = open_history(parts_.file);
    if (!opened) return std::move(opened).error();
    database_.emplace(std::move(*opened));
    const std::lock_guard lock(mutex_);
    problem_.reset();
  }
  return &*database_;
}

void History::failed(const Error& error) {
  database_.reset();
  const std::lock_guard lock(mutex_);
  problem_ = error;
}

template <class Answer>
Result<Answer> History::use(const std::function<Result<Answer>(Database&)>& body) {
  const std::lock_guard lock(file_mutex_);
  write_pending();
  Result<Answer> answer = attempt(body);
  if (answer) return answer;
  if (answer.error().tag == kDamageTag) answer.error().tag.clear();
  failed(answer.error());
  return std::move(answer).error().tagged("HistoryError");
}

Result<Money> History::spent(Time since) {
  return use<Money>([&](Database& open) { return Ledger(open).spent(since); });
}

Result<Usage> History::usage(Time since, By by) {
  return use<Usage>([&](Database& open) { return Ledger(open).usage(since, by); });
}

Result<std::vector<ThreadSummary>> History::threads() {
  return use<std::vector<ThreadSummary>>([](Database& open) { return Threads(open).list(); });
}

Result<std::vector<FoundThread>> History::search(std::string_view words) {
  return use<std::vector<FoundThread>>([&](Database& open) { return Threads(open).search(words); });
}

Result<std::optional<ThreadSummary>> History::rename_thread(std::string_view id,
                                                            std::string_view title) {
  const std::string clean = parts_.redact(title);
  return use<std::optional<ThreadSummary>>(
      [&](Database& open) { return Threads(open).rename(id, clean); });
}

Result<std::optional<Thread>> History::thread(std::string_view id) {
  return use<std::optional<Thread>>([&](Database& open) { return Threads(open).find(id); });
}

Result<std::optional<std::string>> History::citations(std::string_view question_id) {
  return use<std::optional<std::string>>(
      [&](Database& open) { return Threads(open).citations(question_id); });
}

Result<bool> History::remove_thread(std::string_view id) {
  return use<bool>([&](Database& open) { return Threads(open).remove(id); });
}

std::optional<Error> History::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

}  // namespace quarry::history
