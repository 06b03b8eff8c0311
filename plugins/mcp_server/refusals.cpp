#include "refusals.h"

#include <vector>

namespace quarry::mcp {
namespace {

constexpr std::chrono::minutes kWindow{1};
constexpr std::size_t kMostSenders = 64;

}  // namespace

void Refusals::add(Record record, Time now) {
  {
    const std::lock_guard lock(mutex_);
    Key key{record.principal.empty() ? record.peer : record.principal, record.status};
    if (!waiting_.contains(key) && waiting_.size() >= kMostSenders) {
      key.first = record.peer = "";
    }
    const auto [entry, is_first] = waiting_.try_emplace(std::move(key), Waiting{{}, 0, now});
    if (!is_first) {
      ++entry->second.count;
      entry->second.last = std::move(record);
      return;
    }
  }
  access_.record(record);
}

bool Refusals::flush(Time now, bool all) {
  std::vector<Record> due;
  bool some_wait = false;
  {
    const std::lock_guard lock(mutex_);
    for (auto entry = waiting_.begin(); entry != waiting_.end();) {
      Waiting& waiting = entry->second;
      if (!all && now - waiting.since < kWindow) {
        some_wait = true;
        ++entry;
        continue;
      }
      waiting.last.count = waiting.count;
      if (waiting.count > 0) due.push_back(std::move(waiting.last));
      entry = waiting_.erase(entry);
    }
  }
  for (const Record& record : due) access_.record(record);
  return some_wait;
}

}  // namespace quarry::mcp
