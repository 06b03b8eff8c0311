#pragma once

#include "engine/engine.h"

#include <span>
#include <string>
#include <vector>

namespace quarry::cli {

/// A listening socket and the transport that it is passed to by name.
struct NamedSocket {
  int descriptor = -1;  ///< not owned
  std::string transport;
};

/// The TCP sockets of this process that listen on the addresses of `listening`, each socket once.
/// Addresses of other kinds have none.
std::vector<NamedSocket> listening_sockets(std::span<const engine::Listening> listening);

}  // namespace quarry::cli
