#pragma once

#include "runner/child_call.h"
#include "runner/hello.h"
#include "runner/outbox.h"
#include "runner/packet.h"
#include "runner/protocol.h"
#include "services/workers.h"

#include <quarry/services.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::runner {

/// Service tables of the plugin in its runner. Clock and work are the runner's own; the others are
/// requests to the host, possible while the plugin serves a call. [any thread]
class ChildServices {
 public:
  /// `outbox` must outlive this.
  ChildServices(Outbox& outbox, const Hello& hello);
  ChildServices(const ChildServices&) = delete;
  ChildServices& operator=(const ChildServices&) = delete;

  [[nodiscard]] const void* find(std::string_view id) const;
  /// Takes kServiceData or kServiceReply; false if it is malformed.
  bool take(Kind kind, std::string_view payload);

 private:
  /// A request whose outcome has not come yet.
  struct Pending {
    std::condition_variable changed;
    std::string parts;  // of kServiceData: length u32, payload
    std::optional<std::string> reply;
  };
  using Fill = std::function<void(PacketWriter&)>;
  using TakePart = std::function<quarry_status(Part, PacketReader&)>;

  void request(Service service, const quarry_call* call, const Fill& arguments,
               const TakePart& take_part, const quarry_reply* reply);
  using Requests = std::span<const quarry_http_request* const>;
  void send_all(const quarry_call* call, Requests requests, const quarry_http_sink* const* sinks,
                const quarry_reply* reply);
  void send_some(const quarry_call* call, Requests requests, const quarry_http_sink* const* sinks,
                 std::vector<std::string>& responses);
  /// Sends a request, whose number it returns.
  std::uint32_t start(Pending& pending, Service service, std::uint32_t parent,
                      const Fill& arguments);
  /// Waits for the outcome of a request.
  void finish(Pending& pending, std::uint32_t number, const quarry_call* call,
              const TakePart& take_part, const quarry_reply* reply);
  /// Not QUARRY_OK if the request was ended before its outcome: its call was over, or a part
  /// refused.
  quarry_status wait(Pending& pending, std::uint32_t number, const quarry_call* call,
                     const TakePart& take_part);
  void wait_for_data(Pending& pending, std::unique_lock<std::mutex>& lock, const quarry_call* call);
  /// False once a part is refused.
  static bool take_parts(std::string_view parts, const TakePart& take_part);
  void send_credit(std::uint32_t number, std::uint32_t parent, std::size_t bytes,
                   quarry_status status);
  void notice(Kind kind, const Fill& fill);
  /// Tells the host each secret once.
  void hide(std::string_view value);
  void record(Metric metric, quarry_text name, quarry_text labels, double amount);

  void fill_log();
  void fill_metrics();
  void fill_paths();
  void fill_secrets();
  void fill_process();
  void fill_http();
  void fill_clock();
  void fill_work();

  Outbox& outbox_;
  const Hello hello_;
  services::WorkerPool workers_;
  std::mutex mutex_;
  std::map<std::uint32_t, Pending*> pending_;
  std::uint32_t last_number_ = 0;
  std::mutex hiding_;
  std::set<std::string, std::less<>> hidden_;
  quarry_log_v1 log_{};
  quarry_metrics_v1 metrics_{};
  quarry_paths_v1 paths_{};
  quarry_secrets_v1 secrets_{};
  quarry_process_v1 process_{};
  quarry_http_v1 http_{};
  quarry_clock_v1 clock_{};
  quarry_work_v1 work_{};
};

}  // namespace quarry::runner
