#include "resource-pypi/source.h"

#include <nlohmann/json.hpp>

namespace quarry::resource_pypi {
namespace {

using Json = nlohmann::json;
constexpr int kRules = 1;  // of the choice; another number makes the next resolve choose again

std::string member_text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void put(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

/// Reads "requests-2.31.0.tar.gz#sha256=…".
bool read_id(const std::string& id, Release& release) {
  const std::size_t mark = id.find('#');
  if (mark == std::string::npos) return false;
  auto hash = Hash::parse(std::string_view(id).substr(mark + 1));
  if (!hash || id.find('/') < mark) return false;
  release.file = id.substr(0, mark);
  release.hash = std::move(*hash);
  return true;
}

}  // namespace

std::string Release::json(bool version_was_named) const {
  Json out{{"id", id()},
           {"immutable", true},
           {"display", file.ends_with(".whl") ? version + " (wheel)" : version},
           {"rules", kRules},
           {"package", package},
           {"version", version},
           {"url", url},
           {"listed", listed},
           {"notes", notes}};
  if (!version_was_named) out["resource"] = {{"version", version}};
  put(out, "requires_python", requires_python);
  put(out, "metadata_url", metadata_url);
  if (metadata_hash) out["metadata_hash"] = metadata_hash->text();
  put(out, "page_etag", page.etag);
  put(out, "page_modified", page.last_modified);
  put(out, "file_etag", content.etag);
  put(out, "file_modified", content.last_modified);
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Release> Release::read(std::string_view json) {
  const Json in = Json::parse(json, nullptr, false);
  Release out;
  if (!in.is_object() || !read_id(member_text(in, "id"), out)) return std::nullopt;
  const auto rules = in.find("rules");
  if (rules == in.end() || *rules != kRules) return out;
  out.package = member_text(in, "package");
  out.version = member_text(in, "version");
  out.url = member_text(in, "url");
  out.listed = in.value("listed", false);
  out.requires_python = member_text(in, "requires_python");
  out.metadata_url = member_text(in, "metadata_url");
  out.metadata_hash = Hash::parse(member_text(in, "metadata_hash"));
  out.page = {member_text(in, "page_etag"), member_text(in, "page_modified")};
  out.content = {member_text(in, "file_etag"), member_text(in, "file_modified")};
  if (const auto notes = in.find("notes"); notes != in.end() && notes->is_array()) {
    for (const Json& note : *notes) {
      if (note.is_string()) out.notes.push_back(note.get<std::string>());
    }
  }
  return out;
}

}  // namespace quarry::resource_pypi
