#include "transport-mcp/stdio_transport.h"
#include "transport-mcp/transport.h"

#include <quarry/plugin.hpp>
#include <quarry/transport.hpp>

namespace {

quarry::Failure told(quarry::engine_client::Failure failure) {
  std::string details;
  if (!failure.tag.empty()) details = R"({"tag":")" + failure.tag + "\"}";
  if (!failure.tag.empty() && !failure.fields.empty()) {
    details.insert(details.size() - 1, ",\"fields\":" + failure.fields);
  }
  return {failure.status, std::move(failure.message), std::move(failure.hint), details};
}

/// A transport in the terms of the SDK.
template <class T>
class Component {
 public:
  static quarry::Outcome<std::unique_ptr<Component>> create(quarry::Host host,
                                                            std::string_view configuration) {
    auto made = T::create(host, configuration, QUARRY_VERSION);
    if (!made) return told(std::move(made.error()));
    return std::make_unique<Component>(std::move(*made));
  }
  explicit Component(std::unique_ptr<T> transport) : transport_(std::move(transport)) {}

  quarry::Outcome<std::string> start(const quarry_engine* engine) {
    auto value = transport_->start(*engine);
    if (!value) return told(std::move(value.error()));
    return std::move(*value);
  }
  void stop(std::chrono::milliseconds grace) { transport_->stop(grace); }

 private:
  std::unique_ptr<T> transport_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.transport-mcp", QUARRY_VERSION,
              quarry::transport<Component<quarry::transport_mcp::Transport>>("mcp"),
              quarry::transport<Component<quarry::transport_mcp::StdioTransport>>("stdio"))
