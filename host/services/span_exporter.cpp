#include "services/span_exporter.h"

#include "base/json.h"
#include "services/retry_after.h"

#include <atomic>
#include <charconv>
#include <future>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <nlohmann/json.hpp>

namespace quarry::services {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;

constexpr std::uint64_t kMostResponse = 64u << 10;

/// The statuses that OTLP names (opentelemetry-proto, specification, "Failures").
bool is_temporary(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

/// Random between half and all of the doubled wait, so that many hosts do not retry at once.
milliseconds own_wait(const SpanExporter::Limits& limits, unsigned attempt) {
  const auto full = std::min(limits.first_wait * (1u << (attempt - 1)), limits.longest_wait);
  thread_local std::minstd_rand random{std::random_device{}()};
  return milliseconds(std::uniform_int_distribution(full.count() / 2, full.count())(random));
}

/// rejectedSpans of an ExportTraceServiceResponse: a 64-bit integer, in JSON usually a text.
std::size_t rejected_spans(std::string_view response) {
  const auto value = parse_json(response);
  if (!value || !value->is_object()) return 0;
  static const Json::json_pointer kRejected("/partialSuccess/rejectedSpans");
  if (!value->contains(kRejected)) return 0;
  const Json& rejected = (*value)[kRejected];
  if (rejected.is_number_unsigned()) return rejected.get<std::size_t>();
  std::size_t count = 0;
  if (rejected.is_string()) {
    const std::string& text = rejected.get_ref<const std::string&>();
    std::from_chars(text.data(), text.data() + text.size(), count);
  }
  return count;
}

}  // namespace

/// Its functions run on the I/O thread, except add and close.
class SpanExporter::State : public std::enable_shared_from_this<State> {
 public:
  State(Parts parts, Target target, Limits limits)
      : parts_(parts),
        target_(std::move(target)),
        limits_(limits),
        queue_(limits.queue),
        timer_(parts.io) {
    target_.headers.push_back({"Content-Type", "application/json"});
    parts_.metrics.describe("spans_dropped_total",
                            "Spans of traces that the collector has not received.");
  }

  void add(std::string span) {
    const auto added = closed_ ? SpanQueue::Added::kDropped : queue_.add(std::move(span));
    if (added == SpanQueue::Added::kDropped) return count_dropped(1, "queue");
    if (added != SpanQueue::Added::kQueued) post([](State& state) { state.look(); });
  }

  std::future<void> close() {
    closed_ = true;
    post([](State& state) { state.finish(); });
    return flushed_.get_future();
  }

  void count_dropped(std::size_t spans, std::string_view reason) {
    static_cast<void>(parts_.metrics.count("spans_dropped_total", metric_label("reason", reason),
                                           static_cast<double>(spans)));
  }

  /// Spans that no request has taken to the collector.
  [[nodiscard]] std::size_t unsent() const { return queue_.size() + sending_; }

  void warn(const std::string& text) const { parts_.log.warning("traces", text); }

 private:
  template <class Work>
  void post(Work work) {
    asio::post(parts_.io, [weak = weak_from_this(), work] {
      if (const auto state = weak.lock()) work(*state);
    });
  }

  /// `function` on the state, if it still exists.
  template <class Function>
  auto bound(Function function) {
    return [weak = weak_from_this(), function](const auto& value) {
      if (const auto state = weak.lock()) function(*state, value);
    };
  }

  /// Sends a full batch now, others at the end of the interval.
  void look() {
    if (sending_ > 0) return;
    if (queue_.has_full_batch() || closing_) return send();
    if (queue_.size() == 0 || timer_runs_) return;
    timer_runs_ = true;
    after(limits_.interval, [](State& state) {
      if (state.timer_runs_) state.send();
    });
  }

  /// `act` checks that the wait was not cancelled: one that is over cannot be, though its function
  /// has not run yet.
  void after(milliseconds wait, void (*act)(State&)) {
    timer_.expires_after(wait);
    timer_.async_wait([weak = weak_from_this(), act](const boost::system::error_code& failed) {
      const auto state = weak.lock();
      if (!failed && state) act(*state);
    });
  }

  void send() {
    timer_.cancel();
    timer_runs_ = false;
    auto batch = queue_.take();
    if (batch.count == 0) return end_if_closing();
    sending_ = batch.count;
    attempt_ = 0;
    body_ = target_.frame.begin + batch.spans;
    body_ += target_.frame.end;
    request();
  }

