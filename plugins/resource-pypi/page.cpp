#include "resource-pypi/page.h"

#include "package_source/answer.h"
#include "package_source/text.h"
#include "resource-pypi/html.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::resource_pypi {
namespace {

using package_source::lower;
using package_source::trimmed;

using Json = nlohmann::json;
constexpr std::size_t kMostFiles = 200'000;
constexpr std::size_t kMostValues = 4'000'000;
constexpr std::size_t kLongestText = 2048;  // of a reason or a requirement

Failure broken(const Url& url, const std::string& how) {
  return {QUARRY_DATA_LOSS,
          "the page " + url.text() + " of the index " + how,
          "Check that the field index is the URL of a simple index, which ends in /simple/ on most "
          "servers.",
          {}};
}

/// Collects the files of a page.
class Collector {
 public:
  Collector(const Url& url, std::string_view project) : base_(url), project_(project) {}

  void set_base(const std::string& href) {
    if (auto url = base_.resolve(href)) base_ = std::move(*url);
  }
  /// `name` is empty when the URL alone has it.
  PageFile* add(const std::string& href, const std::string& name) {
    auto url = base_.resolve(href);
    if (url && base_.scheme == "https" && url->scheme == "http") url.reset();
    std::optional<FileName> parts;
    const std::string last = url ? (name.empty() ? url->file_name() : name) : "";
    if (url && page.files.size() < kMostFiles) parts = file_name(last, project_);
    if (!parts) {
      ++page.others;
      return nullptr;
    }
    PageFile file;
    file.name = last;
    file.hash = Hash::parse(url->fragment);
    url->fragment.clear();
    file.url = std::move(*url);
    file.parts = std::move(*parts);
    return &page.files.emplace_back(std::move(file));
  }

  Page page;

