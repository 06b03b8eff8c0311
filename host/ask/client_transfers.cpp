#include "ask/client_transfers.h"

#include <memory>
#include <optional>

namespace quarry::ask {
namespace {

using services::HttpClient;

constexpr std::size_t kBuffer = 1024;  // tokens are small, and their streams many

struct Transfer {
  HttpClient& client;
  ResponseReceiver& receiver;
  std::function<void(Status)> done;
  HttpClient::Handle handle = 0;
  std::optional<std::stop_callback<std::function<void()>>> on_stop = std::nullopt;

  void head(const services::HttpHead& from) {
    std::vector<plugins::HttpHeader> headers;
    for (const auto& header : from.headers) headers.push_back({header.name, header.value, {}});
    receiver.head(from.status, headers);
  }
  void end(const Result<services::HttpOutcome>& outcome) {
    on_stop.reset();
    done(outcome ? Status() : Status(outcome.error()));
  }
};

}  // namespace

void ClientTransfers::send(plugins::HttpRequest request, std::chrono::milliseconds idle,
                           std::stop_token stop, ResponseReceiver& receiver,
                           std::function<void(Status)> done) {
  services::HttpOptions options = options_;
  options.idle = idle;
  options.buffer = kBuffer;
  services::HttpRequest out{
      std::move(request.method), std::move(request.url), {}, std::move(request.body)};
  for (auto& header : request.headers)
    out.headers.push_back({std::move(header.name), std::move(header.value), {}});
  const auto transfer = std::make_shared<Transfer>(client_, receiver, std::move(done));
  // No callback comes before this function has returned to the loop.
  transfer->handle = client_.start(
      std::move(out),
      {.on_head = [transfer](const services::HttpHead& head) { transfer->head(head); },
       // Once a token: what it holds has room in the function itself, and on_end keeps it alive.
       .on_data =
           [transfer = transfer.get(), &receiver](std::string_view bytes) {
             if (!receiver.data(bytes)) transfer->client.cancel(transfer->handle);
           },
       .on_end = [transfer](Result<services::HttpOutcome> outcome) { transfer->end(outcome); }},
      std::move(options));
  transfer->on_stop.emplace(
      stop, [&client = client_, handle = transfer->handle] { client.cancel(handle); });
}

}  // namespace quarry::ask