  void request() {
    ++attempt_;
    waits_ = false;
    head_ = {};
    response_.clear();
    parts_.http.start(
        {.method = "POST", .url = target_.url, .headers = target_.headers, .body = body_},
        {.on_head = bound([](State& state, const HttpHead& head) { state.head_ = head; }),
         .on_data = bound([](State& state, std::string_view bytes) { state.response_ += bytes; }),
         .on_end = bound(
             [](State& state, const Result<HttpOutcome>& outcome) { state.answered(outcome); })},
        {.idle = limits_.timeout,
         .total = limits_.timeout,
         .max_bytes = kMostResponse,
         .to_models = true,
         .max_redirects = 0});
  }

  void answered(const Result<HttpOutcome>& outcome) {
    if (outcome && outcome->status / 100 == 2) return delivered();
    if (outcome) {
      const std::string status = "HTTP " + std::to_string(outcome->status);
      tell(status, status);
    } else {
      tell(std::to_string(static_cast<int>(outcome.error().code)), with_hint(outcome.error()));
    }
    if (const auto wait = wait_before_retry(outcome)) {
      waits_ = true;
      return after(*wait, [](State& state) {
        if (state.waits_) state.request();
      });
    }
    count_dropped(sending_, "undelivered");
    has_lost_ = true;
    next();
  }

  /// Nothing if there is no retry.
  [[nodiscard]] std::optional<milliseconds> wait_before_retry(
      const Result<HttpOutcome>& outcome) const {
    const bool temporary = outcome ? is_temporary(outcome->status)
                                   : outcome.error().code == Code::kUnavailable ||
                                         outcome.error().code == Code::kDeadlineExceeded;
    if (!temporary || closing_ || attempt_ >= limits_.attempts) return std::nullopt;
    const auto asked = retry_after(head_.headers, parts_.clock.now());
    if (!asked) return own_wait(limits_, attempt_);
    if (*asked > limits_.longest_wait) return std::nullopt;
    return asked;
  }

  void delivered() {
    if (const std::size_t rejected = std::min(rejected_spans(response_), sending_.load())) {
      tell("rejected", "the collector rejects some of them");
      count_dropped(rejected, "rejected");
    } else if (std::exchange(has_lost_, false)) {
      told_.clear();
      parts_.log.info("traces", "spans reach the collector again");
    }
    next();
  }

  void next() {
    sending_ = 0;
    body_.clear();
    look();
  }

  /// Once for each cause, until spans that follow lost ones are delivered.
  void tell(const std::string& cause, const std::string& text) {
    if (told_.insert(cause).second) warn("spans do not reach " + target_.url + ": " + text);
  }

  void finish() {
    closing_ = true;
    if (waits_) {
      timer_.cancel();
      request();
    } else if (sending_ == 0) {
      send();
    }
  }

  void end_if_closing() {
    if (closing_ && !std::exchange(ended_, true)) flushed_.set_value();
  }

  const Parts parts_;
  Target target_;
  const Limits limits_;
  SpanQueue queue_;
  std::atomic<bool> closed_ = false;
  std::promise<void> flushed_;

  asio::steady_timer timer_;              ///< of the interval, or of the wait before a retry
  bool timer_runs_ = false;               ///< for the interval
  bool waits_ = false;                    ///< for a retry
  std::atomic<std::size_t> sending_ = 0;  ///< spans of the request; 0 = none is sent
  unsigned attempt_ = 0;
  std::string body_;
  HttpHead head_;
  std::string response_;
  std::set<std::string> told_;  ///< causes
  bool has_lost_ = false;
  bool closing_ = false;
  bool ended_ = false;
};

SpanExporter::SpanExporter(Parts parts, Target target, Limits limits)
    : state_(std::make_shared<State>(parts, std::move(target), limits)) {}

SpanExporter::~SpanExporter() = default;

void SpanExporter::add(std::string span) {
  state_->add(std::move(span));
}

void SpanExporter::shutdown(milliseconds limit) {
  if (state_->close().wait_for(limit) == std::future_status::ready) return;
  const std::size_t lost = state_->unsent();
  state_->count_dropped(lost, "undelivered");
  state_->warn(std::to_string(lost) + " spans were not delivered before the end");
}

std::string traces_url(std::string_view endpoint) {
  while (endpoint.ends_with('/')) endpoint.remove_suffix(1);
  return std::string(endpoint) + "/v1/traces";
}

}  // namespace quarry::services
