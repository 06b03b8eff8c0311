// A transport and a store "parts" that work as far as a test needs them, and do what fault.h has
// where their configuration says so, as in do = "start:hang".
#include "fault.h"

#include <quarry/draft/store.h>
#include <quarry/plugin.hpp>
#include <quarry/transport.h>

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace {

quarry_text text_of(const char* text) {
  return {text, std::strlen(text)};
}

void answer(const quarry_reply* reply, const char* json) {
  reply->value(reply, text_of(json));
}

/// An instance is its configuration.
const std::string& configuration_of(void* instance) {
  return *static_cast<std::string*>(instance);
}

void act(const char* function, const std::string& configuration) {
  fault_at((std::string("\"") + function).c_str(), configuration.data(), configuration.size());
}

void create(const quarry_host*, const quarry_call*, quarry_text configuration, void** instance,
            const quarry_reply* reply) {
  const std::string text(configuration.data, configuration.size);
  act("create", text);
  *instance = new std::string(text);
  answer(reply, "{}");
}
void destroy(void* instance) {
  act("destroy", configuration_of(instance));
  delete static_cast<std::string*>(instance);
}

void start(void* instance, const quarry_call*, const quarry_engine*, const quarry_reply* reply) {
  act("start", configuration_of(instance));
  answer(reply, R"({"listening":[]})");
}
void stop(void* instance, int64_t) {
  act("stop", configuration_of(instance));
}

constexpr char kFind[] = "find_token";
constexpr char kExchange[] = "exchange";
constexpr char kNothing[] = "{}";
constexpr char kSchema[] = R"({"schema":1})";
constexpr char kKey[] =
    R"({"key":"0000000000000000000000000000000000000000000000000000000000000000"})";
constexpr char kActivity[] = R"({"revision":1,"requests":[],"streams":[],"endedSessions":[]})";
constexpr char kForgotten[] = R"({"forgotten":0})";
constexpr char kOpen[] = "open";
constexpr char kOther[] = "other";

/// Adds a byte to the file of this name in the working directory, for a test that waits for calls.
void note_call(const char* function) {
  const int file = ::open(function, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file < 0 || ::write(file, ".", 1) != 1) std::abort();
  ::close(file);
}

template <const char* function, const char* json>
void reply_with(void* instance, const quarry_call*, quarry_text, const quarry_reply* reply) {
  note_call(function);
  act(function, configuration_of(instance));
  answer(reply, json);
}

constexpr quarry_store_function kEmpty = reply_with<kOther, kNothing>;
constexpr quarry_transport_v1 kTransport{
    .struct_size = sizeof(quarry_transport_v1), .start = start, .stop = stop};
constexpr quarry_store_v1 kStore{.struct_size = sizeof(quarry_store_v1),
                                 .open = reply_with<kOpen, kSchema>,
                                 .key = reply_with<kOther, kKey>,
                                 .create_project = kEmpty,
                                 .projects = kEmpty,
                                 .remove_project = kEmpty,
                                 .create_token = kEmpty,
                                 .tokens = kEmpty,
                                 .find_token = reply_with<kFind, kNothing>,
                                 .revoke_token = kEmpty,
                                 .resources = kEmpty,
                                 .add_resource = kEmpty,
                                 .remove_resource = kEmpty,
                                 .exchange = reply_with<kExchange, kActivity>,
                                 .reserve = kEmpty,
                                 .settle = kEmpty,
                                 .end_session = kEmpty,
                                 .record = kEmpty,
                                 .audit = kEmpty,
                                 .forget = reply_with<kOther, kForgotten>,
                                 .token_hashes = nullptr,
                                 .set_secret = nullptr,
                                 .secrets = nullptr,
                                 .remove_secret = nullptr,
                                 .schema = nullptr,
                                 .dump = nullptr,
                                 .load = nullptr};

constexpr quarry_component kTransportPart{
    sizeof(quarry_component), 0, QUARRY_TRANSPORT, "parts", &kTransport, create, destroy};
constexpr quarry_component kStorePart{
    sizeof(quarry_component), 0, QUARRY_STORE, "parts", &kStore, create, destroy};

}  // namespace

QUARRY_PLUGIN("org.example.parts", "1.0.0", kTransportPart, kStorePart)
