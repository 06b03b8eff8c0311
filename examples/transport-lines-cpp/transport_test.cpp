#include <quarry/json.hpp>
#include <quarry/testing.hpp>
#include <quarry/transport.h>
#include <quarry/work.h>

#include <chrono>
#include <condition_variable>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <thread>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

struct quarry_loop {
  std::thread thread;
};

struct quarry_reader {
  void* engine = nullptr;
  std::size_t next = 0;
  void (*wake)(void*) = nullptr;
  void* context = nullptr;
};

namespace {

namespace json = quarry::json;
using quarry::testing::FakeCall;
using quarry::testing::Reply;

/// Reached only by a test that hangs.
constexpr std::chrono::minutes kPatience{4};

/// The service work, with a thread for each loop.
struct FakeWork {
  quarry_work_v1 table{sizeof table, this, nullptr, start, join, nullptr};

  static quarry_loop* start(const quarry_work_v1*, const char*, void (*run)(void*), void* context) {
    return new quarry_loop{std::thread(run, context)};
  }
  static void join(quarry_loop* loop) {
    loop->thread.join();
    delete loop;
  }
};

/// An engine with four methods: "echo" replies with its parameters, "refuse" with a failure, "wait"
/// when it is cancelled, and question.ask has the events that the test adds.
class FakeEngine {
 public:
  FakeEngine() : table_{sizeof table_, this, call, cancel, open_reader, read, close_reader} {}
  FakeEngine(const FakeEngine&) = delete;
  FakeEngine& operator=(const FakeEngine&) = delete;

  [[nodiscard]] const quarry_engine* get() const { return &table_; }

  /// Adds an event, and wakes the readers as a thread of the engine does.
  void add(const std::string& type, const std::string& data) {
    const std::lock_guard lock(mutex_);
    events_.push_back({type, data});
    for (quarry_reader* reader : readers_) {
      if (reader->wake != nullptr) std::exchange(reader->wake, nullptr)(reader->context);
    }
    changed_.notify_all();
  }
  /// Waits until `condition`, which is called under the lock, is true.
  template <class Condition>
  [[nodiscard]] bool wait(const Condition& condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, condition);
  }
  [[nodiscard]] std::size_t count_read() {
    const std::lock_guard lock(mutex_);
    return read_events;
  }
  // Under the lock:
  std::map<std::uint64_t, const quarry_reply*> waiting;
  std::vector<std::string> stopped;
  [[nodiscard]] std::size_t readers() const { return readers_.size(); }
  std::size_t read_events = 0;

 private:
  struct Event {
    std::string type;
    std::string data;
  };

