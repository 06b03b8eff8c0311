#include "cli/doctor/server_checks.h"

#include "base/directory_entries.h"
#include "base/file.h"
#include "base/printable.h"
#include "services/endpoint.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <optional>
#include <poll.h>
#include <string_view>
#include <unistd.h>

#include <sys/socket.h>
#include <sys/stat.h>

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kAnswerMs = 3000;
constexpr std::string_view kReplaced = " (deleted)";

Fd socket_for(const addrinfo& at) {
  return Fd(::socket(at.ai_family, at.ai_socktype | SOCK_CLOEXEC, at.ai_protocol));
}

struct FreeList {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeList>;

/// The addresses of "host:port"; null if it is none.
Addresses addresses_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return nullptr;
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int failed = ::getaddrinfo(host.empty() ? nullptr : host.c_str(),
                                   text.substr(colon + 1).c_str(), &hints, &list);
  return Addresses(failed == 0 ? list : nullptr);
}

/// 0 if it can be listened at, else the number of the error.
int listen_error(const addrinfo& at) {
  const Fd socket = socket_for(at);
  if (!socket) return errno;
  const int yes = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const bool listens =
      ::bind(socket.get(), at.ai_addr, at.ai_addrlen) == 0 && ::listen(socket.get(), 1) == 0;
  return listens ? 0 : errno;
}

/// What the program at an address answers to a request that every server of Quarry answers.
std::string answer_at(const addrinfo& at) {
  const Fd socket = socket_for(at);
  if (!socket || ::connect(socket.get(), at.ai_addr, at.ai_addrlen) != 0) return {};
  constexpr std::string_view kRequest = "GET /livez HTTP/1.0\r\nHost: localhost\r\n\r\n";
  if (::send(socket.get(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL) < 0) return {};
  std::string answer;
  char buffer[1024];
  pollfd ready{socket.get(), POLLIN, 0};
  while (answer.size() < sizeof buffer && ::poll(&ready, 1, kAnswerMs) == 1) {
    const ssize_t got = ::recv(socket.get(), buffer, sizeof buffer, 0);
    if (got <= 0) break;
    answer.append(buffer, static_cast<std::size_t>(got));
  }
  return answer;
}

std::optional<Finding> check(const ListenAddress& wanted, const addrinfo& at) {
  const int failed = listen_error(at);
  const bool is_ours =
      failed == EADDRINUSE && answer_at(at).find(R"({"ok":true})") != std::string::npos;
  if (failed == 0 || is_ours) return std::nullopt;
  const std::string place = printable_exact(wanted.address);
  const std::string setting = "transport." + wanted.transport + ".listen";
  if (failed == EADDRINUSE) {
    return fault(
        "another program uses " + place + ", the address of the transport " + wanted.transport,
        "End it (\"ss -ltnp\" names it), or choose another address: " + setting + ".");
  }
  return fault("the transport " + wanted.transport + " cannot listen at " + place + ": " +
                   std::strerror(failed),
               "Choose another address: " + setting + ".");
}

}  // namespace

Findings check_addresses(const std::vector<ListenAddress>& addresses) {
  Findings out;
  for (const ListenAddress& wanted : addresses) {
    const Addresses list = addresses_of(wanted.address);
    if (!list) {
      out.push_back(fault("the transport " + wanted.transport + " cannot listen at " +
                              printable_exact(wanted.address) +
                              ": it is no address of this machine",
                          "Choose another address: transport." + wanted.transport + ".listen."));
      continue;
    }
    for (const addrinfo* at = list.get(); at != nullptr; at = at->ai_next) {
      auto found = check(wanted, *at);
      if (!found) continue;
      out.push_back(std::move(*found));
      break;
    }
  }
  return out;
}

Findings check_processes(const fs::path& program, const fs::path& processes) {
  Findings out;
  for (const auto& entry : entries_of(processes)) {
    const std::string id = entry.path().filename().string();
    if (id.find_first_not_of("0123456789") != id.npos) continue;
    struct stat info {};
    if (::stat(entry.path().c_str(), &info) != 0 || info.st_uid != ::geteuid()) continue;
    std::error_code unreadable;
    const std::string runs = fs::read_symlink(entry.path() / "exe", unreadable).string();
    if (unreadable || !runs.ends_with(kReplaced)) continue;
    const fs::path was = runs.substr(0, runs.size() - kReplaced.size());
    if (was.filename() != program.filename()) continue;
    out.push_back(warning("process " + id + " runs " + printable_exact(was.string()) +
                              ", which has been replaced or removed since",
                          "If it serves: quarry upgrade-in-place " + id +
                              ". Otherwise end it (kill " + id +
                              ") and start the present program."));
  }
  return out;
}

}  // namespace quarry::cli
