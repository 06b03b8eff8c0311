// The plugin's front door: the contract's tables around Transport.
#include "transport.h"

#include <quarry/abi.h>
#include <quarry/transport.h>

#include <exception>

namespace {

using quarry::rest::Failure;
using quarry::rest::text;
using quarry::rest::Transport;
using quarry::rest::view;

void fail(const quarry_reply* reply, const Failure& failure) {
  std::string details;
  if (!failure.tag.empty()) {
    details = R"({"tag":")" + failure.tag + '"';
    if (!failure.fields.empty()) details += ",\"fields\":" + failure.fields;
    details += '}';
  }
  const quarry_failure out{sizeof(quarry_failure), failure.status, text(failure.message),
                           text(failure.hint), text(details)};
  reply->failure(reply, &out);
}

/// Nothing throws across: what does becomes an internal failure.
template <class Body>
void guarded(const quarry_reply* reply, Body body) noexcept {
  try {
    body();
  } catch (const std::exception& error) {
    fail(reply, {QUARRY_INTERNAL, {}, error.what(), {}, {}});
  }
}

void create(const quarry_host* host, quarry_text configuration, void** instance,
            const quarry_reply* reply) {
  guarded(reply, [&] {
    auto transport = Transport::create(*host, view(configuration));
    if (!transport) return fail(reply, transport.error());
    *instance = transport->release();
    reply->value(reply, text("{}"));
  });
}

void destroy(void* instance) {
  delete static_cast<Transport*>(instance);
}

void start(void* instance, const quarry_engine* engine, const quarry_reply* reply) {
  guarded(reply, [&] {
    const auto value = static_cast<Transport*>(instance)->start(*engine);
    if (!value) return fail(reply, value.error());
    reply->value(reply, text(*value));
  });
}

void stop(void* instance, int64_t grace_ms) {
  static_cast<Transport*>(instance)->stop(std::chrono::milliseconds(grace_ms));
}

const quarry_transport_v1 kTransport{sizeof(quarry_transport_v1), start, stop};
const quarry_component kComponent{
    sizeof(quarry_component), 0, QUARRY_TRANSPORT, "rest", &kTransport, create, destroy};
const quarry_component* const kComponents[]{&kComponent};

}  // namespace

extern "C" {
QUARRY_EXPORT extern const quarry_entry quarry_plugin_entry_v1;
const quarry_entry quarry_plugin_entry_v1{sizeof(quarry_entry),
                                          QUARRY_ABI_MAJOR,
                                          QUARRY_ABI_MINOR,
                                          0,
                                          "quarry.transport-rest",
                                          "0.1.0",
                                          nullptr,
                                          nullptr,
                                          1,
                                          kComponents};
}
