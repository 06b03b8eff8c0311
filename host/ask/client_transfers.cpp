#include "ask/client_transfers.h"

#include <optional>

namespace quarry::ask {
namespace {

using services::HttpClient;

constexpr std::size_t kBuffer = 1024;  // small, because streams are many and tokens are short

struct Cancel {
  HttpClient& client;
  HttpClient::Handle handle;
  void operator()() const { client.cancel(handle); }
};

struct Transfer {
  HttpClient& client;
  std::shared_ptr<ResponseReceiver> receiver;
  HttpClient::Handle handle = 0;
  std::optional<std::stop_callback<Cancel>> on_stop = std::nullopt;

  void head(const services::HttpHead& from) const { receiver->head(from.status, from.headers); }
  void cancel() const { client.cancel(handle); }
  void end(const Result<services::HttpOutcome>& outcome) {
    on_stop.reset();
    receiver->end(outcome ? Status() : Status(outcome.error()));
  }
};

}  // namespace

void ClientTransfers::send(services::HttpRequest request, std::chrono::milliseconds idle,
                           std::stop_token stop, std::shared_ptr<ResponseReceiver> receiver) {
  services::HttpOptions options = options_;
  options.idle = idle;
  options.buffer = kBuffer;
  const auto transfer = std::make_shared<Transfer>(client_, std::move(receiver));
  auto* const to = transfer->receiver.get();
  // Callbacks run only after this function has returned to the loop; on_end keeps the transfer.
  transfer->handle = client_.start(
      std::move(request),
      {.on_head = [it = transfer.get()](const services::HttpHead& head) { it->head(head); },
       .on_data =
           [it = transfer.get(), to](std::string_view bytes) {
             if (!to->data(bytes)) it->cancel();
           },
       .on_end = [transfer](const Result<services::HttpOutcome>& end) { transfer->end(end); }},
      std::move(options));
  transfer->on_stop.emplace(stop, Cancel{client_, transfer->handle});
}

}  // namespace quarry::ask
