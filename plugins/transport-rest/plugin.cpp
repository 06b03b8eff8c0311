#include "transport-rest/transport.h"

#include <quarry/plugin.hpp>

namespace {

quarry::Failure told(quarry::rest::Failure failure) {
  std::string details;
  if (!failure.tag.empty()) details = R"({"tag":")" + failure.tag + "\"}";
  if (!failure.tag.empty() && !failure.fields.empty()) {
    details.insert(details.size() - 1, ",\"fields\":" + failure.fields);
  }
  return {failure.status, std::move(failure.message), std::move(failure.hint), details};
}

/// Transport in the terms of the SDK.
class Rest {
 public:
  static quarry::Outcome<std::unique_ptr<Rest>> create(quarry::Host host,
                                                       std::string_view configuration) {
    auto made = quarry::rest::Transport::create(host, configuration, QUARRY_VERSION);
    if (!made) return told(std::move(made.error()));
    return std::make_unique<Rest>(std::move(*made));
  }
  explicit Rest(std::unique_ptr<quarry::rest::Transport> transport)
      : transport_(std::move(transport)) {}

  quarry::Outcome<std::string> start(const quarry_engine* engine) {
    auto value = transport_->start(*engine);
    if (!value) return told(std::move(value.error()));
    return std::move(*value);
  }
  void stop(std::chrono::milliseconds grace) { transport_->stop(grace); }

 private:
  std::unique_ptr<quarry::rest::Transport> transport_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.transport-rest", QUARRY_VERSION, quarry::transport<Rest>("rest"))
