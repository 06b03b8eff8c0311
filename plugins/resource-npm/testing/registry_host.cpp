#include "resource-npm/testing/registry_host.h"

#include "package_source/digest.h"
#include "resource-npm/package_name.h"

#include <quarry/base64.hpp>

#include <cstdlib>

namespace quarry::resource_npm::testing {
namespace fs = std::filesystem;

namespace {

std::string told(const Outcome<std::string>& outcome) {
  if (outcome) return *outcome;
  const Failure& failure = outcome.failure();
  return std::to_string(failure.status) + ": " + failure.message + " | " + failure.hint;
}

}  // namespace

TempDirectory::TempDirectory() {
  std::string name = (fs::temp_directory_path() / "quarry-npm-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  path_ = name;
}

TempDirectory::~TempDirectory() {
  fs::remove_all(path_);
}

std::string sha512_of(std::string_view bytes) {
  package_source::Digest digest("sha512");
  digest.add(bytes);
  return "sha512-" + to_base64(digest.bytes());
}

RegistryHost::RegistryHost()
    : cache_((directory.path() / "cache").string()),
      paths_{sizeof paths_, this,
             [](const quarry_paths_v1* self) {
               return as_text(static_cast<RegistryHost*>(self->context)->cache_);
             },
             nullptr},
      secrets_{sizeof secrets_, this, nullptr,
               [](const quarry_secrets_v1* self, quarry_text value) {
                 static_cast<RegistryHost*>(self->context)->hidden.emplace_back(as_view(value));
               }} {
  fs::create_directory(cache_);
  fake.offer(QUARRY_PATHS, &paths_);
  fake.offer(QUARRY_SECRETS, &secrets_);
  fake.offer(QUARRY_HTTP, http.get());
  http.response = {404, {}, R"({"error":"Not found"})"};
}

void RegistryHost::publish(const std::string& registry, const std::string& package,
                           const std::map<std::string, std::string>& versions,
                           const std::string& tags) {
  std::string body = R"({"name":")" + package + R"(","dist-tags":)" + tags + R"(,"versions":{)";
  const char* comma = "";
  for (const auto& [version, dist] : versions) {
    body += std::string(comma) + "\"" + version + R"(":{"dist":)" + dist + "}";
    comma = ",";
  }
  answer(registry + name_in_url(package), 200, body + "}}", {{"ETag", "\"one\"", {}}});
}

void RegistryHost::answer(const std::string& url, int status, const std::string& body,
                          std::vector<HttpHeader> headers) {
  http.responses[url] = {status, std::move(headers), body};
}

Packages RegistryHost::packages() {
  return Packages(host(), settings, [this](const std::string& name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  });
}

std::string RegistryHost::resolve(const std::string& resource) {
  return told(packages().resolve(Call(call.get()), resource));
}

std::string RegistryHost::fetch(const std::string& resource, const std::string& version) {
  const TempDirectory scratch;
  tree.clear();
  tree.scratch = scratch.path().string();
  Tree files(tree.get());
  return told(packages().fetch(Call(call.get()), resource, version, files));
}

std::string RegistryHost::sent(const std::string& url, const char* name) const {
  for (auto request = http.requests.rbegin(); request != http.requests.rend(); ++request) {
    if (request->url != url) continue;
    for (const HttpHeader& header : request->headers) {
      if (header.name == name) return header.value + header.secret;
    }
    break;
  }
  return "none";
}

}  // namespace quarry::resource_npm::testing