 private:
  Url base_;
  std::string project_;
};

void add_anchor(const Tag& tag, Collector& collector) {
  const auto text = [&](const char* key) -> const std::string* {
    const auto found = tag.attributes.find(key);
    return found == tag.attributes.end() ? nullptr : &found->second;
  };
  const std::string* href = text("href");
  PageFile* file = href == nullptr ? nullptr : collector.add(*href, {});
  if (file == nullptr) return;
  if (const auto* wanted = text("data-requires-python")) {
    file->requires_python = wanted->substr(0, kLongestText);
  }
  if (const auto* reason = text("data-yanked")) {
    file->yanked = true;
    file->yanked_reason = reason->substr(0, kLongestText);
  }
  const std::string* metadata = text("data-core-metadata");
  if (metadata == nullptr) metadata = text("data-dist-info-metadata");
  if (metadata != nullptr) {
    file->metadata_hash = Hash::parse(*metadata);
    file->has_metadata = file->metadata_hash || *metadata == "true";
  }
}

Outcome<Page> read_html(std::string_view body, const Url& url, std::string_view project) {
  Collector collector(url, project);
  std::string version;
  bool has_base = false;
  bool has_form = false;
  each_tag(body, [&](const Tag& tag) {
    const auto text = [&](const char* key) {
      const auto found = tag.attributes.find(key);
      return found == tag.attributes.end() ? std::string() : found->second;
    };
    if (tag.name == "a") return add_anchor(tag, collector);
    if (tag.name == "form") has_form = true;
    if (tag.name == "base" && !std::exchange(has_base, true)) collector.set_base(text("href"));
    if (tag.name != "meta") return;
    if (text("name") == "pypi:repository-version") version = text("content");
    if (text("name") == "pypi:project-status") collector.page.status = text("content");
    if (text("name") == "pypi:project-status-reason") {
      collector.page.status_reason = text("content").substr(0, kLongestText);
    }
  });
  if (!version.empty() && !version.starts_with("1.")) {
    return broken(url, "has the version " + version + " of the format; version 1 can be read");
  }
  if (has_form && version.empty() && collector.page.files.empty())
    return package_source::web_page_failure(body, url.text());
  return std::move(collector.page);
}

/// No fewer than the values of a JSON text: all but the outermost follow one of these marks, or a
/// key that does.
std::size_t most_values(std::string_view body) {
  return static_cast<std::size_t>(
      std::ranges::count_if(body, [](char c) { return c == ',' || c == '[' || c == '{'; }));
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  return found->get_ref<const std::string&>().substr(0, kLongestText);
}

std::optional<Hash> hash_of(const Json& hashes) {
  std::map<std::string, std::string> texts;
  for (const auto& [algorithm, value] : hashes.items()) {
    if (value.is_string()) texts.emplace(algorithm, value.get<std::string>());
  }
  return best_of(texts);
}

void read_metadata(const Json& object, PageFile& file) {
  for (const char* key : {"core-metadata", "dist-info-metadata"}) {
    const auto found = object.find(key);
    if (found == object.end()) continue;
    if (found->is_object()) file.metadata_hash = hash_of(*found);
    file.has_metadata = found->is_object() || *found == true;
    return;
  }
}

void add_object(const Json& object, Collector& collector) {
  if (!object.is_object()) return;
  PageFile* file = collector.add(text_of(object, "url"), text_of(object, "filename"));
  if (file == nullptr) return;
  if (const auto hashes = object.find("hashes"); hashes != object.end() && hashes->is_object()) {
    if (auto hash = hash_of(*hashes)) file->hash = std::move(hash);
  }
  file->requires_python = text_of(object, "requires-python");
  if (const auto yanked = object.find("yanked"); yanked != object.end()) {
    file->yanked_reason = text_of(object, "yanked");
    file->yanked = *yanked == true || (yanked->is_string() && !file->yanked_reason.empty());
  }
  if (const auto size = object.find("size"); size != object.end() && size->is_number_unsigned()) {
    file->size = size->get<std::uint64_t>();
  }
  read_metadata(object, *file);
}

Outcome<Page> read_json(std::string_view body, const Url& url, std::string_view project) {
  // Before parsing: nlohmann's parser with a callback takes time for each pair of objects of a
  // list.
  if (most_values(body) > kMostValues) return broken(url, "has too many values");
  const Json json = Json::parse(body, nullptr, false);
  if (json.is_discarded()) return broken(url, "is not valid JSON");
  const auto files = json.is_object() ? json.find("files") : json.end();
  if (!json.is_object() || files == json.end() || !files->is_array()) {
    return broken(url, "has no list of files");
  }
  const auto meta = json.find("meta");
  const std::string version =
      meta != json.end() && meta->is_object() ? text_of(*meta, "api-version") : "";
  if (!version.empty() && !version.starts_with("1.")) {
    return broken(url, "has the version " + version + " of the format; version 1 can be read");
  }
  Collector collector(url, project);
  for (const Json& file : *files) add_object(file, collector);
  if (const auto status = json.find("project-status");
      status != json.end() && status->is_object()) {
    collector.page.status = text_of(*status, "status");
    collector.page.status_reason = text_of(*status, "reason");
  }
  return std::move(collector.page);
}

}  // namespace

Outcome<Page> read_page(std::string_view body, std::string_view content_type, const Url& url,
                        std::string_view project) {
  const std::string type = lower(trimmed(content_type.substr(0, content_type.find(';'))));
  if (type == "application/vnd.pypi.simple.v1+json" || type == "application/json") {
    if (package_source::is_web_page(body))
      return package_source::web_page_failure(body, url.text());
    return read_json(body, url, project);
  }
  if (type == "application/vnd.pypi.simple.v1+html" || type == "text/html" || type.empty()) {
    return read_html(body, url, project);
  }
  return broken(url, "is \"" + type.substr(0, 100) + "\", neither HTML nor JSON of a simple index");
}

}  // namespace quarry::resource_pypi
