/// Fetches a package of a static index in a folder and writes its files, for a comparison of their
/// bytes with those of pip: pypi_files INDEX_FOLDER RESOURCE OUTPUT_FOLDER.
#include <quarry/testing.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

namespace {

namespace fs = std::filesystem;
using quarry::as_text;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The file that a web server has for `url`.
quarry::HttpResponse answer(const fs::path& folder, const std::string& url) {
  std::string path = url.substr(url.find('/', std::string("http://").size()) + 1);
  if (path.ends_with('/')) path += "index.html";
  if (!fs::exists(folder / path)) return {404, {}, {}};
  return {200, {{"content-type", "text/html", {}}}, text_of(folder / path)};
}

int fail(const quarry::Failure& failure) {
  std::cerr << failure.message << "\n";
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const fs::path output(arguments[3]);
  quarry::testing::FakeHttp http;
  http.answer = [&](const quarry::HttpRequest& request) {
    return answer(arguments[1], request.url);
  };
  quarry::testing::Component<quarry_resource_v1> type{
      quarry_plugin_entry_v1, QUARRY_RESOURCE, "pypi", "{}", {{QUARRY_HTTP, http.get()}}};
  const quarry::testing::FakeCall call;
  const quarry::detail::Heard resource, version, fetched;
  quarry::testing::Tree tree;
  tree.scratch = (output / ".scratch").string();
  fs::create_directories(tree.scratch);
  type->normalise(type.instance(), call.get(), as_text(arguments[2]), resource.reply());
  if (!resource.outcome()) return fail(resource.outcome().failure());
  type->resolve(type.instance(), call.get(), as_text(*resource.outcome()), {}, version.reply());
  if (!version.outcome()) return fail(version.outcome().failure());
  type->fetch(type.instance(), call.get(), as_text(*resource.outcome()),
              as_text(*version.outcome()), {}, tree.get(), fetched.reply());
  fs::remove_all(tree.scratch);
  if (!fetched.outcome()) return fail(fetched.outcome().failure());
  for (const auto& [path, bytes] : tree.files) {
    fs::create_directories((output / path).parent_path());
    std::ofstream(output / path, std::ios::binary) << bytes;
  }
  return 0;
}
