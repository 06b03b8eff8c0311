#pragma once

#include "call.h"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace quarry::mcp {

/// The calls that have no answer yet. Keeps them alive: a client of the legacy era that goes away
/// has not cancelled. [any]
class Running {
 public:
  void add(const std::shared_ptr<Call>& call);
  void remove(const Call& call);
  /// Cancels the call `id` (JSON) of this principal, from the same session where one is named. When
  /// several clients of one token use the same id and nothing tells them apart, none is cancelled.
  void cancel(const std::string& principal, const std::string& session, const std::string& id);
  /// Ends all that still run. When no other thread works on them.
  void end_all();

 private:
  static std::string key_of(std::string_view principal, std::string_view id);

  std::mutex mutex_;
  std::unordered_multimap<std::string, std::shared_ptr<Call>> calls_;
};

}  // namespace quarry::mcp
