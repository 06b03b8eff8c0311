#pragma once

#include "resources/store.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string_view>

namespace quarry::resources {

class Charge;

/// The snapshots that are looked after in the background, each leased meanwhile. What is to be
/// removed is let go first: nobody reads it for the sake of its indexes. Thread-safe.
class Charges {
 public:
  /// `leased` is looked after as long as the value lives, which must not be longer than this.
  std::shared_ptr<Charge> take(Leased leased);
  /// Lets go of all whose names begin with `prefix`. Requests the stop of what has begun with one,
  /// and waits for its end.
  void let_go(std::string_view prefix);

 private:
  friend class Charge;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::set<Charge*> charges_;
};

/// One of them. One thread works with it.
class Charge {
 public:
  Charge(Charges& owner, Leased leased);
  ~Charge();
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;

  /// False when it has been let go already. Otherwise leased() is valid until end().
  [[nodiscard]] bool begin();
  [[nodiscard]] const Leased& leased() const { return leased_; }
  /// Requested when it is to be let go.
  [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }
  void request_stop() { stop_.request_stop(); }
  /// Lets it go.
  void end();

 private:
  friend class Charges;
  Charges& owner_;
  Leased leased_;
  std::stop_source stop_;
  bool working_ = false;  // under the owner's mutex
};

}  // namespace quarry::resources
