#include "ask/events.h"

#include "base/code_names.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/time_text.h"

#include <nlohmann/json.hpp>

namespace quarry::ask {
namespace {

void add_time(JsonWriter& json, ToolTime time) {
  json.object("time", [&] { json.member("start", time.start).member("end", time.end); });
}

void add_snapshot(JsonWriter& json, const resources::Prepared& prepared, bool unlocked) {
  json.object([&] {
    json.member("resource", prepared.name).member("version", prepared.version);
    json.member("display", prepared.display).member("fetchedAt", rfc3339(prepared.fetched_at));
    if (!prepared.stale.empty()) json.member("stale", prepared.stale);
    if (unlocked) json.member("unlocked", true);
    if (!prepared.integrity.empty()) json.member("integrity", prepared.integrity);
    if (!prepared.fields.empty()) json.raw("fields", to_text(prepared.fields));
    if (!prepared.notes.empty()) json.raw("notes", to_text(Json(prepared.notes)));
  });
}

std::string collection_key(const Meta& meta) {
  std::string all;
  for (const auto& prepared : meta.resources.ready) {
    all.append(prepared.name).append(1, '\n').append(prepared.version).append(1, '\n');
  }
  return sha256_hex(all).substr(0, 16);
}

}  // namespace

std::string pending_state() {
  return R"({"status":"pending","input":{},"raw":""})";
}

std::string running_state(std::string_view input, std::int64_t start) {
  return json_object([&](JsonWriter& json) {
    json.member("status", "running").raw("input", input);
    json.object("time", [&] { json.member("start", start); });
  });
}

std::string completed_state(std::string_view input, std::string_view output, std::string_view title,
                            std::string_view metadata, ToolTime time) {
  return json_object([&](JsonWriter& json) {
    json.member("status", "completed").raw("input", input);
    json.member("output", output).member("title", title);
    json.raw("metadata", metadata.empty() ? "{}" : metadata);
    add_time(json, time);
  });
}

std::string error_state(std::string_view input, std::string_view error, ToolTime time) {
  return json_object([&](JsonWriter& json) {
    json.member("status", "error").raw("input", input).member("error", error);
    add_time(json, time);
  });
}

std::string tool_updated(std::string_view id, std::string_view tool, std::string_view state) {
  return typed_event(EventType::kToolUpdated, tool_item(id, tool, state));
}

std::string tool_item(std::string_view id, std::string_view tool, std::string_view state) {
  return json_object([&](JsonWriter& json) {
    json.member("callID", id).member("tool", tool).raw("state", state);
  });
}

std::string typed_event(EventType type, std::string_view item) {
  return json_object(
      [&](JsonWriter& json) { json.member("type", name_of(type)).raw_members(item); });
}

std::string snapshots_json(const PreparedResources& resources) {
  std::string out;
  JsonWriter json(out);
  json.array([&] {
    for (const auto& each : resources.ready) {
      add_snapshot(json, each, resources.unlocked.contains(each.name));
    }
  });
  return out;
}

std::string meta_event(const Meta& meta) {
  return json_object([&](JsonWriter& json) {
    json.member("type", name_of(EventType::kMeta))
        .member("id", meta.id)
        .member("question", meta.question);
    json.object("model",
                [&] { json.member("provider", meta.provider).member("model", meta.model); });
    json.member("resources", meta.resources.names);
    json.object("collection",
                [&] { json.member("key", collection_key(meta)).member("path", "/"); });
    json.raw("snapshots", snapshots_json(meta.resources));
    if (!meta.resources.failed.empty()) {
      json.array("failed", [&] {
        for (const auto& [resource, message] : meta.resources.failed) {
          json.object([&] { json.member("resource", resource).member("message", message); });
        }
      });
    }
    if (!meta.thread.empty()) json.member("thread", meta.thread);
    if (meta.turns_left_out > 0) json.member("turnsLeftOut", meta.turns_left_out);
  });
}

std::string waiting_event(std::string_view reason, std::chrono::milliseconds left) {
  return json_object([&](JsonWriter& json) {
    json.member("type", name_of(EventType::kModelWaiting)).member("reason", reason);
    json.member("seconds", std::chrono::ceil<std::chrono::seconds>(left).count());
  });
}

std::string progress_event(std::string_view resource, const resources::Progress& progress) {
  return json_object([&](JsonWriter& json) {
    json.member("type", name_of(EventType::kResourceProgress)).member("resource", resource);
    json.member("message", progress.message).member("done", progress.done);
    if (progress.total > 0) json.member("total", progress.total);
  });
}

std::string error_event(const Error& error) {
  return typed_event(EventType::kError, error_json(error));
}

std::string error_json(const Error& error) {
  return json_object([&](JsonWriter& json) {
    json.member("tag", error.tag.empty() ? "InternalError" : error.tag);
    json.member("code", name_of(error.code)).member("message", error.message);
    if (!error.hint.empty()) json.member("hint", error.hint);
  });
}

std::int64_t epoch_ms(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

}  // namespace quarry::ask
