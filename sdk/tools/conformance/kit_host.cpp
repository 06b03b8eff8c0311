#include "conformance/kit_host.h"

#include "services/call_table.h"

#include <quarry/outcome.hpp>

#include <chrono>

namespace quarry::conformance {
namespace {

services::Paths::Roots roots_beneath(const std::filesystem::path& directory) {
  return {.cache = directory / "cache", .data = directory / "data", .state = directory / "state"};
}

services::Permissions allowed_by(const plugins::Manifest& manifest) {
  services::Permissions allowed;
  allowed.hosts = manifest.permissions.hosts;
  allowed.programs = manifest.permissions.programs;
  allowed.secrets = manifest.permissions.secrets;
  return allowed;
}

}  // namespace

KitHost::KitHost(const plugins::Manifest& manifest, const std::filesystem::path& directory)
    : log_({.level = services::Level::kDebug, .sink = [](std::string_view) {}}, redactor_),
      paths_(roots_beneath(directory)),
      processes_(services::ProcessRunner::of_environment()),
      secrets_(
          {}, [](const char*) -> const char* { return nullptr; }, processes_, redactor_),
      workers_(2),
      tables_(manifest.id, allowed_by(manifest),
              {clock_, log_, metrics_, paths_, processes_, secrets_, workers_}),
      http_{.struct_size = sizeof(quarry_http_v1),
            .context = this,
            .send = [](const quarry_http_v1* self, const quarry_call*, const quarry_http_request*,
                       const quarry_http_sink*,
                       const quarry_reply* reply) noexcept { refuse(self, reply); },
            .permit = [](const quarry_http_v1* self, const quarry_call*, quarry_text,
                         const quarry_reply* reply) noexcept { refuse(self, reply); },
            .send_all = [](const quarry_http_v1* self, const quarry_call*, std::uint32_t,
                           const quarry_http_request* const*, const quarry_http_sink* const*,
                           const quarry_reply* reply) noexcept { refuse(self, reply); }},
      host_{.struct_size = sizeof(quarry_host),
            .abi_major = QUARRY_ABI_MAJOR,
            .abi_minor = QUARRY_ABI_MINOR,
            .context = this,
            .version = as_text("conformance"),
            .service = [](const quarry_host* self, const char* id) noexcept -> const void* {
              return id == nullptr ? nullptr : of(self).find(id);
            },
            .open_call =
                [](const quarry_host*, const quarry_call* parent, std::int64_t timeout_ms,
                   quarry_status (*state)(void*), void* context) noexcept {
                  return services::open_call({.parent = parent,
                                              .limit = std::chrono::milliseconds(timeout_ms),
                                              .state = state,
                                              .context = context});
                },
            .close_call = [](const quarry_host*,
                             const quarry_call* call) noexcept { services::close_call(call); }} {}

const void* KitHost::find(std::string_view id) const {
  return id == QUARRY_HTTP ? &http_ : tables_.find(id);
}

void KitHost::refuse(const quarry_http_v1* self, const quarry_reply* reply) {
  ++static_cast<KitHost*>(self->context)->requests_;
  quarry_failure failure{};
  failure.struct_size = sizeof failure;
  failure.status = QUARRY_UNAVAILABLE;
  failure.message = as_text("there is no network during checks");
  reply->failure(reply, &failure);
}

}  // namespace quarry::conformance
