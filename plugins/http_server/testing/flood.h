#pragma once

#include "http_server/server.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace quarry::http_server::testing {

/// Forwards everything to `inner`, and records the most bytes that were queued for a client when
/// its request was dispatched.
class QueueWatch final : public Handler {
 public:
  explicit QueueWatch(Handler& inner) : inner_(inner) {}

  void handle(const Request& request, Responder responder) override {
    const std::size_t unsent = responder.unsent();
    std::size_t most = most_unsent.load();
    while (unsent > most && !most_unsent.compare_exchange_weak(most, unsent)) {
    }
    ++dispatched;
    inner_.handle(request, std::move(responder));
  }
  std::optional<Response> refuse_early(const Request& head) override {
    return inner_.refuse_early(head);
  }
  void admit(const Request& head, Admitted done) override { inner_.admit(head, std::move(done)); }
  Response describe(const Refusal& refusal) override { return inner_.describe(refusal); }
  bool tick() override { return inner_.tick(); }

  std::atomic<std::size_t> dispatched{0};
  std::atomic<std::size_t> most_unsent{0};  // before a request was dispatched, in bytes

 private:
  Handler& inner_;
};

/// Sends `request` repeatedly through `client`, without reading, until the server accepts no more
/// or `most` bytes are sent. `round_trip` sends one request on another connection and receives the
/// response: a server with one loop that accepts nothing during hundreds of them will accept
/// nothing more. Returns the number of bytes accepted.
template <class Client, class RoundTrip>
std::size_t send_until_stuck(Client& client, std::string_view request, std::size_t most,
                             RoundTrip round_trip) {
  constexpr int kRoundTrips = 300;
  constexpr std::size_t kAtOnce = 16 * 1024;
  std::string many;
  while (many.size() < kAtOnce) many += request;
  std::size_t taken = 0;
  for (int idle = 0; idle < kRoundTrips && taken < most;) {
    const std::size_t now = client.send_some(many);
    taken += now;
    idle = now > 0 ? 0 : idle + 1;
    if (now == 0) round_trip();
  }
  return taken;
}

}  // namespace quarry::http_server::testing
