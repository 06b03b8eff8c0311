#pragma once

#include "services/call.h"

#include <quarry/abi.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace quarry::services {

/// Rights of a plugin in one call, in addition to those that its manifest names.
struct CallRights {
  std::vector<std::string> secrets;  ///< names
  std::vector<std::string> hosts;    ///< in lower case

  /// Adds those of `more` that are missing.
  void add(const CallRights& more);
};

/// The C form of a Call, lent to a plugin, which passes it on to services.
class CallTable {
 public:
  /// Both must outlive it.
  CallTable(const Call& call, const CallRights& rights);
  virtual ~CallTable() = default;
  CallTable(const CallTable&) = delete;
  CallTable& operator=(const CallTable&) = delete;

  [[nodiscard]] const quarry_call* get() const { return &table_; }
  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] const CallRights& rights() const { return rights_; }
  /// The call that a plugin opened this one as a part of, at last; itself if it is no part.
  [[nodiscard]] virtual const CallTable& root() const { return *this; }
  /// True if a function of the plugin may end it, which is known by asking alone.
  [[nodiscard]] virtual bool has_state_function() const { return false; }
  /// The table that `call` is part of; null if it is null or not a call of this process. [any
  /// thread]
  [[nodiscard]] static const CallTable* find(const quarry_call* call);

 private:
  const Call& call_;
  const CallRights& rights_;
  quarry_call table_;
};

/// A base class, so that it is constructed before the table that refers to it.
struct HeldCall {
  Call held_call;
  CallRights held_rights;
};

/// A table that holds its call.
class HeldCallTable : private HeldCall, public CallTable {
 public:
  explicit HeldCallTable(Call call, CallRights rights = {})
      : HeldCall{std::move(call), std::move(rights)}, CallTable(held_call, held_rights) {}
};

/// The conditions of a call that a plugin opens for itself.
struct PartOfCall {
  const quarry_call* parent = nullptr;  ///< null: none
  /// max(): none; zero or less: it is over at once
  std::chrono::milliseconds limit = std::chrono::milliseconds::max();
  quarry_status (*state)(void*) = nullptr;  ///< ends the call unless it returns QUARRY_OK
  void* context = nullptr;                  ///< of `state`
  CallRights rights = {};                   ///< of a call without parent
};
/// Null if the parent is no call of this process. Ended by close_call. [any thread]
const quarry_call* open_call(const PartOfCall& part);
/// Closes a call of open_call; others are ignored. [any thread]
void close_call(const quarry_call* call);

}  // namespace quarry::services
