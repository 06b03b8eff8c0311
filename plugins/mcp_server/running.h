#pragma once

#include "call.h"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace quarry::mcp {

/// The calls not answered yet. Keeps them alive, since a legacy client that disconnects has not
/// cancelled. [any]
class Running {
 public:
  void add(const std::shared_ptr<Call>& call);
  void remove(const Call& call);
  /// Cancels the call `id` (JSON) of this principal, of the same session if one is named. If
  /// several calls match, since clients of one token use the same id, none is cancelled.
  void cancel(const std::string& principal, const std::string& session, const std::string& id);
  /// Ends all running calls. Call when no other thread uses them.
  void end_all();

 private:
  static std::string key_of(std::string_view principal, std::string_view id);

  std::mutex mutex_;
  std::unordered_multimap<std::string, std::shared_ptr<Call>> calls_;
};

}  // namespace quarry::mcp
