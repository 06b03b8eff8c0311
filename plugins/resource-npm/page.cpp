#include "resource-npm/page.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::resource_npm {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kMostReadme = std::size_t{1} << 20;
constexpr std::size_t kMostItems = 300;
constexpr std::size_t kMostText = 2000;
constexpr std::size_t kMostMembers = 20'000;

/// The object; empty for any other text, and for one with more members than a package has: an
/// object that keeps its order looks at all members for each new one.
OrderedJson object_of(std::string_view text) {
  const bool is_usual = static_cast<std::size_t>(std::ranges::count(text, ':')) <= kMostMembers;
  auto object = is_usual ? OrderedJson::parse(text, nullptr, false) : OrderedJson();
  if (!object.is_object()) object = OrderedJson::object();
  return object;
}

/// `text` on one line, shortened.
std::string line_of(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kMostText)) {
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

std::string code(std::string_view text) {
  std::string out = line_of(text);
  std::ranges::replace(out, '`', '\'');
  return "`" + out + "`";
}

std::string string_at(const OrderedJson& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? line_of(found->get<std::string>())
                                                     : std::string();
}

class Page {
 public:
  explicit Page(const OrderedJson& package) : package_(package) {}

  void fact(const char* name, const std::string& value) {
    if (!value.empty()) out_ += std::string("- ") + name + ": " + value + "\n";
  }
  void fact_of(const char* name, const char* key) { fact(name, string_at(package_, key)); }

  /// A list beneath a heading, limited to the first kMostItems.
  void list(const char* heading, const std::vector<std::string>& items) {
    if (items.empty()) return;
    out_ += std::string("\n### ") + heading + "\n\n";
    const std::size_t told = std::min(items.size(), kMostItems);
    for (std::size_t i = 0; i < told; ++i) out_ += "- " + items[i] + "\n";
    if (told < items.size()) out_ += "- and " + std::to_string(items.size() - told) + " more\n";
  }
  void paragraph(const std::string& text) {
    if (!text.empty()) out_ += text + "\n\n";
  }
  std::string take() { return std::move(out_); }

 private:
  const OrderedJson& package_;
  std::string out_;
};

std::string license_of(const OrderedJson& package) {
  std::string plain = string_at(package, "license");
  if (!plain.empty() || !package.contains("license")) return plain;
  return string_at(package["license"], "type");
}

/// "git+https://host/x.git", "github:x/y", "x/y" as a link to follow.
std::string link_of(std::string url) {
  if (url.starts_with("git+")) url.erase(0, 4);
  if (url.starts_with("git://")) url.replace(0, 6, "https://");
  if (url.starts_with("git@")) {
    std::replace(url.begin(), url.begin() + static_cast<std::ptrdiff_t>(url.find('/')), ':', '/');
    url.replace(0, 4, "https://");
  }
  if (url.ends_with(".git")) url.resize(url.size() - 4);
  for (const auto& [prefix, host] :
       {std::pair{"github:", "https://github.com/"}, std::pair{"gitlab:", "https://gitlab.com/"},
        std::pair{"bitbucket:", "https://bitbucket.org/"}}) {
    if (url.starts_with(prefix)) return host + url.substr(std::string_view(prefix).size());
  }
  const bool short_form = std::ranges::count(url, '/') == 1 && url.find(':') == std::string::npos;
  return short_form ? "https://github.com/" + url : url;
}

std::string repository_of(const OrderedJson& package) {
  if (!package.contains("repository")) return {};
  const OrderedJson& repository = package["repository"];
  const std::string url =
      repository.is_string() ? string_at(package, "repository") : string_at(repository, "url");
  if (url.empty()) return {};
  const std::string directory = string_at(repository, "directory");
  return link_of(url) + (directory.empty() ? "" : ", in its folder " + code(directory));
}

std::string bugs_of(const OrderedJson& package) {
  std::string plain = string_at(package, "bugs");
  if (!plain.empty() || !package.contains("bugs")) return plain;
  return string_at(package["bugs"], "url");
}

/// "`name` range" of each member, with a mark on those that `meta` calls optional.
std::vector<std::string> ranges_of(const OrderedJson& package, const char* key,
                                   const char* meta = "") {
  std::vector<std::string> out;
  const auto found = package.find(key);
  if (found == package.end() || !found->is_object()) return out;
  const auto marks = package.find(meta);
  for (const auto& [name, range] : found->items()) {
    if (!range.is_string()) continue;
    std::string item = code(name) + " " + line_of(range.get<std::string>());
    const bool marked = marks != package.end() && marks->is_object() && marks->contains(name);
    if (marked && (*marks)[name].is_object() &&
        (*marks)[name].value("optional", OrderedJson()) == true) {
      item += " (optional)";
    }
    out.push_back(std::move(item));
  }
  return out;
}

/// "`./server` (import, types): `./server.d.mts`" for each file that "exports" refers to; those
/// that no list shows have no text, which might repeat long conditions for each of them.
void add_exports(const OrderedJson& value, const std::string& entry, const std::string& conditions,
                 int depth, std::vector<std::string>& out) {
  constexpr int kDeepest = 8;
  if (depth > kDeepest) return;
  if (value.is_string() && out.size() >= kMostItems) {
    out.emplace_back();
  } else if (value.is_string()) {
    out.push_back(code(entry) + (conditions.empty() ? "" : " (" + conditions + ")") + ": " +
                  code(value.get<std::string>()));
  }
  if (value.is_array()) {
    for (const OrderedJson& each : value) add_exports(each, entry, conditions, depth + 1, out);
  }
  if (!value.is_object()) return;
  for (const auto& [key, inner] : value.items()) {
    const bool is_entry = key.starts_with('.') && depth == 0;
    add_exports(inner, is_entry ? key : entry,
                is_entry             ? conditions
                : conditions.empty() ? line_of(key)
                                     : conditions + ", " + line_of(key),
                depth + 1, out);
  }
}

std::vector<std::string> entries_of(const OrderedJson& package) {
  std::vector<std::string> out;
  for (const char* key : {"main", "module", "browser", "types", "typings"}) {
    const std::string file = string_at(package, key);
    if (!file.empty()) out.push_back(std::string(key) + ": " + code(file));
  }
  if (package.contains("exports")) add_exports(package["exports"], ".", "", 0, out);
  return out;
}

std::vector<std::string> programs_of(const OrderedJson& package) {
  std::vector<std::string> out;
  if (const std::string file = string_at(package, "bin"); !file.empty()) out.push_back(code(file));
  if (!package.contains("bin") || !package["bin"].is_object()) return out;
  for (const auto& [name, file] : package["bin"].items()) {
    if (file.is_string()) out.push_back(code(name) + ": " + code(file.get<std::string>()));
  }
  return out;
}

std::string keywords_of(const OrderedJson& package) {
  std::string out;
  const auto found = package.find("keywords");
  if (found == package.end() || !found->is_array()) return out;
  for (const OrderedJson& word : *found) {
    if (word.is_string() && out.size() < kMostText) {
      out += (out.empty() ? "" : ", ") + line_of(word.get<std::string>());
    }
  }
  return out;
}

}  // namespace