  static FakeEngine& of(const quarry_engine* self) {
    return *static_cast<FakeEngine*>(self->context);
  }
  static std::uint64_t call(const quarry_engine* self, quarry_text method, quarry_text params,
                            const quarry_reply* reply) {
    FakeEngine& engine = of(self);
    const std::string name(quarry::as_view(method));
    std::unique_lock lock(engine.mutex_);
    const std::uint64_t handle = ++engine.last_handle_;
    if (name == "wait") engine.waiting[handle] = reply;
    if (name == "question.stop") {
      engine.stopped.push_back(json::string(quarry::as_view(params), "id").value_or(""));
    }
    engine.changed_.notify_all();
    lock.unlock();
    if (name == "echo") reply->value(reply, params);
    if (name == "question.ask") reply->value(reply, quarry::as_text(R"({"id":"q1"})"));
    if (name == "question.stop") {
      reply->value(reply, quarry::as_text("{}"));
      engine.add("error", "{}");
      engine.add("end", "{}");
    }
    if (name == "refuse") {
      quarry::detail::fail(reply, {QUARRY_NOT_FOUND, "no such thing", "look", R"({"tag":"X"})"});
    }
    return handle;
  }
  static void cancel(const quarry_engine* self, std::uint64_t handle) {
    FakeEngine& engine = of(self);
    std::unique_lock lock(engine.mutex_);
    const auto found = engine.waiting.find(handle);
    if (found == engine.waiting.end()) return;
    const quarry_reply* reply = found->second;
    engine.waiting.erase(found);
    engine.changed_.notify_all();
    lock.unlock();
    quarry::detail::fail(reply, {QUARRY_CANCELLED, "cancelled", {}, {}});
  }
  static quarry_reader* open_reader(const quarry_engine* self, quarry_text id, std::uint64_t,
                                    void (*wake)(void*), void* context) {
    FakeEngine& engine = of(self);
    const std::lock_guard lock(engine.mutex_);
    if (engine.removed || quarry::as_view(id) != "q1") return nullptr;
    auto* reader = new quarry_reader{&engine, 0, nullptr, context};
    engine.wake_ = wake;
    engine.readers_.push_back(reader);
    engine.changed_.notify_all();
    return reader;
  }
  static quarry_read read(quarry_reader* reader, std::size_t most,
                          void (*visit)(void*, const quarry_event*), void* context) {
    FakeEngine& engine = *static_cast<FakeEngine*>(reader->engine);
    const std::lock_guard lock(engine.mutex_);
    std::size_t bytes = 0;
    while (reader->next < engine.events_.size()) {
      const Event& next = engine.events_[reader->next];
      if (next.type == "end") return QUARRY_READ_END;
      if (bytes > most) return QUARRY_READ_MORE;
      bytes += next.data.size();
      ++engine.read_events;
      const quarry_event event{sizeof event, ++reader->next, quarry::as_text(next.type),
                               quarry::as_text(next.data)};
      visit(context, &event);
    }
    engine.changed_.notify_all();
    reader->wake = engine.wake_;
    return QUARRY_READ_EMPTY;
  }
  static void close_reader(quarry_reader* reader) {
    FakeEngine& engine = *static_cast<FakeEngine*>(reader->engine);
    const std::lock_guard lock(engine.mutex_);
    std::erase(engine.readers_, reader);
    engine.changed_.notify_all();
    delete reader;
  }

 public:
  bool removed = false;  ///< its question

 private:
  quarry_engine table_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t last_handle_ = 0;
  std::vector<Event> events_;
  std::vector<quarry_reader*> readers_;
  void (*wake_)(void*) = nullptr;
};

