#pragma once

#include "runner/connection.h"
#include "runner/http_packet.h"
#include "runner/remote_instance.h"

#include <quarry/model.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::runner {

/// How a function of an exchange ended.
struct ExchangeEnd {
  Status status = {};               ///< the plugin's failure, or the runner's
  bool may_be_asked_again = false;  ///< another call ended the runner
};

/// An exchange of a provider in a runner. Every call but defer() waits for the runner, at most a
/// second and the grace.
class RemoteExchange {
 public:
  /// Begins it and takes its first request. The error is the plugin's, or the runner's.
  static Result<std::unique_ptr<RemoteExchange>> begin(RemoteInstance& instance,
                                                       const quarry_call* call,
                                                       std::string_view request);
  ~RemoteExchange();
  RemoteExchange(const RemoteExchange&) = delete;
  RemoteExchange& operator=(const RemoteExchange&) = delete;

  /// As in the provider's table; null if the provider gave none or the runner has ended.
  const quarry_http_request* request();
  /// Calls a function whose output goes to `receiver`.
  ExchangeEnd call(Function function, Receiver& receiver,
                   const std::function<void(PacketWriter&)>& arguments);
  /// The same without waiting for it: `done` gets the outcome. [io]
  void defer(Function function, std::unique_ptr<Receiver> receiver,
             const std::function<void(PacketWriter&)>& arguments,
             std::function<void(const ExchangeEnd&)> done);

 private:
  /// An HTTP request as the runner sent it.
  class KeptRequest final : public Receiver {
   public:
    std::optional<quarry_status> take(Kind kind, PacketReader& packet,
                                      std::string& answer) override;
    [[nodiscard]] const quarry_http_request* get() const { return read_ ? read_->get() : nullptr; }

   private:
    std::string bytes_;
    std::unique_ptr<ReceivedRequest> read_;  // from them
  };

  RemoteExchange(std::shared_ptr<Connection> connection, std::uint32_t instance,
                 std::uint32_t number)
      : connection_(std::move(connection)), instance_(instance), number_(number) {}
  Result<Answer> ask(Function function, const std::function<void(PacketWriter&)>& arguments,
                     Receiver* receiver, Lost* lost = nullptr);
  static Result<std::unique_ptr<RemoteExchange>> begin_in(
      RemoteInstance& instance, Result<std::shared_ptr<Connection>> connection,
      std::string_view request, Lost& lost);

  const std::shared_ptr<Connection> connection_;  // the exchange ends with this runner
  const std::uint32_t instance_;
  const std::uint32_t number_;
  KeptRequest request_;
  bool fresh_ = true;  // the request came with begin
};

}  // namespace quarry::runner
