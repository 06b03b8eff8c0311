#include "services/http_client.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace quarry::services {
namespace {

constexpr std::size_t kBuffer = 256 << 10;
constexpr std::size_t kAtOnce = 16;

/// Protects the buffers of one send_all, which the I/O thread fills and the caller empties.
struct Mailbox {
  std::mutex mutex;
  std::condition_variable wake;
};

/// Contents of a response received since they were last taken.
struct Delivery {
  std::optional<HttpHead> head;
  std::string bytes;
  bool paused = false;
  std::optional<Result<HttpOutcome>> outcome;

  [[nodiscard]] bool empty() const { return !head && bytes.empty() && !outcome; }
};

/// One transfer of send_all.
class Sending {
 public:
  /// `client` must outlive the transfer, `part` this object.
  static std::shared_ptr<Sending> start(HttpClient& client, std::shared_ptr<Mailbox> mailbox,
                                        HttpPart& part) {
    auto sending = std::make_shared<Sending>(client, std::move(mailbox), part.sink);
    const std::lock_guard lock(sending->mailbox_->mutex);  // on_data reads the handle
    sending->handle_ =
        client.start(std::move(part.request), callbacks(sending), std::move(part.options));
    return sending;
  }

  Sending(HttpClient& client, std::shared_ptr<Mailbox> mailbox, const HttpSink& sink)
      : client_(client), mailbox_(std::move(mailbox)), sink_(sink) {}

  /// With the mailbox locked.
  [[nodiscard]] bool has_received() const { return !received_.empty(); }

  /// Passes what was received to the sink; the result when the transfer has ended.
  std::optional<Result<HttpOutcome>> deliver() {
    Delivery delivery;
    {
      const std::lock_guard lock(mailbox_->mutex);
      delivery = std::exchange(received_, {});
    }
    if (Status taken = deliver(delivery); !taken) {
      cancel();
      return taken.error();
    }
    if (!delivery.outcome && delivery.paused) client_.resume(handle_);
    return delivery.outcome;
  }
  void cancel() { client_.cancel(handle_); }

 private:
  static HttpCallbacks callbacks(const std::shared_ptr<Sending>& self) {
    HttpCallbacks callbacks;
    callbacks.on_head = [self](const HttpHead& head) {
      self->receive([&](Delivery& received) { received.head = head; });
    };
    callbacks.on_data = [self](std::string_view bytes) {
      self->receive([&](Delivery& received) {
        received.bytes += bytes;
        if (received.bytes.size() < kBuffer || received.paused) return;
        received.paused = true;
        self->client_.pause(self->handle_);
      });
    };
    callbacks.on_end = [self](Result<HttpOutcome> outcome) {
      self->receive([&](Delivery& received) { received.outcome = std::move(outcome); });
    };
    return callbacks;
  }
  template <class Add>
  void receive(const Add& add) {
    const std::lock_guard lock(mailbox_->mutex);
    add(received_);
    mailbox_->wake.notify_one();
  }
  [[nodiscard]] Status deliver(const Delivery& delivery) const {
    if (delivery.head && sink_.head)
      if (auto taken = sink_.head(*delivery.head); !taken) return taken;
    if (!delivery.bytes.empty() && sink_.data) return sink_.data(delivery.bytes);
    return {};
  }

  HttpClient& client_;
  std::shared_ptr<Mailbox> mailbox_;
  const HttpSink& sink_;
  HttpClient::Handle handle_ = 0;
  Delivery received_;
};

/// The transfers of one send_all.
class Batch {
 public:
  Batch(HttpClient& client, std::vector<HttpPart>& parts) : client_(client), parts_(parts) {
    results_.resize(parts.size(), Error{Code::kCancelled, "it was not sent"});
  }

  /// Sends all; a failure when the call is over first.
  Status run(const Call& call) {
    Status wanted = call.check();
    while (wanted && start_some()) {
      wait(call);
      for (auto& [index, sending] : running_) {
        if (auto ended = sending->deliver()) {
          results_[index] = std::move(*ended);
          sending = nullptr;
        }
      }
      std::erase_if(running_, [](const auto& running) { return running.second == nullptr; });
      wanted = call.check();
      if (!wanted && running_.empty() && next_ == parts_.size()) return {};
    }
    for (const auto& [index, sending] : running_) sending->cancel();
    return wanted;
  }
  std::vector<Result<HttpOutcome>> take_results() { return std::move(results_); }

 private:
  /// False when all have ended.
  bool start_some() {
    while (next_ < parts_.size() && running_.size() < kAtOnce) {
      running_.emplace_back(next_, Sending::start(client_, mailbox_, parts_[next_]));
      ++next_;
    }
    return !running_.empty();
  }
  void wait(const Call& call) {
    std::unique_lock lock(mailbox_->mutex);
    const bool any = std::ranges::any_of(
        running_, [](const auto& running) { return running.second->has_received(); });
    if (!any) mailbox_->wake.wait_for(lock, call.max_wait());
  }

  HttpClient& client_;
  std::vector<HttpPart>& parts_;
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::vector<std::pair<std::size_t, std::shared_ptr<Sending>>> running_;
  std::size_t next_ = 0;
  std::vector<Result<HttpOutcome>> results_;
};

}  // namespace

Result<std::vector<Result<HttpOutcome>>> HttpClient::send_all(const Call& call,
                                                              std::vector<HttpPart> parts) {
  load();
  Batch batch(*this, parts);
  if (Status sent = batch.run(call); !sent) return sent.error();
  return batch.take_results();
}

Result<HttpOutcome> HttpClient::send(const Call& call, HttpRequest request, const HttpSink& sink,
                                     HttpOptions options) {
  std::vector<HttpPart> one;
  one.push_back({std::move(request), sink, std::move(options)});
  auto sent = send_all(call, std::move(one));
  if (!sent) return std::move(sent).error();
  return std::move(sent->front());
}

}  // namespace quarry::services
