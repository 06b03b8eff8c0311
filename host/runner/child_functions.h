#pragma once

#include "runner/child_call.h"
#include "runner/child_exchanges.h"
#include "runner/packet.h"
#include "runner/protocol.h"

#include <quarry/abi.h>

#include <cstdint>

namespace quarry::runner {

/// Optional functions (kHas…) of a component.
std::uint32_t optional_functions(const quarry_component& component);

/// One call of a component's function in the runner.
struct ChildFunction {
  const quarry_component& component;
  void* instance;
  Function function;
  ChildCall& call;
  PacketReader& arguments;
  ChildExchanges& exchanges;
  const quarry_reply* reply;
};

// Call the function. False if a component of the kind has no such function, or this one lacks it.
bool call_component(const ChildFunction& asked);
bool call_resource(const ChildFunction& asked);
bool call_model(const ChildFunction& asked);

}  // namespace quarry::runner
