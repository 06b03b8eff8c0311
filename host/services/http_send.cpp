#include "services/http_client.h"

#include <condition_variable>
#include <mutex>
#include <optional>

namespace quarry::services {
namespace {

constexpr std::size_t kBuffer = 256 << 10;

/// Buffer between the I/O thread and the caller of send.
struct ResponseBuffer {
  std::mutex mutex;
  std::condition_variable wake;
  std::optional<HttpHead> head;
  std::string bytes;
  bool paused = false;
  std::optional<Result<HttpOutcome>> outcome;

  [[nodiscard]] bool empty() const { return !head && bytes.empty() && !outcome; }
};

HttpCallbacks fill(const std::shared_ptr<ResponseBuffer>& box, const std::function<void()>& pause) {
  HttpCallbacks callbacks;
  callbacks.on_head = [box](const HttpHead& head) {
    const std::lock_guard lock(box->mutex);
    box->head = head;
    box->wake.notify_one();
  };
  callbacks.on_data = [box, pause](std::string_view bytes) {
    const std::lock_guard lock(box->mutex);
    box->bytes += bytes;
    if (box->bytes.size() >= kBuffer && !box->paused) {
      box->paused = true;
      pause();
    }
    box->wake.notify_one();
  };
  callbacks.on_end = [box](Result<HttpOutcome> outcome) {
    const std::lock_guard lock(box->mutex);
    box->outcome = std::move(outcome);
    box->wake.notify_one();
  };
  return callbacks;
}

/// Contents received since the last call.
struct Delivery {
  std::optional<HttpHead> head;
  std::string bytes;
  bool paused = false;
  std::optional<Result<HttpOutcome>> outcome;
};

Delivery wait_for(ResponseBuffer& box, const Call& call) {
  std::unique_lock lock(box.mutex);
  if (box.empty()) box.wake.wait_for(lock, call.max_wait());
  return {std::exchange(box.head, std::nullopt), std::exchange(box.bytes, {}),
          std::exchange(box.paused, false), std::exchange(box.outcome, std::nullopt)};
}

Status deliver(const Delivery& delivery, const HttpSink& sink) {
  if (delivery.head && sink.head)
    if (auto taken = sink.head(*delivery.head); !taken) return taken;
  if (!delivery.bytes.empty() && sink.data) return sink.data(delivery.bytes);
  return {};
}

}  // namespace

Result<HttpOutcome> HttpClient::send(const Call& call, HttpRequest request, const HttpSink& sink,
                                     HttpOptions options) {
  load();
  const auto box = std::make_shared<ResponseBuffer>();
  const auto handle = std::make_shared<Handle>();
  {
    const std::lock_guard lock(box->mutex);  // on_data must not read the handle before it is set
    *handle = start(std::move(request), fill(box, [this, handle] { pause(*handle); }),
                    std::move(options));
  }
  for (;;) {
    Status status = call.check();
    const Delivery delivery = status ? wait_for(*box, call) : Delivery();
    if (status) status = deliver(delivery, sink);
    if (!status) {
      cancel(*handle);
      return status.error();
    }
    if (delivery.outcome) return *delivery.outcome;
    if (delivery.paused) resume(*handle);
  }
}

}  // namespace quarry::services
