#pragma once

#include "config/config.h"
#include "services/endpoint.h"
#include "services/redactor.h"
#include "services/span_exporter.h"
#include "services/tracer.h"

#include <chrono>
#include <memory>
#include <optional>

namespace quarry::engine {

/// Records spans and sends them to the configured collector.
class Traces {
 public:
  /// Records nothing.
  Traces() = default;
  /// `redactor` cleans every span, and must outlive this.
  Traces(const config::Traces& config, services::SpanExporter::Parts parts,
         const services::Redactor& redactor);

  /// Null if nothing is recorded. Valid as long as this.
  [[nodiscard]] const services::Tracer* tracer() const { return tracer_.get(); }
  /// That of the collector; nothing if nothing is recorded.
  [[nodiscard]] const std::optional<services::Endpoint>& endpoint() const { return endpoint_; }
  /// Sends what waits; waits up to `limit`. As SpanExporter::shutdown.
  void shutdown(std::chrono::milliseconds limit);

 private:
  std::optional<services::Endpoint> endpoint_;
  std::unique_ptr<services::SpanExporter> exporter_;
  std::unique_ptr<services::Tracer> tracer_;
};

}  // namespace quarry::engine
