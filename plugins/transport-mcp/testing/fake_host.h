#pragma once

#include "engine_client/failure.h"
#include "http_server/testing/threads.h"

#include <quarry/host.hpp>
#include <quarry/work.h>

#include <string>
#include <string_view>
#include <vector>

namespace quarry::transport_mcp::testing {

/// A host with threads and a recorded log.
class FakeHost {
 public:
  FakeHost()
      : table_{sizeof(quarry_host), QUARRY_ABI_MAJOR, QUARRY_ABI_MINOR, this,
               as_text("1"),        service,          nullptr,          nullptr},
        log_{sizeof(quarry_log_v1), this, write, [](const quarry_log_v1*, std::int32_t level) {
               return std::int32_t{level >= QUARRY_LOG_WARNING};
             }} {}
  [[nodiscard]] Host host() const { return Host(&table_); }

  http_server::testing::Threads threads;
  std::vector<std::string> lines;

 private:
  static const void* service(const quarry_host* self, const char* id) {
    const auto& host = *static_cast<FakeHost*>(self->context);
    if (std::string_view(id) == QUARRY_WORK) return &host.threads.table();
    return std::string_view(id) == QUARRY_LOG ? &host.log_ : nullptr;
  }
  static void write(const quarry_log_v1* self, std::int32_t, quarry_text line) {
    static_cast<FakeHost*>(self->context)->lines.emplace_back(as_view(line));
  }

  quarry_host table_;
  quarry_log_v1 log_;
};

}  // namespace quarry::transport_mcp::testing
