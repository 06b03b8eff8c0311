// Resolves and fetches a resource through the plugin's entry, with curl for HTTP and programs run
// for real, so that a test can compare its files: debian_fetch <resource as JSON> <directory for
// files> <cache directory>. Prints the version and the metadata, or the failure. Links become files
// with the text "link".
#include <quarry/paths.h>
#include <quarry/testing.hpp>
#include <quarry/testing_process.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace fs = std::filesystem;
using quarry::testing::Reply;

namespace {

std::string cache_folder;

std::string run(const std::string& command) {
  std::string out;
  FILE* pipe = ::popen(command.c_str(), "re");
  char buffer[65536];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe))
    out.append(buffer, count);
  ::pclose(pipe);
  return out;
}

// The URLs are the test's own, and have no quotes.
quarry::Outcome<quarry::HttpResponse> answer(const quarry::HttpRequest& request) {
  std::string command = "curl -s -i -m 300 --http1.1 -X " + request.method;
  for (const auto& header : request.headers)
    command += " -H '" + header.name + ": " + header.value + "'";
  const std::string all = run(command + " '" + request.url + "'");
  const std::size_t end = all.find("\r\n\r\n");
  if (end == std::string::npos)
    return quarry::Failure{QUARRY_UNAVAILABLE, request.url + " sent nothing", {}, {}};
  quarry::HttpResponse out{std::stoi(all.substr(9, 3)), {}, all.substr(end + 4)};
  std::size_t at = all.find("\r\n") + 2;
  while (at < end + 2) {
    const std::size_t stop = all.find("\r\n", at);
    const std::string line = all.substr(at, stop - at);
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos)
      out.headers.push_back({line.substr(0, colon), line.substr(colon + 2), {}});
    at = stop + 2;
  }
  return out;
}

int print(const quarry::Failure& failure) {
  std::cout << failure.status << ": " << failure.message << " (" << failure.hint << ")\n";
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const std::string resource = arguments[1];
  const fs::path out = arguments[2];
  cache_folder = fs::absolute(arguments[3]).string();
  fs::create_directories(cache_folder);
  fs::create_directories(out.string() + ".scratch");
  quarry::testing::FakeHttp http;
  http.answer = answer;
  quarry::testing::RealProcesses processes;
  const quarry_paths_v1 paths{sizeof paths, nullptr,
                              [](const quarry_paths_v1*) { return quarry::as_text(cache_folder); },
                              [](const quarry_paths_v1*) { return quarry::as_text(cache_folder); }};
  quarry::testing::FakeHost host;
  host.offer(QUARRY_HTTP, http.get());
  host.offer(QUARRY_PROCESS, processes.get());
  host.offer(QUARRY_PATHS, &paths);
  const quarry_component& component = *quarry_plugin_entry_v1.components[0];
  const auto* table = static_cast<const quarry_resource_v1*>(component.table);
  const quarry::testing::FakeCall call;
  void* instance = nullptr;
  const quarry::detail::Heard made, normal, version, metadata;
  component.create(host.get(), call.get(), quarry::as_text(std::string_view("{}")), &instance,
                   made.reply());
  table->normalise(instance, call.get(), quarry::as_text(resource), normal.reply());
  if (!normal.outcome()) return print(normal.outcome().failure());
  table->resolve(instance, call.get(), quarry::as_text(*normal.outcome()), {}, version.reply());
  if (!version.outcome()) return print(version.outcome().failure());
  std::cout << *version.outcome() << '\n';
  quarry::testing::Tree tree;
  tree.scratch = out.string() + ".scratch";
  table->fetch(instance, call.get(), quarry::as_text(*normal.outcome()),
               quarry::as_text(*version.outcome()), {}, tree.get(), metadata.reply());
  component.destroy(instance);
  fs::remove_all(tree.scratch);
  if (!metadata.outcome()) return print(metadata.outcome().failure());
  std::cout << *metadata.outcome() << '\n';
  const auto write = [&](const std::string& path, std::string_view text) {
    fs::create_directories((out / path).parent_path());
    std::ofstream(out / path, std::ios::binary) << text;
  };
  for (const auto& [path, bytes] : tree.files) write(path, bytes);
  for (const auto& path : tree.links) write(path, "link");
  for (const auto& [path, size] : tree.large) write(path, "large");
}
