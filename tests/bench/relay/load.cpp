// Reads many token streams at once and prints the latencies of their tokens as one line of JSON.
//   relay_load PORT PATH STREAMS RAMP_MS SECONDS TOKENS [PID …]
// The streams open evenly over RAMP_MS; tokens that arrive in the SECONDS after that are measured,
// and the processor time and memory of the processes are read at both ends of that window. Every
// stream must deliver TOKENS tokens, each once and in order. One thread.

#include "token.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <unistd.h>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace quarry::bench {
namespace {

/// Processor time and memory of processes, from /proc.
struct Usage {
  double seconds = 0;
  long kib = 0;

  static Usage of(const std::vector<std::string>& pids) {
    Usage usage;
    for (const std::string& pid : pids) {
      std::ifstream file("/proc/" + pid + "/stat");
      std::string line;
      std::getline(file, line);
      std::array<unsigned long, 22> fields{};
      const char* at = line.c_str() + line.rfind(')') + 4;
      for (unsigned long& field : fields) {
        char* end = nullptr;
        field = std::strtoul(at, &end, 10);
        at = end;
      }
      // Counted from the field after the state: utime, stime, and the resident pages.
      usage.seconds += static_cast<double>(fields[10] + fields[11]) /
                       static_cast<double>(::sysconf(_SC_CLK_TCK));
      usage.kib += static_cast<long>(fields[20]) * (::sysconf(_SC_PAGESIZE) / 1024);
    }
    return usage;
  }
};

/// Decodes a chunked response, after its head.
class Response {
 public:
  enum class Step { kMore, kEnd, kBroken };

  /// Appends the part of the body in `bytes`.
  Step take(std::string_view bytes, std::string& body) {
    while (!bytes.empty()) {
      if (left_ > 0) {
        const std::size_t size = std::min(left_, bytes.size());
        body.append(bytes.substr(0, size));
        left_ -= size;
        bytes.remove_prefix(size);
        continue;
      }
      const std::size_t end = bytes.find('\n');
      line_.append(bytes.substr(0, end));
      if (end == bytes.npos) return Step::kMore;
      bytes.remove_prefix(end + 1);
      if (line_.ends_with('\r')) line_.pop_back();
      const Step step = take_line();
      line_.clear();
      if (step != Step::kMore) return step;
    }
    return Step::kMore;
  }

 private:
  Step take_line() {
    if (in_head_) {
      if (status_.empty()) status_ = line_;
      in_head_ = !line_.empty();
      return in_head_ || status_.find(" 200") != status_.npos ? Step::kMore : Step::kBroken;
    }
    if (line_.empty()) return Step::kMore;  // after a chunk
    left_ = std::strtoul(line_.c_str(), nullptr, 16);
    return left_ == 0 ? Step::kEnd : Step::kMore;
  }

  std::string status_;
  std::string line_;
  bool in_head_ = true;
  std::size_t left_ = 0;
};

struct Stream {
  Response response;
  std::string rest;  // of the body: an unfinished line
  std::uint32_t next = 0;
  bool ended = false;
};

class Load {
 public:
  Load(char** arguments, int count)
      : port_(std::atoi(arguments[1])),
        path_(arguments[2]),
        streams_(std::strtoul(arguments[3], nullptr, 10)),
        ramp_(std::strtoull(arguments[4], nullptr, 10) * 1'000'000),
        seconds_(std::strtoull(arguments[5], nullptr, 10) * 1'000'000'000),
        tokens_(static_cast<std::uint32_t>(std::atoi(arguments[6]))),
        pids_(arguments + 7, arguments + count) {}

  void run() {
    const std::uint64_t begin = nanoseconds();
    const std::uint64_t from = begin + ramp_ + 500'000'000;
    const std::uint64_t to = from + seconds_;
    // A stream is lost when it is silent until this long after its end.
    const std::uint64_t last = to + 30'000'000'000;
    Usage before, after;
    while (open_ > 0 || started_ < streams_.size()) {
      const std::uint64_t now = nanoseconds();
      if (now > last) break;
      if (phase_ == 0 && now >= from) before = Usage::of(pids_), phase_ = 1;
      if (phase_ == 1 && now >= to) after = Usage::of(pids_), phase_ = 2;
      start_due(now - begin);
      take_ready();
    }
    print(before, after);
  }

 private:
  void start_due(std::uint64_t elapsed) {
    while (started_ < streams_.size() && ramp_ * started_ <= elapsed * streams_.size()) {
      if (!start(started_++)) ++failed_;
    }
  }

  bool start(std::size_t index) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return false;
    const std::string body =
        R"({"question":"Stream number )" + std::to_string(index) + R"(?","quiet":true})";
    const std::string request =
        "POST " + path_ + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) +
        "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
        "\r\n\r\n" + body;
    if (::send(socket, request.data(), request.size(), MSG_NOSIGNAL) < 0) return false;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = index << 32 | static_cast<std::uint32_t>(socket);
    ::epoll_ctl(set_, EPOLL_CTL_ADD, socket, &event);
    ++open_;
    return true;
  }

