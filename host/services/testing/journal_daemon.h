#pragma once

#include "base/file.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <string>
#include <string_view>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace quarry::services {

/// Receives entries of the journal at `address`, a path, as its daemon does.
class JournalDaemon {
 public:
  explicit JournalDaemon(std::string address)
      : address_(std::move(address)), socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::memcpy(at.sun_path, address_.data(), address_.size());
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  }
  ~JournalDaemon() { ::unlink(address_.c_str()); }
  JournalDaemon(const JournalDaemon&) = delete;
  JournalDaemon& operator=(const JournalDaemon&) = delete;

  using Fields = std::map<std::string, std::string>;
  /// The fields of the next entry; none if there is no entry.
  Fields next() {
    std::string data(1u << 20, '\0');
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    iovec part{data.data(), data.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0) return {};
    data.resize(static_cast<std::size_t>(got));
    if (const cmsghdr* const header = CMSG_FIRSTHDR(&message)) {
      EXPECT_EQ(got, 0) << "an entry is either a datagram or a file";
      data = read_file(*header);
    }
    return fields_of(data);
  }
  [[nodiscard]] int files() const { return files_; }
  [[nodiscard]] int seals_of_last_file() const { return seals_; }

 private:
  std::string read_file(const cmsghdr& header) {
    int number = -1;
    std::memcpy(&number, CMSG_DATA(&header), sizeof number);
    const Fd file(number);
    ++files_;
    seals_ = ::fcntl(number, F_GET_SEALS);
    std::string out(static_cast<std::size_t>(::lseek(number, 0, SEEK_END)), '\0');
    EXPECT_EQ(::pread(number, out.data(), out.size(), 0), std::ssize(out));
    return out;
  }
  static Fields fields_of(std::string_view data) {
    Fields out;
    while (!data.empty()) {
      const auto end = data.find_first_of("=\n");
      const std::string name(data.substr(0, end));
      const bool counted = data[end] == '\n';
      data.remove_prefix(end + 1);
      std::uint64_t size = data.find('\n');
      if (counted) {
        std::memcpy(&size, data.data(), sizeof size);  // this machine's order is that of the wire
        data.remove_prefix(sizeof size);
      }
      EXPECT_EQ(data.substr(size, 1), "\n");
      out[name] = data.substr(0, size);
      data.remove_prefix(size + 1);
    }
    return out;
  }

  const std::string address_;
  const Fd socket_;
  int files_ = 0;
  int seals_ = 0;
};

}  // namespace quarry::services
