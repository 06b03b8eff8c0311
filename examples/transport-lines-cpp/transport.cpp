// A transport in C++: requests as lines of JSON on a Unix socket that its owner alone may use. The
// socket is its only protection: a client may call every method that the owner may.
#include "server.h"

#include <quarry/json.hpp>
#include <quarry/plugin.hpp>
#include <quarry/work.h>

#include <exception>
#include <memory>

namespace {

using quarry::Outcome;
using transport_lines::ListeningSocket;
using transport_lines::Server;

class Lines {
 public:
  Lines(quarry::Host host, std::string_view configuration)
      : host_(host), path_(quarry::json::string(configuration, "socket").value_or("")) {}

  ~Lines() { stop(std::chrono::milliseconds(0)); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  Outcome<std::string> start(const quarry::Call&, const quarry_engine* engine) {
    work_ = host_.service<quarry_work_v1>(QUARRY_WORK);
    if (work_ == nullptr)
      return quarry::Failure{QUARRY_UNSUPPORTED, "this host offers no threads", {}, {}};
    auto socket = ListeningSocket::open(path_);
    if (!socket) return socket.failure();
    server_ = std::make_unique<Server>(engine, std::move(*socket));
    loop_ = work_->start_loop(work_, "lines", run, this);
    if (loop_ == nullptr) {
      server_.reset();
      return quarry::Failure{QUARRY_UNAVAILABLE, "no thread could be started", {}, {}};
    }
    return "{\"listening\":[" + quarry::json::quoted("unix:" + path_) + "]}";
  }

  void stop(std::chrono::milliseconds grace) {
    if (loop_ == nullptr) return;
    server_->stop(grace);
    work_->join_loop(std::exchange(loop_, nullptr));
    server_.reset();
  }

 private:
  static void run(void* context) noexcept {
    auto& self = *static_cast<Lines*>(context);
    try {
      self.server_->run();
    } catch (const std::exception& error) {
      self.host_.log(QUARRY_LOG_ERROR,
                     "the socket is no longer served: " + std::string(error.what()));
    }
  }

  const quarry::Host host_;
  const std::string path_;
  const quarry_work_v1* work_ = nullptr;
  std::unique_ptr<Server> server_;
  quarry_loop* loop_ = nullptr;
};

}  // namespace

QUARRY_PLUGIN("org.example.lines-transport", "1.0.0", quarry::transport<Lines>("lines"))
