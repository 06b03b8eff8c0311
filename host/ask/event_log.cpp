#include "ask/event_log.h"

#include "base/json.h"

#include <algorithm>
#include <cstring>

namespace quarry::ask {
namespace {

constexpr std::size_t kFirstChunk = 512;
constexpr std::size_t kLargestChunk = 16u << 10;
constexpr std::size_t kMaxHeader = 1 + 10;  // the type and the size, a variable-length integer

std::size_t put_header(char* out, EventType type, std::size_t size) {
  std::size_t at = 0;
  out[at++] = static_cast<char>(type);
  for (; size >= 0x80; size >>= 7) out[at++] = static_cast<char>((size & 0x7f) | 0x80);
  out[at++] = static_cast<char>(size);
  return at;
}

}  // namespace

/// One stored event, and the offset after it.
struct EventLog::Stored {
  EventType type;
  std::string_view payload;
  std::size_t next;
};

/// A block of storage: consecutive events, or one large event. Readers use `next` and `end` only of
/// chunks before the published one, where both are final.
struct EventLog::Chunk {
  Chunk(std::size_t size, std::uint64_t first)
      : bytes(std::make_unique_for_overwrite<char[]>(size)), capacity(size), first_number(first) {}
  std::unique_ptr<char[]> bytes;
  std::size_t capacity;
  std::size_t end = 0;
  std::uint64_t first_number;
  const Chunk* next = nullptr;
  std::string alone;  ///< JSON of the only event, of type `alone_type`, unless empty
  EventType alone_type = EventType::kDone;

  [[nodiscard]] Stored at(std::size_t offset) const {
    if (!alone.empty()) return {alone_type, alone, end};
    const char* from = bytes.get() + offset;
    const auto type = static_cast<EventType>(*from++);
    std::size_t size = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*from++);
      size |= static_cast<std::size_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return {type, {from, size}, static_cast<std::size_t>(from - bytes.get()) + size};
  }
};

std::shared_ptr<EventLog> EventLog::make(std::uint64_t byte_limit, WakeQueue& wakes,
                                         Redact redact) {
  return std::shared_ptr<EventLog>(new EventLog(byte_limit, wakes, std::move(redact)));
}

EventLog::EventLog(std::uint64_t byte_limit, WakeQueue& wakes, Redact redact)
    : byte_limit_(byte_limit), wakes_(wakes), redact_(std::move(redact)) {
  add_chunk(kFirstChunk);
}

EventLog::~EventLog() = default;

bool EventLog::append_delta(EventType type, std::string_view delta) {
  return add(type, delta);
}

bool EventLog::append(EventType type, std::string_view json) {
  return redact_ ? add(type, redact_(type, std::string(json))) : add(type, json);
}

bool EventLog::add(EventType type, std::string_view payload) {
  Waiters now;
  {
    const std::lock_guard lock(mutex_);
    if (finished_) return false;
    if (bytes_ + payload.size() > byte_limit_) {
      overflowed_ = true;
      return false;
    }
    store(type, payload);
    now = wakes_.defer(waiting_);
  }
  for (const auto& waiter : now) waiter->call();
  return true;
}

void EventLog::finish(EventType type, std::string json) {
  if (redact_ && type != EventType::kDone) json = redact_(type, std::move(json));
  Waiters now;
  {
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    Chunk& chunk = add_chunk(0);
    memory_ += json.capacity();
    bytes_ += json.size();
    chunk.alone = std::move(json);
    chunk.alone_type = type;
    chunk.end = 1;
    ++count_;
    finished_ = true;
    now = wakes_.defer(waiting_);
  }
  for (const auto& waiter : now) waiter->call();
}

void EventLog::store(EventType type, std::string_view payload) {
  Chunk& chunk = chunk_for(payload.size() + kMaxHeader);
  char* out = chunk.bytes.get() + chunk.end;
  const std::size_t header = put_header(out, type, payload.size());
  if (!payload.empty()) std::memcpy(out + header, payload.data(), payload.size());
  chunk.end += header + payload.size();
  bytes_ += payload.size();
  ++count_;
}

EventLog::Chunk& EventLog::chunk_for(std::size_t size) {
  if (last_->end + size <= last_->capacity) return *last_;
  // Growth by a quarter keeps the unused end small compared to the whole.
  const auto grown = std::clamp<std::size_t>(memory_ / 4, kFirstChunk, kLargestChunk);
  const std::size_t capacity = std::max(size, grown);
  return add_chunk(capacity);
}

EventLog::Chunk& EventLog::add_chunk(std::size_t capacity) {
  chunks_.push_back(std::make_unique<Chunk>(capacity, count_ + 1));
  memory_ += capacity;
  Chunk* const added = chunks_.back().get();
  if (last_) last_->next = added;
  return *(last_ = added);
}

const EventLog::Chunk* EventLog::chunk_of(std::uint64_t after) const {
  const auto beyond = std::upper_bound(
      chunks_.begin(), chunks_.end(), after,
      [](std::uint64_t number, const auto& chunk) { return number < chunk->first_number; });
  return beyond == chunks_.begin() ? chunks_.front().get() : std::prev(beyond)->get();
}

