#pragma once

#include "catalogue.h"

#include <memory>
#include <mutex>
#include <vector>

namespace quarry::mcp {

/// The open subscription streams of the modern era. [any]
class Listeners {
 public:
  /// Acknowledges `call` with the requested notifications that `offer` has, and keeps it until it
  /// ends.
  void add(const std::shared_ptr<Call>& call, const Offer& offer);
  void notify(Change what);

 private:
  struct Listener {
    std::weak_ptr<Call> call;
    bool tools = false;
    bool resources = false;
    bool prompts = false;
  };
  void remove(const Call* call);

  std::mutex mutex_;
  std::vector<Listener> listeners_;
};

}  // namespace quarry::mcp
