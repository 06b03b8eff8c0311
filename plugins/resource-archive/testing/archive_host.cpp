#include "resource-archive/testing/archive_host.h"

#include <quarry/json.hpp>

namespace quarry::resource_archive::testing {

namespace {

template <class Function>
Outcome<std::string> outcome_of(const Function& function) {
  const detail::Heard heard;
  function(heard.reply());
  return heard.outcome();
}

quarry_text cache_of(const quarry_paths_v1* self) {
  return as_text(*static_cast<const std::string*>(self->context));
}

void give_secret(const quarry_secrets_v1* self, const quarry_call*, quarry_text name,
                 const quarry_reply* reply) {
  const auto& known = *static_cast<const std::map<std::string, std::string>*>(self->context);
  const auto at = known.find(std::string(as_view(name)));
  if (at == known.end()) {
    return detail::fail(reply, {QUARRY_NOT_FOUND, "TOKEN is not set", {}, {}});
  }
  reply->value(reply, as_text(json::quoted(at->second)));
}

void hide_nothing(const quarry_secrets_v1*, quarry_text) {}

}  // namespace

ArchiveHost::ArchiveHost(const std::string& configuration)
    : cache_(directory.path() / "cache"),
      paths_{sizeof paths_, &cache_, cache_of, cache_of},
      secrets_{sizeof secrets_, &secrets, give_secret, hide_nothing},
      type{quarry_plugin_entry_v1,
           QUARRY_RESOURCE,
           "archive",
           configuration,
           {{QUARRY_HTTP, http.get()}, {QUARRY_PATHS, &paths_}, {QUARRY_SECRETS, &secrets_}}} {
  std::filesystem::create_directories(cache_);
  std::filesystem::create_directories(directory.path() / "scratch");
  http.answer = [this](const HttpRequest& request) { return serve(request); };
}

Outcome<std::string> ArchiveHost::resolve(const std::string& resource, const std::string& last) {
  return outcome_of([&](const quarry_reply* reply) {
    type->resolve(type.instance(), call.get(), as_text(resource), as_text(last), reply);
  });
}

Outcome<std::string> ArchiveHost::fetch(const std::string& resource, const std::string& version,
                                        quarry::testing::Tree& tree) {
  tree.scratch = directory.path() / "scratch";
  return outcome_of([&](const quarry_reply* reply) {
    type->fetch(type.instance(), call.get(), as_text(resource), as_text(version), {}, tree.get(),
                reply);
  });
}

Outcome<std::string> ArchiveHost::get(const std::string& resource, quarry::testing::Tree& tree) {
  const auto version = resolve(resource);
  if (!version) return version.failure();
  return fetch(resource, *version, tree);
}

std::string ArchiveHost::sent(std::size_t number, const char* name) const {
  return std::string(header(http.requests.at(number).headers, name));
}

HttpResponse ArchiveHost::serve(const HttpRequest& request) const {
  if (!etag.empty() && header(request.headers, "if-none-match") == etag) return {304, {}, {}};
  HttpResponse out{200, {{"Content-Length", std::to_string(body.size()), {}}}, body};
  if (!etag.empty()) out.headers.push_back({"ETag", etag, {}});
  return out;
}

FetchedArchive::FetchedArchive(const std::string& body, const std::string& members,
                               const std::string& configuration) {
  ArchiveHost host(configuration);
  host.body = body;
  const auto got = host.get(R"({"url":"https://example.org/x.tar")" + members + "}", tree);
  if (got) notes = json::strings(*got, "notes");
  if (!got) failure = got.failure();
}

std::string plain_with(const std::string& members) {
  return R"({"url":"https://example.org/x.tar",)" + members + "}";
}

}  // namespace quarry::resource_archive::testing
