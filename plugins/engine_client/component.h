#pragma once

#include "failure.h"

#include <quarry/transport.hpp>

#include <chrono>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace quarry::engine_client {

/// Converts to the SDK's failure.
[[nodiscard]] quarry::Failure to_sdk_failure(Failure failure);

/// Adapts a transport to the SDK: T has create(host, call, configuration, version), start(engine)
/// and stop(grace). `version` is the host's.
template <class T, const char* version>
class Component {
 public:
  static quarry::Outcome<std::unique_ptr<Component>> create(Host host, const Call& call,
                                                            std::string_view configuration) {
    auto made = T::create(host, call, configuration, version);
    if (!made) return to_sdk_failure(std::move(made.error()));
    return std::make_unique<Component>(std::move(*made));
  }
  explicit Component(std::unique_ptr<T> transport) : transport_(std::move(transport)) {}

  quarry::Outcome<std::string> start(const Call&, const quarry_engine* engine) {
    auto value = transport_->start(*engine);
    if (!value) return to_sdk_failure(std::move(value.error()));
    return std::move(*value);
  }
  void stop(std::chrono::milliseconds grace) { transport_->stop(grace); }

 private:
  std::unique_ptr<T> transport_;
};

}  // namespace quarry::engine_client