/// A client that waits for what it reads.
class Client {
 public:
  explicit Client(const std::string& path)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const timeval limit{std::chrono::seconds(kPatience).count(), 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    connected = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { leave(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& text) {
    std::size_t sent = 0;
    while (sent < text.size()) {
      const ssize_t count = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return;
      sent += static_cast<std::size_t>(count);
    }
  }
  /// The next line, "" when the connection has ended.
  std::string line() {
    std::size_t end = 0;
    while ((end = read_.find('\n')) == std::string::npos) {
      char buffer[4096];
      const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
      if (count <= 0) return count == 0 ? "" : "nothing has come";
      read_.append(buffer, static_cast<std::size_t>(count));
    }
    const std::string out = read_.substr(0, end);
    read_.erase(0, end + 1);
    return out;
  }
  std::string ask(const std::string& text) {
    send(text + "\n");
    return line();
  }
  void end_requests() { ::shutdown(socket_, SHUT_WR); }
  void leave() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  bool connected = false;

 private:
  int socket_;
  std::string read_;
};

class Transport : public testing::Test {
 protected:
  Transport() {
    std::string path = ::testing::TempDir() + "lines-XXXXXX";
    directory_ = ::mkdtemp(path.data());
    path_ = directory_ + "/socket";
  }
  ~Transport() override {
    stop(0);
    transport_.reset();
    std::filesystem::remove_all(directory_);
  }
  using Component = quarry::testing::Component<quarry_transport_v1>;

  void create() {
    transport_.emplace(quarry_plugin_entry_v1, QUARRY_TRANSPORT, "lines",
                       "{\"socket\":" + json::quoted(path_) + "}",
                       std::map<std::string, const void*>{{QUARRY_WORK, &work_.table}});
  }
  void start(Reply& reply) {
    if (!transport_) create();
    (*transport_)->start(transport_->instance(), call_.get(), engine_.get(), reply.get());
  }
  void start() {
    Reply reply;
    start(reply);
    EXPECT_EQ(reply.value(), "{\"listening\":[" + json::quoted("unix:" + path_) + "]}");
  }
  void stop(std::int64_t grace_ms) {
    if (transport_) (*transport_)->stop(transport_->instance(), grace_ms);
  }
  std::string refused() {
    Reply reply;
    start(reply);
    EXPECT_NE(reply.failure().details.find(R"("field":"/socket")"), std::string::npos);
    return reply.failure().message;
  }

  FakeWork work_;
  FakeEngine engine_;
  FakeCall call_;
  std::string directory_;
  std::string path_;
  std::optional<Component> transport_;
};

TEST_F(Transport, AnswersRequests) {
  start();
  Client client(path_);
  EXPECT_EQ(client.ask(R"({"id":1,"method":"echo","params":{"a":2}})"),
            R"({"id":1,"result":{"a":2}})");
  EXPECT_EQ(client.ask(R"({"id":"x","method":"refuse"})"),
            R"({"id":"x","error":{"status":2,"message":"no such thing","hint":"look",)"
            R"("details":{"tag":"X"}}})");
  EXPECT_EQ(client.ask("\n  \r\nhello").substr(0, 53),
            R"({"id":null,"error":{"status":1,"message":"the line is)");
}

TEST_F(Transport, IsForItsOwnerAlone) {
  start();
  struct stat there {};
  ASSERT_EQ(::lstat(path_.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 07777U, 0600u);
}

TEST_F(Transport, ServesSeveralRequestsAtOnce) {
  start();
  Client client(path_);
  client.send("{\"id\":1,\"method\":\"question.ask\"}\n{\"id\":2,\"method\":\"wait\"}\n");
  ASSERT_TRUE(engine_.wait([&] { return engine_.readers() == 1 && engine_.waiting.size() == 1; }));
  EXPECT_EQ(client.ask(R"({"id":3,"method":"echo"})"), R"({"id":3,"result":{}})");
  EXPECT_EQ(client.ask(R"({"id":2,"method":"echo"})").substr(0, 60),
            R"({"id":2,"error":{"status":1,"message":"a running request has)");
  engine_.add("meta", "{}");
  EXPECT_EQ(client.line(), R"({"id":1,"event":{"number":1,"type":"meta","data":{}}})");
  engine_.add("done", "{}");
  engine_.add("end", "");
  EXPECT_EQ(client.line(), R"({"id":1,"event":{"number":2,"type":"done","data":{}}})");
  EXPECT_EQ(client.line(), R"({"id":1,"result":{"id":"q1"}})");
  Client other(path_);
  EXPECT_EQ(other.ask(R"({"id":2,"method":"echo"})"), R"({"id":2,"result":{}})");
}

TEST_F(Transport, CancelsARequest) {
  start();
  Client client(path_);
  client.send("{\"id\":1,\"method\":\"wait\"}\n");
  ASSERT_TRUE(engine_.wait([&] { return engine_.waiting.size() == 1; }));
  EXPECT_EQ(client.ask(R"({"id":2,"method":"cancel","params":{"id":1}})"),
            R"({"id":2,"result":{"cancelled":true}})");
  EXPECT_EQ(client.line(),
            R"({"id":1,"error":{"status":7,"message":"cancelled","hint":"","details":{}}})");
  EXPECT_EQ(client.ask(R"({"id":3,"method":"cancel","params":{"id":1}})"),
            R"({"id":3,"result":{"cancelled":false}})");
}

TEST_F(Transport, StopsAQuestionThatIsCancelled) {
  start();
  Client client(path_);
  client.send("{\"id\":1,\"method\":\"question.ask\"}\n");
  ASSERT_TRUE(engine_.wait([&] { return engine_.readers() == 1; }));
  client.send("{\"id\":2,\"method\":\"cancel\",\"params\":{\"id\":1}}\n");
  EXPECT_EQ(client.line(), R"({"id":2,"result":{"cancelled":true}})");
  EXPECT_EQ(client.line(), R"({"id":1,"event":{"number":1,"type":"error","data":{}}})");
  EXPECT_EQ(client.line(), R"({"id":1,"result":{"id":"q1"}})");
  EXPECT_TRUE(engine_.wait([&] { return engine_.stopped == std::vector<std::string>{"q1"}; }));
}

TEST_F(Transport, SaysThatAQuestionWasRemoved) {
  engine_.removed = true;
  start();
  Client client(path_);
  EXPECT_EQ(client.ask(R"({"id":1,"method":"question.ask"})"),
            R"({"id":1,"error":{"status":2,"message":"the question was removed",)"
            R"("hint":"ask again","details":{}}})");
}

TEST_F(Transport, ReadsNoMoreEventsThanAClient) {
  const std::string data = "\"" + std::string(64 << 10, 'x') + "\"";
  for (int i = 0; i < 200; ++i) engine_.add("text.delta", data);
  engine_.add("end", "");
  start();
  Client slow(path_);
  slow.send("{\"id\":1,\"method\":\"question.ask\"}\n");
  ASSERT_TRUE(engine_.wait([&] { return engine_.readers() == 1; }));
  Client other(path_);
  EXPECT_EQ(other.ask(R"({"id":2,"method":"echo"})"), R"({"id":2,"result":{}})");
  EXPECT_LT(engine_.count_read(), 50U);
  for (int i = 1; i <= 200; ++i) {
    const std::string line = slow.line();
    ASSERT_EQ(line.substr(0, 28 + std::to_string(i).size()),
              R"({"id":1,"event":{"number":)" + std::to_string(i) + R"(,")");
  }
  EXPECT_EQ(slow.line(), R"({"id":1,"result":{"id":"q1"}})");
}

TEST_F(Transport, EndsTheRequestsOfAClientThatLeaves) {
  start();
  Client client(path_);
  client.send("{\"id\":1,\"method\":\"wait\"}\n{\"id\":2,\"method\":\"question.ask\"}\n");
  ASSERT_TRUE(engine_.wait([&] { return engine_.readers() == 1 && engine_.waiting.size() == 1; }));
  client.leave();
  EXPECT_TRUE(engine_.wait([&] { return engine_.readers() == 0 && engine_.waiting.empty(); }));
}

TEST_F(Transport, AnswersAClientThatHasClosedItsSide) {
  start();
  Client client(path_);
  client.send("{\"id\":1,\"method\":\"question.ask\"}\n");
  client.end_requests();
  ASSERT_TRUE(engine_.wait([&] { return engine_.readers() == 1; }));
  engine_.add("end", "");
  EXPECT_EQ(client.line(), R"({"id":1,"result":{"id":"q1"}})");
  EXPECT_EQ(client.line(), "");
}

TEST_F(Transport, RefusesALineThatIsTooLong) {
  start();
  Client client(path_);
  client.send(std::string(3 << 20, 'x') + "\n");
  EXPECT_EQ(client.line().substr(0, 60),
            R"({"id":null,"error":{"status":1,"message":"the line has more )");
  EXPECT_EQ(client.ask(R"({"id":3,"method":"echo"})"), R"({"id":3,"result":{}})");
}

TEST_F(Transport, RefusesTooManyRequests) {
  start();
  Client client(path_);
  for (int i = 0; i < 16; ++i) {
    client.send("{\"id\":" + std::to_string(i) + ",\"method\":\"wait\"}\n");
  }
  EXPECT_EQ(client.ask(R"({"id":99,"method":"echo"})").substr(0, 33),
            R"({"id":99,"error":{"status":6,"mes)");
}

TEST_F(Transport, LetsTheSeventeenthClientWait) {
  start();
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 16; ++i) {
    clients.push_back(std::make_unique<Client>(path_));
    EXPECT_EQ(clients.back()->ask(R"({"id":1,"method":"echo"})"), R"({"id":1,"result":{}})");
  }
  Client waiting(path_);
  waiting.send("{\"id\":1,\"method\":\"echo\"}\n");
  clients.pop_back();
  EXPECT_EQ(waiting.line(), R"({"id":1,"result":{}})");
}

/// Permits the process one more descriptor while it lives.
class OneMoreDescriptor {
 public:
  OneMoreDescriptor() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(next);
    const rlimit less{static_cast<rlim_t>(next) + 1, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &less);
  }
  ~OneMoreDescriptor() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  OneMoreDescriptor(const OneMoreDescriptor&) = delete;
  OneMoreDescriptor& operator=(const OneMoreDescriptor&) = delete;

 private:
  rlimit before_{};
};

TEST_F(Transport, AcceptsAClientOnceDescriptorsAreFreeAgain) {
  start();
  const std::string echo = R"({"id":1,"method":"echo"})";
  const std::string echoed = R"({"id":1,"result":{}})";
  Client served(path_);
  EXPECT_EQ(served.ask(echo), echoed);
  std::optional<Client> waiting;
  {
    const OneMoreDescriptor limit;
    waiting.emplace(path_);
    ASSERT_TRUE(waiting->connected);
    // The second of these is read after an attempt to accept the client.
    EXPECT_EQ(served.ask(echo), echoed);
    EXPECT_EQ(served.ask(echo), echoed);
  }
  EXPECT_EQ(waiting->ask(echo), echoed);
}

TEST_F(Transport, StopLetsRunningRequestsFinish) {
  start();
  Client client(path_);
  client.send("{\"id\":1,\"method\":\"question.ask\"}\n");
  ASSERT_TRUE(engine_.wait([&] { return engine_.readers() == 1; }));
  std::thread stopping([&] { stop(3'600'000); });
  while (std::filesystem::exists(path_)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  client.send("{\"id\":2,\"method\":\"echo\"}\n");
  engine_.add("done", "{}");
  engine_.add("end", "");
  EXPECT_EQ(client.line(), R"({"id":1,"event":{"number":1,"type":"done","data":{}}})");
  EXPECT_EQ(client.line(), R"({"id":1,"result":{"id":"q1"}})");
  EXPECT_EQ(client.line().find("\"id\":2"), std::string::npos);
  stopping.join();
}

TEST_F(Transport, StopEndsTheOthersAtItsDeadline) {
  const std::string data = "\"" + std::string(1 << 20, 'x') + "\"";
  for (int i = 0; i < 8; ++i) engine_.add("text.delta", data);
  start();
  Client waits(path_);
  waits.send("{\"id\":1,\"method\":\"wait\"}\n");
  Client stalls(path_);
  stalls.send("{\"id\":1,\"method\":\"question.ask\"}\n");
  const Client idle(path_);
  ASSERT_TRUE(engine_.wait([&] { return engine_.readers() == 1 && engine_.waiting.size() == 1; }));
  stop(50);
  EXPECT_TRUE(engine_.wait([&] { return engine_.readers() == 0 && engine_.waiting.empty(); }));
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_EQ(waits.line(), "");
}

TEST_F(Transport, CanBeStartedAgain) {
  start();
  stop(0);
  start();
  Client client(path_);
  EXPECT_EQ(client.ask(R"({"id":1,"method":"echo"})"), R"({"id":1,"result":{}})");
}

TEST_F(Transport, ReplacesASocketThatWasLeftBehind) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path_.copy(address.sun_path, sizeof address.sun_path - 1);
  const int left = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(left, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(left);
  start();
  EXPECT_TRUE(Client(path_).connected);
}

TEST_F(Transport, LeavesTheSocketOfAnotherProgram) {
  start();
  Reply reply;
  Component second(quarry_plugin_entry_v1, QUARRY_TRANSPORT, "lines",
                   "{\"socket\":" + json::quoted(path_) + "}", {{QUARRY_WORK, &work_.table}});
  second->start(second.instance(), call_.get(), engine_.get(), reply.get());
  EXPECT_EQ(reply.failure().message, "socket is in use by another program");
  Client client(path_);
  EXPECT_EQ(client.ask(R"({"id":1,"method":"echo"})"), R"({"id":1,"result":{}})");
}

TEST_F(Transport, LeavesAFile) {
  std::ofstream(path_) << "text";
  EXPECT_EQ(refused(), "socket leads to something that is no socket of this user");
  EXPECT_TRUE(std::filesystem::is_regular_file(path_));
}

TEST_F(Transport, NamesThePathThatCannotBe) {
  path_ = "socket";
  EXPECT_EQ(refused(), "socket is no absolute path of at most 107 bytes");
  transport_.reset();
  path_ = "/" + std::string(107, 'x');
  EXPECT_EQ(refused(), "socket is no absolute path of at most 107 bytes");
  transport_.reset();
  path_ = directory_ + "/none/socket";
  EXPECT_EQ(refused(), "socket cannot be created: No such file or directory");
}

}  // namespace
