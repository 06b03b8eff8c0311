#pragma once

#include "base/clock.h"
#include "services/otlp_span.h"
#include "services/trace_context.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::services {

class Tracer;

/// One span while it runs. Every function of a span that is not recorded has no effect, and costs a
/// comparison. One thread at a time; its tracer must outlive it.
class RunningSpan {
 public:
  /// Not recorded, and in no trace.
  RunningSpan() = default;
  RunningSpan(RunningSpan&& other) noexcept;
  RunningSpan& operator=(RunningSpan&& other) noexcept;
  /// Ends it.
  ~RunningSpan() { end(); }

  [[nodiscard]] bool is_recorded() const { return span_ != nullptr; }
  /// True if the text of questions, answers and tools is to be recorded too.
  [[nodiscard]] bool wants_content() const;

  template <class Value>
  void set(std::string_view name, const Value& value) {
    if (span_) span_->attributes.add(name, value);
  }
  /// Sets text of which at most kMostContent bytes are kept.
  void set_content(std::string_view name, std::string_view text);
  /// Marks it as failed. `type`: one of few words, such as an error's tag.
  void fail(std::string_view type);
  /// Ends it now, once.
  void end();

  static constexpr std::size_t kMostContent = 16u << 10;

 private:
  friend class Tracer;
  friend class SpanParent;
  RunningSpan(const Tracer& tracer, TraceContext context) : tracer_(&tracer), context_(context) {}

  const Tracer* tracer_ = nullptr;
  TraceContext context_;
  std::unique_ptr<Span> span_;  ///< null = not recorded
  Clock::Steady begun_;
};

/// The parent of new spans: copied to where they begin. Thread-safe.
class SpanParent {
 public:
  /// No parent: spans are not recorded.
  SpanParent() = default;
  explicit SpanParent(const RunningSpan& span) : tracer_(span.tracer_), context_(span.context_) {}
  /// A span of `tracer`, which must outlive it, by its ids.
  SpanParent(const Tracer& tracer, const TraceContext& span) : tracer_(&tracer), context_(span) {}

  [[nodiscard]] bool is_recorded() const { return tracer_ != nullptr && context_.sampled; }
  /// A child, recorded if the parent is. The name is `operation` and, if not empty, `of`.
  [[nodiscard]] RunningSpan begin(std::string_view operation, std::string_view of,
                                  SpanKind kind) const;
  /// The header for requests in the course of the parent; empty if there is none.
  [[nodiscard]] std::string traceparent() const;
  /// Its ids, also if it is not recorded; zeros if there is none.
  [[nodiscard]] const TraceContext& context() const { return context_; }

 private:
  const Tracer* tracer_ = nullptr;
  TraceContext context_;
};

/// Makes spans, and decides which traces are recorded. Thread-safe.
class Tracer {
 public:
  struct Options {
    double ratio = 1;      ///< share of the traces that begin here and are recorded, 0 to 1
    bool content = false;  ///< records the text of questions, answers and tools
  };
  /// Receives each span that has ended (to_otlp). [any]
  using OnSpan = std::function<void(std::string otlp)>;

  /// `clock` must outlive it.
  Tracer(const Clock& clock, Options options, OnSpan on_span)
      : clock_(clock), options_(options), on_span_(std::move(on_span)) {}

  /// A request from outside.
  struct Arrival {
    std::string_view traceparent = {};  ///< header; ignored if it is not valid
    /// The sender may decide what is recorded. Otherwise its trace is joined, but this host
    /// decides, independently of ids that the sender chose.
    bool trusted = true;
    Clock::Steady at;
  };
  /// The span of a request.
  [[nodiscard]] RunningSpan begin(std::string_view name, const Arrival& arrival) const;
  /// The first span of a trace that begins within the host.
  [[nodiscard]] RunningSpan begin(std::string_view operation, std::string_view of,
                                  SpanKind kind) const;

 private:
  friend class RunningSpan;
  friend class SpanParent;
  [[nodiscard]] RunningSpan make(std::string name, SpanKind kind, TraceContext context,
                                 std::optional<TraceContext> parent, Clock::Steady at) const;

  const Clock& clock_;
  const Options options_;
  const OnSpan on_span_;
};

}  // namespace quarry::services
