#include "engine/traces.h"

#include "base/random.h"

#include <string_view>

namespace quarry::engine {
namespace {

constexpr std::size_t kInstanceBytes = 16;

/// The host in the semantic conventions of OpenTelemetry.
services::SpanAttributes host_attributes() {
  services::SpanAttributes out;
  out.add("service.name", std::string_view("quarry"));
  out.add("service.version", std::string_view(QUARRY_VERSION));
  out.add("service.instance.id", std::string_view(random_hex(kInstanceBytes)));
  return out;
}

services::SpanExporter::Target target_of(const config::Traces& config) {
  services::SpanExporter::Target out{
      .url = services::traces_url(config.endpoint),
      .headers = {},
      .frame = services::otlp_frame(host_attributes(), QUARRY_VERSION)};
  for (const auto& [name, secret] : config.headers) {
    out.headers.push_back({.name = name, .value = {}, .secret = secret});
  }
  return out;
}

}  // namespace

Traces::Traces(const config::Traces& config, services::SpanExporter::Parts parts,
               const services::Redactor& redactor) {
  if (config.endpoint.empty()) return;
  endpoint_ = services::parse_endpoint(config.endpoint);
  exporter_ = std::make_unique<services::SpanExporter>(parts, target_of(config));
  tracer_ = std::make_unique<services::Tracer>(
      parts.clock,
      services::Tracer::Options{.ratio = config.sample_ratio, .content = config.content},
      [exporter = exporter_.get(), &redactor](std::string span) {
        exporter->add(redactor.redact_json(std::move(span)));
      });
}

void Traces::shutdown(std::chrono::milliseconds limit) {
  if (exporter_) exporter_->shutdown(limit);
}

}  // namespace quarry::engine
