// Apart from client.cpp: <linux/tcp.h> and <netinet/tcp.h> define the same names.

#include "client.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace quarry::http_server::testing {

int Client::received_segments() const {
  tcp_info info{};
  socklen_t size = sizeof info;
  getsockopt(socket_, IPPROTO_TCP, TCP_INFO, &info, &size);
  return static_cast<int>(info.tcpi_data_segs_in);
}

}  // namespace quarry::http_server::testing
