#include "socket.h"

#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <unistd.h>

#include <sys/socket.h>
#include <sys/un.h>

namespace transport_lines {
namespace {

using quarry::Failure;

constexpr int kWaiting = 16;  // connections that are not yet accepted

std::string reason(int number) {
  return std::generic_category().message(number);
}

Failure fault(const std::string& message, const std::string& hint) {
  return quarry::field_failure("/socket", message, hint);
}

/// nullopt when the path is too long.
std::optional<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

bool is_served(const sockaddr_un& address) {
  const Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return ::connect(probe.get(), generic(address), sizeof address) == 0 || errno != ECONNREFUSED;
}

/// Makes the path free, if a socket is left there from before.
std::optional<Failure> remove_stale(const std::string& path, const sockaddr_un& address) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) return std::nullopt;
  if (!S_ISSOCK(there.st_mode) || there.st_uid != ::geteuid()) {
    return fault("leads to something that is no socket of this user", "name another path");
  }
  if (is_served(address)) return fault("is in use by another program", "name another path");
  ::unlink(path.c_str());
  return std::nullopt;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

quarry::Outcome<ListeningSocket> ListeningSocket::open(const std::string& path) {
  const auto address = address_of(path);
  if (!address || !path.starts_with('/')) {
    return fault("is no absolute path of at most 107 bytes", "write it as /run/user/1000/quarry");
  }
  if (auto failed = remove_stale(path, *address)) return *failed;
  Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // The mode of the descriptor becomes that of the path: there is no moment with another one.
  if (!made || ::fchmod(made.get(), 0600) != 0 ||
      ::bind(made.get(), generic(*address), sizeof *address) != 0) {
    return fault("cannot be created: " + reason(errno), "check its directory");
  }
  struct stat there {};
  const bool found = ::lstat(path.c_str(), &there) == 0;
  ListeningSocket listening(std::move(made), path, there);
  if (!found || (there.st_mode & 0777U) != 0600 || ::listen(listening.get(), kWaiting) != 0) {
    return fault("cannot be listened on by its owner alone", "name a path on another file system");
  }
  return listening;
}

ListeningSocket::~ListeningSocket() {
  struct stat there {};
  if (socket_ && ::lstat(path_.c_str(), &there) == 0 && there.st_ino == made_.st_ino &&
      there.st_dev == made_.st_dev) {
    ::unlink(path_.c_str());
  }
}

Descriptor ListeningSocket::accept() const {
  Descriptor client(::accept4(get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  ucred peer{};
  socklen_t size = sizeof peer;
  if (!client) return client;
  const bool known = ::getsockopt(client.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  if (known && (peer.uid == ::geteuid() || peer.uid == 0)) return client;
  errno = EAGAIN;
  return {};
}

}  // namespace transport_lines
