#pragma once

#include "runner/frame.h"
#include "runner/ready_poll.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace quarry::runner {

/// Reads a socket on one thread at a time: on a thread that waits for some of the frames, which
/// then need not be passed on to it, otherwise on the thread in run(), or on one that has claimed
/// the socket and calls read_now(). [any thread]
class SharedReader {
 public:
  /// Takes the complete frames of the buffer, on the thread that reads. A predicate if they are not
  /// what they must be: then it has shut the socket down, and nothing more is read.
  using Dispatch = std::function<std::optional<std::string>(FrameBuffer&)>;

  /// `socket` must outlive this. `patience`: longest wait of read().
  SharedReader(int socket, ReadyPoll poll, std::chrono::milliseconds patience, Dispatch dispatch);

  /// Waits for bytes and dispatches them, unless `waits()`, asked once no other thread can
  /// dispatch, says that the caller has what it waits for. False, at once, if another thread reads
  /// or nothing more is to be read.
  bool read(const std::function<bool()>& waits);
  /// Until release(), the thread in run() leaves the socket to read_now().
  void claim();
  void release();
  enum class Now : std::uint8_t { kRead, kBusy, kOver };
  /// Dispatches bytes that have come, as many as one read takes; never waits. kBusy: another thread
  /// reads at the moment. kOver: nothing more is to be read.
  Now read_now();
  /// Further duties of the thread in run().
  struct Duties {
    int descriptor = -1;                  ///< has readable() called when it is; -1 = none
    std::function<bool()> readable = {};  ///< false: nothing more will come from it
    /// Called at first, and whenever the time has passed that it returned last, however much comes;
    /// empty = never.
    std::function<std::chrono::milliseconds()> check = {};
  };
  /// Reads whenever no other thread does, until the end of the connection or a fault, or until
  /// `ended` is readable and nothing is left. Returns why, as a predicate. Once.
  std::string run(int ended, const Duties& duties);
  std::string run(int ended) { return run(ended, Duties()); }

 private:
  bool begin(bool last);
  bool receive();
  void leave();

  const int socket_;
  ReadyPoll poll_;
  const std::chrono::milliseconds patience_;
  const Dispatch dispatch_;
  std::mutex mutex_;
  std::condition_variable left_;
  bool reading_ = false;  // a thread reads
  bool claimed_ = false;
  bool last_ = false;  // no other thread than that in run() may begin
  // Of the thread that reads.
  FrameBuffer buffer_;
  std::optional<std::string> cause_;  // why nothing more is read
};

}  // namespace quarry::runner
