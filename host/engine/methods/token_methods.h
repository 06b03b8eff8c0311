#pragma once

#include "base/clock.h"
#include "engine/gate.h"
#include "engine/methods/method_table.h"

namespace quarry::engine {

/// tokens.create, .list and .revoke.
class TokenMethods {
 public:
  /// Both must outlive it.
  TokenMethods(Gate& gate, const Clock& clock) : gate_(gate), clock_(clock) {}
  /// Adds its rows, which this must outlive.
  void add_to(MethodTable& table);

 private:
  Answer create(const Json& params);
  Answer list(const Json& params);
  Answer revoke(const Json& params);

  Gate& gate_;
  const Clock& clock_;
};

}  // namespace quarry::engine
