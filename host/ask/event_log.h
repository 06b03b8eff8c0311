#pragma once

#include "ask/wake_queue.h"

#include <quarry/events.hpp>
#include <quarry/transport.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::ask {

class EventCursor;

/// The events of one question, numbered from 1: append-only, read by any number of cursors at
/// their own pace. Deltas are stored as plain text and formatted as JSON when they are visited, so
/// a token takes two bytes more than its text. Thread-safe.
class EventLog : public std::enable_shared_from_this<EventLog> {
 public:
  /// Returns the JSON of an event without secrets.
  using Redact = std::function<std::string(EventType type, std::string json)>;
  /// `byte_limit`: most bytes stored before the last event. `wakes` wakes readers and must outlive
  /// the last append. `redact`: applied to every event but deltas and `done`, which have the text
  /// of models; may be empty.
  static std::shared_ptr<EventLog> make(std::uint64_t byte_limit, WakeQueue& wakes,
                                        Redact redact = nullptr);
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  /// Appends a text or reasoning delta. False when the log is full or finished; nothing is stored
  /// then.
  bool append_delta(EventType type, std::string_view delta);
  /// Appends an event with JSON in one line. False under the same conditions as append_delta.
  bool append(EventType type, std::string_view json);
  /// Appends the last event, of any size, and stores `json` without copying it. Later appends, and
  /// a second finish, are dropped.
  void finish(EventType type, std::string json);

  /// Visits every delta of `type` after event number `after`, in order. No lock is held.
  void visit_deltas(EventType type, std::uint64_t after,
                    const std::function<void(std::string_view delta)>& visit) const;
  /// The same deltas as one text.
  [[nodiscard]] std::string text_of(EventType type, std::uint64_t after = 0) const;

  using Visit =
      std::function<void(std::uint64_t number, std::string_view type, std::string_view json)>;
  /// Opens a cursor after event number `after`. The wake queue calls `wake` when events arrive
  /// after a read that found none; `wake` may read, and close the cursor.
  std::unique_ptr<EventCursor> open(std::uint64_t after, std::function<void()> wake);
  /// The same, but the cursor is no reader: the log can be abandoned while it is open.
  std::unique_ptr<EventCursor> observe(std::uint64_t after, std::function<void()> wake);

  /// Sets the function to call when the last reader of an unfinished log is closed, on the thread
  /// that closes it. Must be set before the first open.
  void on_abandoned(std::function<void()> callback) { abandoned_ = std::move(callback); }
  /// The same for a reader that is opened while there is none.
  void on_first_reader(std::function<void()> callback) { first_reader_ = std::move(callback); }

  [[nodiscard]] std::size_t reader_count() const;
  /// How often the last reader was closed. on_abandoned() tells it a little later, while the log is
  /// not finished.
  [[nodiscard]] std::uint64_t departures() const;
  [[nodiscard]] std::uint64_t event_count() const;
  [[nodiscard]] bool finished() const;
  /// True once the byte limit rejected an append.
  [[nodiscard]] bool overflowed() const;
  /// Bytes allocated for events.
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  friend class EventCursor;
  struct Chunk;
  struct Stored;
  /// End of the readable part: everything before it is immutable.
  struct End {
    const Chunk* chunk = nullptr;
    std::size_t offset = 0;
    bool finished = false;
  };

  EventLog(std::uint64_t byte_limit, WakeQueue& wakes, Redact redact);
  bool add(EventType type, std::string_view payload);
  void store(EventType type, std::string_view payload);
  Chunk& chunk_for(std::size_t size);
  Chunk& add_chunk(std::size_t capacity);
  /// The chunk that contains event `after`, or the first chunk.
  const Chunk* chunk_of(std::uint64_t after) const;
  void close(const std::shared_ptr<Waiter>& waiter, bool reader);

  mutable std::mutex mutex_;
  const std::uint64_t byte_limit_;
  WakeQueue& wakes_;
  const Redact redact_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  Chunk* last_ = nullptr;  ///< last of chunks_
  Waiters waiting_;        ///< woken by the next event
  std::uint64_t count_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t memory_ = 0;
  std::size_t readers_ = 0;
  std::uint64_t departures_ = 0;
  bool finished_ = false;
  bool overflowed_ = false;
  std::function<void()> abandoned_;
  std::function<void()> first_reader_;
};

/// A position in a log. One thread at a time; keeps the log alive.
class EventCursor {
 public:
  ~EventCursor();  ///< the wake function is not called after this returns
  EventCursor(const EventCursor&) = delete;
  EventCursor& operator=(const EventCursor&) = delete;

  /// Implements quarry_engine.read: visits the next events, at least one if any, until `max_bytes`
  /// of JSON have been visited. No lock is held meanwhile.
  quarry_read read(std::size_t max_bytes, const EventLog::Visit& visit);

 private:
  friend class EventLog;
  EventCursor(std::shared_ptr<EventLog> log, std::uint64_t after, std::function<void()> wake,
              bool reader);
  bool at(const EventLog::End& end);
  std::size_t visit_one(const EventLog::Visit& visit);

  std::shared_ptr<EventLog> log_;
  std::shared_ptr<Waiter> waiter_;
  const bool reader_;
  const EventLog::Chunk* chunk_ = nullptr;
  std::size_t offset_ = 0;
  std::uint64_t number_ = 0;  ///< number of the event before the position
  std::uint64_t after_;
  std::string scratch_;
};

}  // namespace quarry::ask