  void take_ready() {
    std::array<epoll_event, 256> ready;
    const int count = ::epoll_wait(set_, ready.data(), ready.size(), 1);
    for (int i = 0; i < count; ++i) {
      read(streams_[ready[i].data.u64 >> 32], static_cast<int>(ready[i].data.u64 & 0xffffffff));
    }
  }

  void read(Stream& stream, int socket) {
    char buffer[65536];
    const ssize_t got = ::recv(socket, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return;
    const std::uint64_t now = nanoseconds();
    auto step = Response::Step::kBroken;
    if (got > 0) {
      step = stream.response.take({buffer, static_cast<std::size_t>(got)}, stream.rest);
      take_lines(stream, now);
    }
    if (step == Response::Step::kMore) return;
    if (step == Response::Step::kBroken) ++failed_;
    ::close(socket);
    --open_;
    stream.ended = step == Response::Step::kEnd;
  }

  void take_lines(Stream& stream, std::uint64_t now) {
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = stream.rest.find('\n', begin)) != stream.rest.npos;) {
      take_line(stream, std::string_view(stream.rest).substr(begin, end - begin), now);
      begin = end + 1;
    }
    stream.rest.erase(0, begin);
  }

  /// A token follows the member for text in either protocol.
  void take_line(Stream& stream, std::string_view line, std::uint64_t now) {
    for (const std::string_view member : {R"("delta":")", R"("content":")", R"("say":")"}) {
      std::size_t at = line.find(member);
      if (at == line.npos) continue;
      at += member.size();
      for (; const auto token = Token::parse(line.substr(at)); at += Token::kSize) {
        if (token->number != stream.next) ++disordered_;
        stream.next = token->number + 1;
        ++received_;
        if (phase_ == 1) late_.push_back(static_cast<std::uint32_t>((now - token->sent) / 1000));
      }
      return;
    }
  }

  [[nodiscard]] std::uint32_t late(double part) const {
    return late_.empty()
               ? 0
               : late_[std::min(late_.size() - 1, static_cast<std::size_t>(
                                                      part * static_cast<double>(late_.size())))];
  }

  void print(const Usage& before, const Usage& after) {
    std::ranges::sort(late_);
    const std::uint64_t wanted = static_cast<std::uint64_t>(tokens_) * streams_.size();
    const std::size_t whole = static_cast<std::size_t>(
        std::ranges::count_if(streams_, [](const Stream& stream) { return stream.ended; }));
    const double cpu =
        late_.empty() ? 0
                      : (after.seconds - before.seconds) * 1e6 / static_cast<double>(late_.size());
    std::printf(
        "{\"streams\":%zu,\"whole\":%zu,\"failed\":%zu,\"tokens\":%zu,\"lost\":%lld,"
        "\"disordered\":%zu,\"late_us\":{\"p50\":%u,\"p99\":%u,\"max\":%u},"
        "\"cpu_us_per_token\":%.2f,\"cpu_seconds\":%.2f,\"rss_kib\":%ld}\n",
        streams_.size(), whole, failed_, late_.size(),
        static_cast<long long>(wanted) - static_cast<long long>(received_), disordered_, late(0.5),
        late(0.99), late(1), cpu, after.seconds - before.seconds, after.kib);
  }

  const int port_;
  const std::string path_;
  std::vector<Stream> streams_;
  const std::uint64_t ramp_;
  const std::uint64_t seconds_;
  const std::uint32_t tokens_;
  const std::vector<std::string> pids_;
  const int set_ = ::epoll_create1(EPOLL_CLOEXEC);
  std::size_t started_ = 0;
  std::size_t open_ = 0;
  std::size_t failed_ = 0;
  std::size_t disordered_ = 0;
  std::uint64_t received_ = 0;
  int phase_ = 0;                    // before, within and after the measured window
  std::vector<std::uint32_t> late_;  // microseconds
};

}  // namespace
}  // namespace quarry::bench

int main(int count, char** arguments) {
  if (count < 7) {
    std::fputs("Usage: relay_load PORT PATH STREAMS RAMP_MS SECONDS TOKENS [PID …]\n", stderr);
    return 2;
  }
  quarry::bench::Load(arguments, count).run();
}
