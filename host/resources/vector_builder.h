#pragma once

#include "base/clock.h"
#include "corpus/snapshot/encoding.h"
#include "corpus/snapshot/segment_vectors.h"
#include "resources/back_off.h"
#include "resources/encoding_budget.h"
#include "resources/indexing_leases.h"
#include "resources/store.h"
#include "services/growing_pool.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resources {

/// Builds the vectors of snapshots whose indexes are complete, on one thread of its own, a batch of
/// passages a turn; snapshots take turns, and no turn begins while an index is being built. Leases
/// a snapshot for one turn only. Thread-safe.
class VectorBuilder {
 public:
  /// `encoding` may be null: then nothing is built. `cache` keeps the daily count. The others must
  /// outlive it; `problem` receives problems for the operator. [any]
  VectorBuilder(std::shared_ptr<corpus::Encoding> encoding, const std::filesystem::path& cache,
                Store& store, IndexingLeases& indexing, const Clock& clock,
                std::function<void(std::string_view)> problem);
  /// Calls shutdown().
  ~VectorBuilder();
  VectorBuilder(const VectorBuilder&) = delete;
  VectorBuilder& operator=(const VectorBuilder&) = delete;

  /// Takes over what earlier snapshots of the source have, which may then be removed, and builds
  /// the rest in the background. Supersedes earlier states of the same files; waits a moment for
  /// the batch of one of them. The caller holds a lease. [quarry-index]
  void add(const std::shared_ptr<const Stored>& stored);
  /// If the encoder has been exchanged, ends a pause and builds its vectors for all snapshots that
  /// are open. Does not block. [any]
  void notice_encoder();
  /// Forgets snapshots whose names begin with `prefix`; waits for the end of a turn.
  void release(std::string_view prefix);
  /// Calls `act` once, when nothing is left to build, or nothing can be built before a pause ends,
  /// perhaps before this returns; a shutdown ends the wait too. [any]
  void when_done(std::function<void()> act);
  /// Gives the running turn a second to keep its batch, then stops it and waits for its end.
  /// Idempotent.
  void shutdown();

 private:
  /// A snapshot in the queue.
  struct Task {
    std::shared_ptr<const Stored> stored;
    std::uint32_t segment = 0;
    std::string identity = {};  ///< of the encoder that `vectors` are of
    std::optional<corpus::SegmentVectors> vectors = {};
    Clock::Steady not_before{};
    std::size_t turns = 0;
  };
  using TaskPointer = std::shared_ptr<Task>;
  enum class Turn { kMore, kDone };

  void run();
  void forget_earlier(const Stored& stored);
  void take_over(const std::shared_ptr<const Stored>& stored, const std::string& identity);
  void enqueue(const std::shared_ptr<const Stored>& stored);
  void put_back(const TaskPointer& task);
  void tell_done(std::unique_lock<std::mutex>& lock);
  TaskPointer next_task(std::unique_lock<std::mutex>& lock);
  bool wait_for_indexes(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] TaskPointer due_task(Clock::Steady now, Clock::Steady& next) const;
  Turn turn(Task& task, const std::stop_token& stop);
  Result<bool> open_segment(Task& task, const std::string& identity);
  Status encode(Task& task, corpus::Encoder& encoder, const std::stop_token& stop);
  void failed(Task& task, const Error& error, Clock::Steady since);
  void pause_for(Clock::Steady::duration time, const std::string& why);

  const std::shared_ptr<corpus::Encoding> encoding_;
  const EncodingBudget budget_;
  Store& store_;
  IndexingLeases& indexing_;
  const Clock& clock_;
  const std::function<void(std::string_view)> problem_;
  BackOff back_off_;

  /// Shared with what waits for indexes, which may outlive this object.
  struct Wakes {
    std::mutex mutex;
    std::condition_variable changed;
  };
  const std::shared_ptr<Wakes> wakes_ = std::make_shared<Wakes>();
  // Under the mutex of wakes_:
  std::deque<TaskPointer> tasks_;
  std::vector<std::weak_ptr<const Stored>> added_;
  std::weak_ptr<corpus::Encoder> encoder_;  ///< the last one seen
  TaskPointer running_;
  bool running_superseded_ = false;
  std::stop_source turn_stop_;
  Clock::Steady paused_until_{};
  bool is_running_ = false;  ///< run() is submitted
  bool closing_ = false;
  std::vector<std::function<void()>> when_done_;

  services::GrowingPool thread_{"quarry-vectors", 1};  // last: ended first
};

}  // namespace quarry::resources
