// Good clients that ask a host, first alone and then beside many that misbehave; prints the figures
// as one line of JSON.
//   load_peers ADDRESS PORT TOKEN PID GOOD IDLE BAD SECONDS [OTHER_PORT]
// The host listens on ADDRESS (IPv4); clients use the 32,768 addresses after it.
// GOOD clients each ask once a second and wait for the answer; IDLE connections have asked once;
// BAD connections are, in equal parts, of the bad kinds of peer.h. Each that the server closes
// reconnects. SECONDS are measured with the good alone ("quiet"), with the others connected to
// OTHER_PORT, where another server listens ("elsewhere"), and with the others connected to the host
// ("loaded"). RSS is the maximum of PID, the host, and "cpu" its processor time per second. One
// thread for the good, one for the others.

#include "peer.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <sys/epoll.h>
#include <sys/resource.h>

namespace quarry::load {
namespace {

constexpr Time kSecond = 1'000'000;

long resident_kib(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/statm");
  long all = 0, resident = 0;
  file >> all >> resident;
  return resident * (::sysconf(_SC_PAGESIZE) / 1024);
}

/// Processor time of all threads.
double cpu_seconds(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string line;
  std::getline(file, line);
  unsigned long user = 0, system = 0;
  std::sscanf(line.c_str() + line.rfind(')') + 1,
              " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
  return static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

struct Figures {
  std::vector<Time> times;
  double cpu = 0;  // seconds per second
  std::size_t failed = 0;

  [[nodiscard]] double milliseconds(double part) {
    std::ranges::sort(times);
    const auto at = static_cast<std::size_t>(part * static_cast<double>(times.size()));
    return times.empty() ? 0 : static_cast<double>(times[std::min(at, times.size() - 1)]) / 1000;
  }
  std::string text() {
    char line[200];
    std::snprintf(
        line, sizeof line,
        R"({"answers":%zu,"failed":%zu,"p50_ms":%.2f,"p99_ms":%.2f,"max_ms":%.2f,"cpu":%.2f})",
        times.size(), failed, milliseconds(0.5), milliseconds(0.99), milliseconds(1), cpu);
    return line;
  }
};

/// Clients of one thread.
class Group {
 public:
  explicit Group(const Host& host) : host_(host) {}
  ~Group() { ::close(set_); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  /// Adds clients that connect at 300 per second, or spread over a second if they are fewer.
  void add(Kind kind, std::size_t count) {
    const std::lock_guard lock(mutex_);
    const Time now = clock_now();
    const Time rate = std::clamp<Time>(count, 1, 300);
    for (std::size_t i = 0; i < count; ++i) {
      peers_.push_back(std::make_unique<Peer>(
          host_, set_, kind, peers_.size(), now + static_cast<Time>(i) * kSecond / rate, counts_));
    }
  }

  void run_until(const std::atomic<bool>& end) {
    while (!end) turn();
  }

  /// The counts since the last call, and the number of open connections.
  std::pair<Counts, std::size_t> take() {
    const std::lock_guard lock(mutex_);
    const auto open =
        std::ranges::count_if(peers_, [](const auto& peer) { return peer->is_open(); });
    return {std::exchange(counts_, {}), static_cast<std::size_t>(open)};
  }

 private:
  void turn() {
    epoll_event ready[512];
    const int count = ::epoll_wait(set_, ready, 512, 1);
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < count; ++i)
      static_cast<Peer*>(ready[i].data.ptr)->on_ready(ready[i].events);
    const Time now = clock_now();
    if (now - examined_ < kSecond / 1000) return;
    examined_ = now;
    // A part of the schedules each millisecond: clients of different machines do not act in the
    // same moment, as those examined together do.
    const std::size_t parts = peers_.size() / kTogether + 1;
    part_ = (part_ + 1) % parts;
    for (std::size_t i = part_; i < peers_.size(); i += parts) peers_[i]->on_time(now);
  }

  static constexpr std::size_t kTogether = 1000;

  const Host& host_;
  const int set_ = ::epoll_create1(EPOLL_CLOEXEC);
  std::mutex mutex_;
  Counts counts_;  // guarded by mutex_, like all below
  std::vector<std::unique_ptr<Peer>> peers_;
  Time examined_ = 0;
  std::size_t part_ = 0;
};

class Load {
 public:
  Load(int count, char** arguments)
      : host_{ntohl(::inet_addr(arguments[1])), std::atoi(arguments[2]), arguments[3]},
        other_port_(count > 9 ? std::atoi(arguments[9]) : 0),
        pid_(arguments[4]),
        good_count_(std::strtoul(arguments[5], nullptr, 10)),
        idle_count_(std::strtoul(arguments[6], nullptr, 10)),
        bad_count_(std::strtoul(arguments[7], nullptr, 10)),
        time_(std::strtoul(arguments[8], nullptr, 10) * kSecond) {}

  void run() {
    good_.add(Kind::kGood, good_count_);
    wait(3 * kSecond);  // the first questions prepare the resources
    std::string text = R"({"quiet":)" + measure().text();
    if (other_port_ != 0) text += R"(,"elsewhere":)" + beside(other_port_).good.text();
    Beside loaded = beside(host_.port);
    text += R"(,"loaded":)" + loaded.good.text();
    std::printf("%s,\"open\":%zu,\"bad_requests\":%zu,\"bad_closed\":%zu,\"rss_kib\":%ld}\n",
                text.c_str(), loaded.open + good_count_, loaded.bad.bad_requests,
                loaded.bad.bad_closed, rss_kib_);
  }

 private:
  /// A thread that runs a group; joined on destruction.
  class Running {
   public:
    /// `policy`: of sched(7).
    Running(Group& group, int policy)
        : thread_([this, &group, policy] {
            const sched_param none{};
            ::pthread_setschedparam(::pthread_self(), policy, &none);
            group.run_until(end_);
          }) {}
    ~Running() {
      end_ = true;
      thread_.join();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    std::atomic<bool> end_ = false;
    std::thread thread_;
  };

  struct Beside {
    Figures good;
    Counts bad;
    std::size_t open;  // connections
  };
  /// Measures while the others are connected to `port`.
  Beside beside(int port) {
    Host target = host_;
    target.port = port;
    Group others(target);
    others.add(Kind::kIdle, idle_count_);
    for (std::size_t kind = 0; kind < kBadKinds; ++kind) {
      others.add(static_cast<Kind>(kind), (bad_count_ + kBadKinds - 1 - kind) / kBadKinds);
    }
    // Real misbehaving peers have their own processors: here theirs runs only where it is unused.
    const Running running(others, SCHED_IDLE);
    wait(static_cast<Time>(bad_count_ / kBadKinds) * kSecond / 300 + 3 * kSecond);
    others.take();
    Figures good = measure();
    auto [bad, open] = others.take();
    return {std::move(good), std::move(bad), open};
  }

  Figures measure() {
    good_.take();
    const double before = cpu_seconds(pid_);
    wait(time_);
    const double used = cpu_seconds(pid_) - before;
    Counts counts = good_.take().first;
    return {std::move(counts.times), used * kSecond / static_cast<double>(time_), counts.failed};
  }

  void wait(Time span) {
    const Time end = clock_now() + span;
    while (clock_now() < end) {
      ::usleep(50'000);
      rss_kib_ = std::max(rss_kib_, resident_kib(pid_));
    }
  }

  const Host host_;
  const int other_port_;
  const std::string pid_;
  const std::size_t good_count_, idle_count_, bad_count_;
  const Time time_;
  long rss_kib_ = 0;
  Group good_{host_};
  const Running running_{good_, SCHED_OTHER};
};

}  // namespace
}  // namespace quarry::load

int main(int count, char** arguments) {
  if (count != 9 && count != 10) {
    std::fputs("Usage: load_peers ADDRESS PORT TOKEN PID GOOD IDLE BAD SECONDS [OTHER_PORT]\n",
               stderr);
    return 2;
  }
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  quarry::load::Load(count, arguments).run();
}
