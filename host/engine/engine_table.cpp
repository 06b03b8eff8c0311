#include "engine/engine_table.h"

#include "base/json.h"
#include "engine/wire_rules.h"
#include "services/log_scope.h"

#include <quarry/outcome.hpp>

#include <exception>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

/// While a transport runs on a thread of the engine: it may go on to the next request of a client.
struct OfNoRequest {
  const services::LogScope scope{nullptr};
};

Engine& engine_of(const quarry_engine* table) {
  return *static_cast<Engine*>(table->context);
}

std::string details_of(const Error& error) {
  Json details = {{"tag", error.tag.empty() ? "InternalError" : error.tag}};
  for (const FieldError& field : error.details) {
    details["fields"].push_back({{"field", field.field}, {"message", field.message}});
  }
  return to_text(details);
}

void fail(const quarry_reply* reply, const Error& error) {
  const std::string details = details_of(error);
  const quarry_failure failure{sizeof failure, static_cast<quarry_status>(error.code),
                               as_text(error.message), as_text(error.hint), as_text(details)};
  reply->failure(reply, &failure);
}

uint64_t call(const quarry_engine* self, quarry_text method, quarry_text params,
              const quarry_reply* reply) noexcept {
  try {
    const auto use = [reply](Result<std::string> result) {
      const OfNoRequest client;
      if (result) {
        reply->value(reply, as_text(*result));
      } else {
        fail(reply, result.error());
      }
    };
    if (const Status passes = check_from_wire(as_view(method), as_view(params)); !passes) {
      fail(reply, passes.error());
      return UINT64_MAX;
    }
    return engine_of(self).call(as_view(method), as_view(params), use, nullptr);
  } catch (const std::exception& error) {
    fail(reply, {Code::kInternal, error.what()});
    return UINT64_MAX;
  }
}

void cancel(const quarry_engine* self, uint64_t handle) noexcept {
  engine_of(self).cancel(handle);
}

Reader* reader_of(quarry_reader* reader) {
  return reinterpret_cast<Reader*>(reader);
}

quarry_reader* open_reader(const quarry_engine* self, quarry_text id, uint64_t after,
                           void (*wake)(void*), void* wake_context) noexcept {
  try {
    auto reader = engine_of(self).open_reader(as_view(id), after, [wake, wake_context] {
      const OfNoRequest client;
      wake(wake_context);
    });
    return reinterpret_cast<quarry_reader*>(reader.release());
  } catch (const std::exception&) {
    return nullptr;  // out of memory: reported like an unknown question
  }
}

quarry_read read(quarry_reader* reader, size_t max_bytes, void (*visit)(void*, const quarry_event*),
                 void* visit_context) noexcept {
  return reader_of(reader)->read(
      max_bytes, [&](std::uint64_t number, std::string_view type, std::string_view json) {
        const quarry_event event{sizeof event, number, as_text(type), as_text(json)};
        visit(visit_context, &event);
      });
}

void close_reader(quarry_reader* reader) noexcept {
  delete reader_of(reader);
}

}  // namespace

EngineTable::EngineTable(Engine& engine)
    : table_{sizeof(quarry_engine), &engine, call, cancel, open_reader, read, close_reader} {}

}  // namespace quarry::engine
