#pragma once

#include "catalogue.h"

#include <memory>
#include <mutex>
#include <vector>

namespace quarry::mcp {

/// The open streams that hear of changes: subscriptions of the modern era. [any]
class Listeners {
 public:
  /// Acknowledges `call` with what of its wishes there is, and keeps it until it ends.
  void add(const std::shared_ptr<Call>& call, const Offer& offer);
  void tell(Change what);

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
