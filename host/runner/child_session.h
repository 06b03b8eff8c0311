#pragma once

#include "plugins/module.h"
#include "runner/call_threads.h"
#include "runner/child_call.h"
#include "runner/child_exchanges.h"
#include "runner/child_services.h"
#include "runner/frame.h"
#include "runner/outbox.h"

#include <quarry/abi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace quarry::runner {

/// The loaded plugin in its runner, and the calls of the host into it.
class ChildSession {
 public:
  /// `threads` runs the calls; it must outlive this.
  ChildSession(int socket, const Hello& hello, std::shared_ptr<plugins::Module> module,
               CallThreads& threads);
  ~ChildSession();
  ChildSession(const ChildSession&) = delete;
  ChildSession& operator=(const ChildSession&) = delete;

  /// Tells the host that the plugin is loaded, and in which sandbox (Sandbox::json).
  void report_ready(std::string_view sandbox);
  /// Handles the complete frames of the host. False if they are malformed. On the thread that
  /// reads.
  bool take(FrameBuffer& received);

 private:
  struct Live {
    const quarry_component* component = nullptr;
    void* instance = nullptr;
  };
  struct Task;

  bool take(const Frame& frame);
  bool begin(const Frame& frame);
  void run(ChildCall& call, Function function, std::uint32_t instance, PacketReader arguments);
  void dispatch(ChildCall& call, Function function, std::uint32_t instance, PacketReader& arguments,
                const quarry_reply* reply);
  void open(const ChildCall& call, const quarry_reply* reply);
  void create(const ChildCall& call, std::uint32_t number, PacketReader& arguments,
              const quarry_reply* reply);
  void destroy(std::uint32_t number, const quarry_reply* reply);
  [[nodiscard]] Live find(std::uint32_t number);
  [[nodiscard]] std::shared_ptr<ChildCall> find_call(std::uint32_t number);

  Outbox outbox_;
  std::shared_ptr<plugins::Module> module_;
  ChildServices services_;
  std::string version_;
  quarry_host host_;
  std::mutex mutex_;
  std::map<std::uint32_t, std::shared_ptr<ChildCall>> calls_;
  std::map<std::uint32_t, Live> instances_;
  ChildExchanges exchanges_;
  CallThreads& threads_;
  std::thread sender_;
};

/// The component of the manifest's entry number `place`.
const quarry_component* component_at(const plugins::Module& module, std::size_t place);

}  // namespace quarry::runner
