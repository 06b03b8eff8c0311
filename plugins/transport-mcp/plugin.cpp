#include "engine_client/component.h"
#include "transport-mcp/stdio_transport.h"
#include "transport-mcp/transport.h"

#include <quarry/plugin.hpp>

namespace {

constexpr char kVersion[] = QUARRY_VERSION;

template <class T>
using Component = quarry::engine_client::Component<T, kVersion>;

}  // namespace

QUARRY_PLUGIN("io.quarry.transport-mcp", QUARRY_VERSION,
              quarry::transport<Component<quarry::transport_mcp::Transport>>("mcp"),
              quarry::transport<Component<quarry::transport_mcp::StdioTransport>>("stdio"))
