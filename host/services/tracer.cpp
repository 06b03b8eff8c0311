#include "services/tracer.h"

#include "base/utf8.h"
#include "services/span_names.h"

#include <utility>

namespace quarry::services {
namespace {

std::string name_of(std::string_view operation, std::string_view of) {
  std::string name(operation);
  if (!of.empty()) name.append(" ").append(of);
  return name;
}

}  // namespace

RunningSpan::RunningSpan(RunningSpan&& other) noexcept
    : tracer_(std::exchange(other.tracer_, nullptr)),
      context_(other.context_),
      span_(std::move(other.span_)),
      begun_(other.begun_) {}

RunningSpan& RunningSpan::operator=(RunningSpan&& other) noexcept {
  if (this == &other) return *this;
  end();
  tracer_ = std::exchange(other.tracer_, nullptr);
  context_ = other.context_;
  span_ = std::move(other.span_);
  begun_ = other.begun_;
  return *this;
}

bool RunningSpan::wants_content() const {
  return span_ && tracer_->options_.content;
}

void RunningSpan::set_content(std::string_view name, std::string_view text) {
  if (wants_content()) set(name, utf8_prefix(text, kMostContent));
}

void RunningSpan::fail(std::string_view type) {
  if (!span_) return;
  span_->failed = true;
  set(span_names::kErrorType, type);
}

void RunningSpan::end() {
  if (!span_) return;
  const auto took = tracer_->clock_.steady_now() - begun_;
  span_->end = span_->begin + std::chrono::duration_cast<Clock::Wall::duration>(took);
  tracer_->on_span_(to_otlp(*std::exchange(span_, nullptr)));
}

RunningSpan SpanParent::begin(std::string_view operation, std::string_view of,
                              SpanKind kind) const {
  if (tracer_ == nullptr) return {};
  // Nobody sees a span that is not recorded, so it needs no id of its own.
  if (!context_.sampled) return {*tracer_, context_};
  return tracer_->make(name_of(operation, of), kind, new_span(context_), context_,
                       tracer_->clock_.steady_now());
}

std::string SpanParent::traceparent() const {
  return tracer_ == nullptr ? std::string() : to_traceparent(context_);
}

RunningSpan Tracer::begin(std::string_view name, const Arrival& arrival) const {
  const auto parent = parse_traceparent(arrival.traceparent);
  TraceContext own = new_trace(false);
  own.sampled = parent && arrival.trusted ? parent->sampled : is_in_ratio(own, options_.ratio);
  if (parent) own.trace = parent->trace;
  RunningSpan span = make(std::string(name), SpanKind::kServer, own, parent, arrival.at);
  if (span.span_) span.span_->parent_is_remote = parent.has_value();
  return span;
}

RunningSpan Tracer::begin(std::string_view operation, std::string_view of, SpanKind kind) const {
  TraceContext own = new_trace(false);
  own.sampled = is_in_ratio(own, options_.ratio);
  return make(name_of(operation, of), kind, own, std::nullopt, clock_.steady_now());
}

RunningSpan Tracer::make(std::string name, SpanKind kind, TraceContext context,
                         std::optional<TraceContext> parent, Clock::Steady at) const {
  RunningSpan out(*this, context);
  if (!context.sampled) return out;
  const auto ago = clock_.steady_now() - at;
  out.begun_ = at;
  out.span_ = std::make_unique<Span>(
      Span{.context = context,
           .parent = parent,
           .name = std::move(name),
           .kind = kind,
           .begin = clock_.now() - std::chrono::duration_cast<Clock::Wall::duration>(ago)});
  return out;
}

}  // namespace quarry::services
