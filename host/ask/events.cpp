#include "ask/events.h"

#include "base/code_names.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "base/time_text.h"

#include <nlohmann/json.hpp>

namespace quarry::ask {
namespace {

std::string times(ToolTime time) {
  return R"("time":{"start":)" + std::to_string(time.start) + R"(,"end":)" +
         std::to_string(time.end) + "}}";
}

std::string snapshot_item(const resources::Prepared& prepared, bool unlocked) {
  std::string out = R"({"resource":)" + json_string(prepared.name) + R"(,"version":)" +
                    json_string(prepared.version) + R"(,"display":)" +
                    json_string(prepared.display) + R"(,"fetchedAt":)" +
                    json_string(rfc3339(prepared.fetched_at));
  if (!prepared.stale.empty()) out += R"(,"stale":)" + json_string(prepared.stale);
  if (unlocked) out += R"(,"unlocked":true)";
  if (!prepared.integrity.empty()) out += R"(,"integrity":)" + json_string(prepared.integrity);
  if (!prepared.fields.empty()) out += R"(,"fields":)" + to_text(prepared.fields);
  if (!prepared.notes.empty()) out += R"(,"notes":)" + to_text(Json(prepared.notes));
  return out + "}";
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
  return R"({"status":"running","input":)" + std::string(input) + R"(,"time":{"start":)" +
         std::to_string(start) + "}}";
}

std::string completed_state(std::string_view input, std::string_view output, std::string_view title,
                            std::string_view metadata, ToolTime time) {
  return R"({"status":"completed","input":)" + std::string(input) + R"(,"output":)" +
         json_string(output) + R"(,"title":)" + json_string(title) + R"(,"metadata":)" +
         std::string(metadata.empty() ? "{}" : metadata) + "," + times(time);
}

std::string error_state(std::string_view input, std::string_view error, ToolTime time) {
  return R"({"status":"error","input":)" + std::string(input) + R"(,"error":)" +
         json_string(error) + "," + times(time);
}

std::string tool_updated(std::string_view id, std::string_view tool, std::string_view state) {
  return R"({"type":"tool.updated",)" + tool_item(id, tool, state).substr(1);
}

std::string tool_item(std::string_view id, std::string_view tool, std::string_view state) {
  return R"({"callID":)" + json_string(id) + R"(,"tool":)" + json_string(tool) + R"(,"state":)" +
         std::string(state) + "}";
}

std::string meta_event(const Meta& meta) {
  std::vector<std::string> names;
  std::vector<std::string> snapshots;
  std::vector<std::string> failed;
  for (const auto& name : meta.resources.names) names.push_back(json_string(name));
  for (const auto& prepared : meta.resources.ready) {
    snapshots.push_back(snapshot_item(prepared, meta.resources.unlocked.contains(prepared.name)));
  }
  for (const auto& [resource, message] : meta.resources.failed) {
    failed.push_back(R"({"resource":)" + json_string(resource) + R"(,"message":)" +
                     json_string(message) + "}");
  }
  std::string out = R"({"type":"meta","id":)" + json_string(meta.id) + R"(,"model":{"provider":)" +
                    json_string(meta.provider) + R"(,"model":)" + json_string(meta.model) +
                    R"(},"resources":)" + json_array(names) + R"(,"collection":{"key":)" +
                    json_string(collection_key(meta)) + R"(,"path":"/"},"snapshots":)" +
                    json_array(snapshots);
  if (!failed.empty()) out += R"(,"failed":)" + json_array(failed);
  if (!meta.thread.empty()) out += R"(,"thread":)" + json_string(meta.thread);
  if (meta.turns_left_out > 0) {
    out += R"(,"turnsLeftOut":)" + std::to_string(meta.turns_left_out);
  }
  return out + "}";
}

std::string progress_event(std::string_view resource, const resources::Progress& progress) {
  std::string out = R"({"type":"resource.progress","resource":)" + json_string(resource) +
                    R"(,"message":)" + json_string(progress.message) + R"(,"done":)" +
                    std::to_string(progress.done);
  if (progress.total > 0) out += R"(,"total":)" + std::to_string(progress.total);
  return out + "}";
}

std::string error_event(const Error& error) {
  std::string out = R"({"type":"error","tag":)" +
                    json_string(error.tag.empty() ? "InternalError" : error.tag) + R"(,"code":)" +
                    json_string(name_of(error.code)) + R"(,"message":)" +
                    json_string(error.message);
  if (!error.hint.empty()) out += R"(,"hint":)" + json_string(error.hint);
  return out + "}";
}

std::string json_string(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

std::string json_array(const std::vector<std::string>& members) {
  return "[" + join(members, ",") + "]";
}

std::int64_t epoch_ms(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

}  // namespace quarry::ask
