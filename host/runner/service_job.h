#pragma once

#include "runner/answer.h"
#include "runner/outbox.h"
#include "runner/packet.h"
#include "runner/protocol.h"
#include "runner/window.h"

#include <quarry/abi.h>
#include <quarry/http.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace quarry::runner {

/// One request of a runner for a service of the host, served with the plugin's own permissions
/// while the call that it belongs to runs.
class ServiceJob {
 public:
  /// `outer`: the call that the runner serves; may be null. `payload`: of kService. The references
  /// must outlive this.
  ServiceJob(const quarry_host& host, Outbox& outbox, std::uint32_t call, const quarry_call* outer,
             std::string payload);
  ~ServiceJob();
  ServiceJob(const ServiceJob&) = delete;
  ServiceJob& operator=(const ServiceJob&) = delete;

  /// The runner's number of the request; 0 if the payload is malformed.
  [[nodiscard]] std::uint32_t number() const { return number_; }
  /// Of the payload, in bytes.
  [[nodiscard]] std::size_t size() const { return payload_.size(); }
  /// True for the first caller: the thread that is to run it, or the one that ends it before.
  bool claim() { return !claimed_.exchange(true); }
  /// Uses the service and sends its outcome. [worker]
  void run();
  /// Sends the outcome of a request that is over before run(), instead of it. [any thread]
  void refuse();
  /// The runner has consumed `bytes` of what it was sent; a status other than QUARRY_OK ends the
  /// request. True if this has ended it. [any thread]
  bool credit(std::uint32_t bytes, quarry_status status);
  /// Ends the request: run() returns soon, and fails with the first status. False if it had ended
  /// before. [any thread]
  bool end(quarry_status status);

 private:
  static quarry_status state(void* self);
  [[nodiscard]] Status check() const;
  void tell_end_of_call();
  void send(const RecordedReply& reply);
  template <class Fill>
  quarry_status give(Part part, std::size_t size, Fill fill);
  quarry_status give_bytes(Part part, quarry_text bytes);
  quarry_status give_head(std::int32_t status, std::uint32_t count,
                          const quarry_header* const* headers);

  void dispatch(const quarry_reply* reply);
  void send_http(const quarry_reply* reply);
  void permit_http(const quarry_reply* reply);
  void run_process(const quarry_reply* reply);
  void get_secret(const quarry_reply* reply);

  const quarry_host& host_;
  Outbox& outbox_;
  const std::uint32_t call_;
  const quarry_call* const outer_;
  const std::string payload_;
  PacketReader arguments_;
  const std::uint32_t number_;
  const quarry_call* const part_;  // of the outer call: ends with end() too
  Window window_;
  std::atomic<quarry_status> over_ = QUARRY_OK;
  std::atomic<bool> claimed_ = false;
};

/// Handles a frame of a service without an answer (kLog, kMetric, kHide). False if it is malformed.
bool take_notice(const quarry_host& host, Kind kind, std::string_view payload);

}  // namespace quarry::runner
