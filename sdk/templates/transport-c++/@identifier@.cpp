// A complete transport in C++: a Unix socket that its owner alone may use. A client sends one line,
// a method of the engine (<quarry/transport.h>) with its parameters, and reads one:
//
//   health {}             ok {"ok":true,"service":"quarry",…}
//   threads.remove {}     error id is missing
#include <quarry/json.hpp>
#include <quarry/plugin.hpp>
#include <quarry/work.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <future>
#include <poll.h>
#include <unistd.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

namespace {

constexpr std::chrono::milliseconds kTurn{100};  // of one wait, after which stop() is noticed
constexpr int kTurns = 50;                       // in which a client must send or take its line
constexpr std::size_t kLongestLine = 64 * 1024;  // bytes

/// The reply of the engine, which comes on any thread, as a line for the client.
struct LineReply : quarry_reply {
  LineReply() : quarry_reply{sizeof(quarry_reply), this, value, failure} {}
  static void keep(const quarry_reply* self, const char* word, quarry_text text) {
    std::string line = word + std::string(quarry::as_view(text)) + "\n";
    static_cast<LineReply*>(self->context)->line.set_value(std::move(line));
  }
  static void value(const quarry_reply* self, quarry_text json) { keep(self, "ok ", json); }
  static void failure(const quarry_reply* self, const quarry_failure* failure) {
    keep(self, "error ", failure->message);
  }
  std::promise<std::string> line;
};

class @Name@Transport {
 public:
  @Name@Transport(quarry::Host host, std::string_view configuration)
      : host_(host), path_(quarry::json::string(configuration, "socket").value_or("")) {}

  quarry::Outcome<std::string> start(const quarry::Call&, const quarry_engine* engine) {
    engine_ = engine;
    stopping_ = false;  // after a stop
    work_ = host_.service<quarry_work_v1>(QUARRY_WORK);
    if (!listens()) {
      ::close(socket_);
      return quarry::field_failure("/socket", path_ + " cannot be listened on",
                                   "remove it if no server uses it, or name another path");
    }
    loop_ = work_ == nullptr ? nullptr : work_->start_loop(work_, "lines", run, this);
    if (loop_ != nullptr) return "{\"listening\": [" + quarry::json::quoted(path_) + "]}";
    stop({});
    return quarry::Failure{QUARRY_UNAVAILABLE, "the host started no thread", {}, {}};
  }
  void stop(std::chrono::milliseconds grace) {
    deadline_ = std::chrono::steady_clock::now() + grace;
    stopping_ = true;
    ::shutdown(socket_, SHUT_RDWR);  // wakes accept
    if (loop_ != nullptr) work_->join_loop(loop_);
    ::close(socket_);
    ::unlink(path_.c_str());
  }

 private:
  bool listens() {
    sockaddr_un address{AF_UNIX, {}};
    if (path_.size() >= sizeof address.sun_path) return false;
    path_.copy(address.sun_path, path_.size());
    socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto* const place = reinterpret_cast<const sockaddr*>(&address);
    return ::bind(socket_, place, sizeof address) == 0 && ::chmod(path_.c_str(), 0600) == 0 &&
           ::listen(socket_, SOMAXCONN) == 0;
  }
  static void run(void* self) { static_cast<@Name@Transport*>(self)->serve(); }
  void serve() {
    while (!stopping_) {
      const int client = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) ::poll(nullptr, 0, kTurn.count());  // no descriptor is left, or stop()
      const timeval turn{0, 1000 * kTurn.count()};
      ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &turn, sizeof turn);
      ::setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &turn, sizeof turn);
      if (const std::string line = received(client); !line.empty()) send(client, reply_to(line));
      ::close(client);
    }
  }
  /// The client's line; empty when there is none in time.
  std::string received(int client) const {
    std::string line;
    char piece[4096];
    for (int turn = 0; turn < kTurns && !stopping_ && line.size() < kLongestLine; ++turn) {
      const ssize_t size = ::recv(client, piece, sizeof piece, 0);
      if (size == 0 || (size < 0 && errno != EAGAIN)) break;
      line.append(piece, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
      if (const auto end = line.find('\n'); end != line.npos) return line.substr(0, end);
    }
    return {};
  }
  std::string reply_to(const std::string& line) const {
    const auto method = std::string_view(line).substr(0, line.find(' '));
    const auto params = line == method ? "{}" : std::string_view(line).substr(method.size());
    LineReply reply;
    auto answer = reply.line.get_future();
    const auto handle =
        engine_->call(engine_, quarry::as_text(method), quarry::as_text(params), &reply);
    while (answer.wait_for(kTurn) != std::future_status::ready) {
      if (over()) engine_->cancel(engine_, handle);
    }
    return answer.get();
  }
  void send(int client, std::string_view line) const {
    for (int turn = 0; turn < kTurns && !over() && !line.empty(); ++turn) {
      const ssize_t size = ::send(client, line.data(), line.size(), MSG_NOSIGNAL);
      if (size < 0 && errno != EAGAIN) return;
      line.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    }
  }

  bool over() const { return stopping_ && std::chrono::steady_clock::now() >= deadline_; }

  const quarry::Host host_;
  const std::string path_;
  const quarry_engine* engine_ = nullptr;
  const quarry_work_v1* work_ = nullptr;
  quarry_loop* loop_ = nullptr;
  int socket_ = -1;
  std::chrono::steady_clock::time_point deadline_;  // of stop, once stopping_
  std::atomic<bool> stopping_ = false;
};

}  // namespace

QUARRY_PLUGIN("@id@", "1.0.0", quarry::transport<@Name@Transport>("@name@"))
