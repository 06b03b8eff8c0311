#include "services/journal.h"

#include "services/line_stream.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

namespace quarry::services {
namespace {

/// Longest wait for a daemon that is slow.
constexpr std::chrono::milliseconds kPatience{10};
/// Entries that wait for the daemon, in bytes; the system may allow less.
constexpr int kSendBuffer = 8 << 20;

bool is_full(int failure) {
  return failure == EAGAIN || failure == EWOULDBLOCK;
}

/// 0, or the number of the failure.
int send_message(int socket, const msghdr& message) {
  for (;;) {
    if (::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return 0;
    if (errno != EINTR) return errno;
  }
}

/// Sends `bytes` as a memory file that nobody can change any more. 0, or the number of the failure.
int send_as_file(int socket, std::string_view bytes) {
  const Fd file(::memfd_create("quarry-log", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) return errno;
  if (!write_all(file.get(), bytes)) return EIO;
  if (const int failure = seal_memory_file(file.get()); failure != 0) return failure;
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  const int sent = file.get();
  std::memcpy(CMSG_DATA(header), &sent, sizeof sent);
  return send_message(socket, message);
}

}  // namespace

/// A value with a newline has its length before it, in 64 bits with the lowest byte first.
void JournalEntry::add(std::string_view name, std::string_view value) {
  bytes_ += name;
  if (value.find('\n') == std::string_view::npos) {
    bytes_ += '=';
  } else {
    bytes_ += '\n';
    for (std::uint64_t i = 0, size = value.size(); i < sizeof size; ++i, size >>= 8) {
      bytes_ += static_cast<char>(size & 0xff);
    }
  }
  bytes_.append(value).append("\n");
}

Journal::Outcome Journal::send(const JournalEntry& entry) noexcept {
  const std::lock_guard lock(mutex_);
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (!socket_ && !connect()) break;
    int failure = send_once(entry.bytes());
    if (is_full(failure) && !full_ && wait_until_writable(socket_.get(), kPatience)) {
      failure = send_once(entry.bytes());
    }
    full_ = is_full(failure);
    if (failure == 0) return Outcome::kSent;
    if (full_) return Outcome::kFull;
    socket_ = Fd();  // a new daemon may listen where the old one did
  }
  return Outcome::kNobody;
}

bool Journal::connect() {
  sockaddr_un to{};
  if (path_.empty() || path_.size() >= sizeof to.sun_path) return false;
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, path_.data(), path_.size());
  Fd made(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!made) return false;
  static_cast<void>(
      ::setsockopt(made.get(), SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path_.size() + 1);
  if (::connect(made.get(), reinterpret_cast<const sockaddr*>(&to), size) != 0) return false;
  socket_ = std::move(made);
  return true;
}

/// 0, or the number of the failure.
int Journal::send_once(std::string_view bytes) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  const int failure = send_message(socket_.get(), message);
  const bool too_large = failure == EMSGSIZE || failure == ENOBUFS;
  return too_large ? send_as_file(socket_.get(), bytes) : failure;
}

bool leads_to_journal(int fd, const char* journal_stream) {
  struct stat found {};
  if (journal_stream == nullptr || ::fstat(fd, &found) != 0) return false;
  return std::to_string(found.st_dev) + ":" + std::to_string(found.st_ino) == journal_stream;
}

}  // namespace quarry::services
