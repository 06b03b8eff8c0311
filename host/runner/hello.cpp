#include "runner/hello.h"

#include "runner/protocol.h"

#include <quarry/host.hpp>
#include <quarry/outcome.hpp>
#include <quarry/services.h>

namespace quarry::runner {
namespace {

std::int32_t lowest_level(const quarry_log_v1& log) {
  std::int32_t level = QUARRY_LOG_DEBUG;
  while (level < QUARRY_LOG_ERROR && log.enabled(&log, level) == 0) ++level;
  return level;
}

}  // namespace

void Hello::write(PacketWriter& packet) const {
  packet.put(protocol).text(manifest).text(sha256).text(version).put(services).put(memory);
  packet.put(landlock).put(log_level);
  packet.text(cache).text(data);
}

std::optional<Hello> Hello::read(std::string_view payload) {
  PacketReader packet(payload);
  Hello hello;
  hello.protocol = packet.get<std::uint32_t>();
  hello.manifest = packet.text();
  hello.sha256 = packet.text();
  hello.version = packet.text();
  hello.services = packet.get<std::uint32_t>();
  hello.memory = packet.get<std::uint64_t>();
  hello.landlock = packet.get<std::int32_t>();
  hello.log_level = packet.get<std::int32_t>();
  hello.cache = packet.text();
  hello.data = packet.text();
  if (!packet.complete()) return std::nullopt;
  return hello;
}

void describe_services(const quarry_host& host, Hello& hello) {
  constexpr std::pair<const char*, std::uint32_t> kOffers[] = {{QUARRY_METRICS, kOffersMetrics},
                                                               {QUARRY_SECRETS, kOffersSecrets},
                                                               {QUARRY_PROCESS, kOffersProcess},
                                                               {QUARRY_HTTP, kOffersHttp}};
  for (const auto& [id, bit] : kOffers) {
    if (host.service(&host, id) != nullptr) hello.services |= bit;
  }
  if (const auto* log = Host(&host).service<quarry_log_v1>(QUARRY_LOG)) {
    hello.services |= kOffersLog;
    hello.log_level = lowest_level(*log);
  }
  if (const auto* paths = Host(&host).service<quarry_paths_v1>(QUARRY_PATHS)) {
    hello.services |= kOffersPaths;
    hello.cache = as_view(paths->cache(paths));
    hello.data = as_view(paths->data(paths));
  }
  hello.version = as_view(host.version);
}

}  // namespace quarry::runner