std::string page_of(std::string_view package_json, std::string_view readme,
                    std::string_view deprecated) {
  const OrderedJson package = object_of(package_json);
  const std::string name = string_at(package, "name");
  std::string out(readme.substr(0, kMostReadme));
  if (!out.empty()) out += out.ends_with('\n') ? "\n" : "\n\n";
  Page page(package);
  page.paragraph("## About the npm package " + (name.empty() ? "" : code(name)));
  if (!deprecated.empty()) page.paragraph("Deprecated: " + line_of(deprecated));
  page.paragraph(string_at(package, "description"));
  page.fact_of("Version", "version");
  page.fact("License", license_of(package));
  page.fact("Repository", repository_of(package));
  page.fact_of("Homepage", "homepage");
  page.fact("Issues", bugs_of(package));
  page.fact("Keywords", keywords_of(package));
  if (package.contains("engines")) page.fact("Node.js", string_at(package["engines"], "node"));
  page.list("Entry points", entries_of(package));
  page.list("Programs", programs_of(package));
  page.list("Dependencies", ranges_of(package, "dependencies"));
  page.list("Peer dependencies", ranges_of(package, "peerDependencies", "peerDependenciesMeta"));
  page.list("Optional dependencies", ranges_of(package, "optionalDependencies"));
  return out + page.take();
}

std::string page_name(const std::set<std::string>& names) {
  std::string number;
  for (int next = 2; names.contains("npm-package" + number + ".md"); ++next) {
    number = "-" + std::to_string(next);
  }
  return "NPM-PACKAGE" + number + ".md";
}

}  // namespace quarry::resource_npm