void EventLog::visit_deltas(EventType type, std::uint64_t after,
                            const std::function<void(std::string_view delta)>& visit) const {
  const Chunk* chunk = nullptr;
  End end;
  {
    const std::lock_guard lock(mutex_);
    chunk = chunk_of(after);
    end = {last_, last_->end, finished_};
  }
  std::uint64_t number = chunk->first_number;
  for (;; chunk = chunk->next) {
    const std::size_t stop = chunk == end.chunk ? end.offset : chunk->end;
    for (std::size_t at = 0; at < stop; ++number) {
      const Stored stored = chunk->at(at);
      if (stored.type == type && number > after) visit(stored.payload);
      at = stored.next;
    }
    if (chunk == end.chunk) return;
  }
}

std::string EventLog::text_of(EventType type, std::uint64_t after) const {
  std::size_t size = 0;
  visit_deltas(type, after, [&](std::string_view delta) { size += delta.size(); });
  std::string out;
  out.reserve(size);
  visit_deltas(type, after, [&](std::string_view delta) { out += delta; });
  return out;
}

std::unique_ptr<EventCursor> EventLog::open(std::uint64_t after, std::function<void()> wake) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = readers_++ == 0;
  }
  if (first && first_reader_) first_reader_();
  return std::unique_ptr<EventCursor>(
      new EventCursor(shared_from_this(), after, std::move(wake), true));
}

std::unique_ptr<EventCursor> EventLog::observe(std::uint64_t after, std::function<void()> wake) {
  return std::unique_ptr<EventCursor>(
      new EventCursor(shared_from_this(), after, std::move(wake), false));
}

void EventLog::close(const std::shared_ptr<Waiter>& waiter, bool reader) {
  waiter->silence();
  bool abandoned = false;
  {
    const std::lock_guard lock(mutex_);
    waiting_.erase(std::ranges::remove(waiting_, waiter).begin(), waiting_.end());
    const bool is_last = reader && --readers_ == 0;
    departures_ += is_last ? 1 : 0;
    abandoned = is_last && !finished_;
  }
  if (abandoned && abandoned_) abandoned_();
}

std::size_t EventLog::reader_count() const {
  const std::lock_guard lock(mutex_);
  return readers_;
}

std::uint64_t EventLog::departures() const {
  const std::lock_guard lock(mutex_);
  return departures_;
}

std::uint64_t EventLog::event_count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

bool EventLog::finished() const {
  const std::lock_guard lock(mutex_);
  return finished_;
}

bool EventLog::overflowed() const {
  const std::lock_guard lock(mutex_);
  return overflowed_;
}

std::uint64_t EventLog::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  return memory_;
}

EventCursor::EventCursor(std::shared_ptr<EventLog> log, std::uint64_t after,
                         std::function<void()> wake, bool reader)
    : log_(std::move(log)),
      waiter_(std::make_shared<Waiter>(std::move(wake))),
      reader_(reader),
      after_(after) {
  const std::lock_guard lock(log_->mutex_);
  chunk_ = log_->chunk_of(after);  // skips the beginning of a long log
  number_ = chunk_->first_number - 1;
}

EventCursor::~EventCursor() {
  log_->close(waiter_, reader_);
}

quarry_read EventCursor::read(std::size_t max_bytes, const EventLog::Visit& visit) {
  std::size_t passed = 0;
  bool visited = false;
  while (true) {
    EventLog::End end;
    {
      const std::lock_guard lock(log_->mutex_);
      end = {log_->last_, log_->last_->end, log_->finished_};
      if (at(end)) {
        if (end.finished) return QUARRY_READ_END;
        const bool waits = std::find(log_->waiting_.begin(), log_->waiting_.end(), waiter_) !=
                           log_->waiting_.end();
        if (!waits) log_->waiting_.push_back(waiter_);
        return QUARRY_READ_EMPTY;
      }
    }
    while (!at(end)) {
      if (visited && passed >= max_bytes) return QUARRY_READ_MORE;
      const std::uint64_t before = number_;
      passed += visit_one(visit);
      visited = visited || before >= after_;
    }
  }
}

/// Moves past the end of full chunks; true when no event is left before `end`.
bool EventCursor::at(const EventLog::End& end) {
  while (chunk_ != end.chunk && offset_ == chunk_->end) {
    chunk_ = chunk_->next;
    offset_ = 0;
  }
  return chunk_ == end.chunk && offset_ == end.offset;
}

/// Visits one event and returns the size of its JSON; skips an event up to number `after`.
std::size_t EventCursor::visit_one(const EventLog::Visit& visit) {
  const EventLog::Stored stored = chunk_->at(offset_);
  offset_ = stored.next;
  if (++number_ <= after_) return 0;
  std::string_view json = stored.payload;
  if (is_delta(stored.type)) {
    // Written by hand: every reader runs this for every token, and JsonWriter takes twice as long.
    scratch_.assign(R"({"type":")").append(name_of(stored.type)).append(R"(","delta":)");
    append_quoted(scratch_, json);
    scratch_ += '}';
    json = scratch_;
  }
  visit(number_, name_of(stored.type), json);
  return json.size();
}

}  // namespace quarry::ask
