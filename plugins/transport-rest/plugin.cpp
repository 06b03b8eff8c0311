#include "engine_client/component.h"
#include "transport-rest/transport.h"

#include <quarry/plugin.hpp>

namespace {

constexpr char kVersion[] = QUARRY_VERSION;

}  // namespace

QUARRY_PLUGIN(
    "io.quarry.transport-rest", QUARRY_VERSION,
    quarry::transport<quarry::engine_client::Component<quarry::rest::Transport, kVersion>>("rest"))
