#include "resource-pypi/fields.h"

#include <quarry/json.hpp>
#include <quarry/percent.hpp>

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::resource_pypi {
namespace {

using Json = nlohmann::json;

std::string written(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The URL of an index in its normal form, or what is wrong with it.
std::pair<std::string, std::string> index_url(const std::string& text) {
  std::string why;
  auto url = Url::parse(text, &why);
  if (!url) return {{}, why};
  if (!url->query.empty() || !url->fragment.empty()) return {{}, "has a query or fragment"};
  if (!url->path.ends_with('/')) url->path += '/';
  return {url->text(), {}};
}

std::string hint_for(const std::string& fault) {
  return fault.find("user") != std::string::npos
             ? "Put \"user:password\" in the field token, as a reference to a secret."
             : "Write the URL of a simple index, as in https://pypi.org/simple/.";
}

Outcome<std::string> checked_index(std::string_view field, const std::string& text) {
  auto [url, fault] = index_url(text);
  if (!fault.empty()) return field_failure(field, fault, hint_for(fault));
  return std::move(url);
}

Outcome<std::string> checked_python(std::string_view field, const std::string& text) {
  const auto version = Version::parse(text);
  if (version && version->base() == *version && version->local.empty()) return version->text();
  return field_failure(field, "is not a version of Python", "Write one such as 3.12.");
}

Outcome<std::string> chosen_index(const Settings& settings, std::string_view resource) {
  const auto said = json::string(resource, "index");
  if (!said || said->empty()) {
    return settings.for_callers && !settings.indexes.empty() ? settings.indexes.front()
                                                             : settings.index;
  }
  auto index = checked_index("/index", *said);
  if (!index || !settings.for_callers) return index;
  std::vector<std::string> open = settings.indexes;
  if (open.empty()) open.push_back(settings.index);
  if (std::find(open.begin(), open.end(), *index) != open.end()) return index;
  return field_failure("/index", "is not one that this server permits",
                       "Leave it out, or ask the server's owner to add it to indexes in "
                       "[resource_type.pypi].");
}

Outcome<std::string> checked_version(const std::string& text) {
  if (text.empty() || text == "latest" || text == "*") return std::string();
  std::string fault;
  const auto specifier = Specifier::parse(text, &fault);
  if (specifier) return specifier->text();
  return field_failure("/version",
                       "has \"" + fault + "\", which is no version specifier of PEP 440",
                       "Write one such as \"2.31.0\", \"==2.*\" or \">=2.28,<3\".");
}

/// "name", "name[extra]==1" and "name@1" as package and version.
std::pair<std::string, std::string> package_and_version(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of("@<>=!~[ (;"), text.size());
  std::string package(text.substr(0, end));
  std::string_view rest = text.substr(end);
  if (rest.starts_with('[')) {  // extras add dependencies, and no files
    rest.remove_prefix(std::min(rest.find(']'), rest.size() - 1) + 1);
  }
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.starts_with('@')) rest.remove_prefix(1);
  return {std::move(package), std::string(rest)};
}

std::string reference_value(const std::string& package, const std::string& version,
                            const std::string& index, int confidence) {
  Json resource{{"name", package}, {"package", package}};
  if (!version.empty()) resource["version"] = version;
  if (!index.empty()) resource["index"] = index;
  return written({{"resource", resource}, {"confidence", confidence}});
}

/// https://pypi.org/project/name/1.0/ and https://pypi.org/simple/name/.
std::string page_reference(const Url& url) {
  const bool main = url.authority() == "pypi.org" || url.authority() == "www.pypi.org";
  if (!main && url.authority() != "test.pypi.org") return "null";
  std::vector<std::string> parts;
  std::string_view rest = url.path;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (!part.empty()) parts.emplace_back(part);
    rest.remove_prefix(part.size());
  }
  if (parts.size() < 2 || (parts[0] != "project" && parts[0] != "simple")) return "null";
  if (!is_project_name(parts[1])) return "null";
  const bool versioned = parts.size() > 2 && parts[0] == "project" && Version::parse(parts[2]);
  return reference_value(parts[1], versioned ? "==" + parts[2] : "",
                         main ? std::string(kPypi) : "https://test.pypi.org/simple/", 95);
}

/// pkg:pypi/name@1.0?repository_url=https://… (the package-url specification).
std::string purl_reference(std::string_view rest) {
  while (rest.starts_with('/')) rest.remove_prefix(1);
  if (!rest.starts_with("pypi/")) return "null";
  rest.remove_prefix(5);
  rest = rest.substr(0, rest.find('#'));
  const std::string_view query =
      rest.find('?') == std::string_view::npos ? "" : rest.substr(rest.find('?') + 1);
  rest = rest.substr(0, rest.find('?'));
  const std::size_t at = std::min(rest.find('@'), rest.size());
  const std::string package(rest.substr(0, at));
  const auto version = from_percent_encoded(rest.substr(std::min(at + 1, rest.size())));
  constexpr std::string_view kKey = "repository_url=";
  std::string index;
  if (const std::size_t key = query.find(kKey); key != std::string_view::npos) {
    const std::string_view value = query.substr(key + kKey.size());
    index = from_percent_encoded(value.substr(0, value.find('&'))).value_or("");
    if (index == "https://pypi.org" || index == "https://pypi.org/") index.clear();
  }
  if (!version) return "null";
  return reference_value(package, version->empty() ? "" : "==" + *version, index, 100);
}

}  // namespace

Outcome<Settings> Settings::read(std::string_view configuration) {
  Settings out;
  if (const auto index = json::string(configuration, "index")) {
    auto url = checked_index("/index", *index);
    if (!url) return url.failure();
    out.index = *url;
  }
  for (const std::string& index : json::strings(configuration, "indexes")) {
    auto url = checked_index("/indexes/" + std::to_string(out.indexes.size()), index);
    if (!url) return url.failure();
    out.indexes.push_back(*url);
  }
  if (const auto files = json::string(configuration, "files")) {
    auto url = checked_index("/files", *files);
    if (!url) return url.failure();
    out.files = *url;
  }
  if (const auto python = json::string(configuration, "python")) {
    auto version = checked_python("/python", *python);
    if (!version) return version.failure();
    out.python = *version;
  }
  out.for_callers = json::string(configuration, "acts_for") == "project";
  return out;
}

Outcome<std::string> normalise(const Settings& settings, std::string_view resource) {
  Json out = Json::object();
  const std::string package = json::string(resource, "package").value_or("");
  if (!is_project_name(package)) {
    return field_failure("/package", "is not the name of a project",
                         "Use letters, digits, '.', '_' and '-', as in requests.");
  }
  out["package"] = normalised_name(package);
  auto version = checked_version(json::string(resource, "version").value_or(""));
  if (!version) return version.failure();
  if (!version->empty()) out["version"] = *version;
  auto index = chosen_index(settings, resource);
  if (!index) return index.failure();
  out["index"] = *index;
  std::string files = settings.files;
  if (const auto said = json::string(resource, "files")) {
    auto url = checked_index("/files", *said);
    if (!url) return url.failure();
    if (settings.for_callers && *url != settings.files) {
      return field_failure("/files", "is not one that this server permits", "Leave it out.");
    }
    files = *url;
  }
  if (!files.empty()) out["files"] = files;
  std::string python = settings.python;
  if (const auto said = json::string(resource, "python")) {
    auto checked = checked_python("/python", *said);
    if (!checked) return checked.failure();
    python = *checked;
  }
  if (!python.empty()) out["python"] = python;
  const std::string format = json::string(resource, "format").value_or("any");
  if (format != "any") out["format"] = format;
  // The token is the name of a secret, by which resolve and fetch ask for its value; the notes stay
  // because this text is also what the host writes to the configuration.
  for (const char* key : {"token", "specialNotes"}) {
    if (const auto text = json::string(resource, key)) out[key] = *text;
  }
  return written(out);
}

Outcome<Fields> read_fields(std::string_view normalised) {
  Fields out;
  const auto text = [&](const char* key) { return json::string(normalised, key).value_or(""); };
  auto index = Url::parse(text("index"));
  auto specifier = Specifier::parse(text("version"));
  if (!index || !specifier) {
    return Failure{QUARRY_INTERNAL, "the host passed a resource that is not normalised", {}, {}};
  }
  out.index = std::move(*index);
  out.requirement = {text("package"), out.index.text(), std::move(*specifier), Format::kAny, {}};
  if (const auto files = Url::parse(text("files"))) out.files = files->plain_host();
  if (text("format") == "sdist") out.requirement.format = Format::kSdist;
  if (text("format") == "wheel") out.requirement.format = Format::kWheel;
  if (!text("python").empty()) out.requirement.python = Version::parse(text("python"));
  return out;
}

std::string parse_reference(std::string_view reference) {
  constexpr std::size_t kLongest = 2048;
  constexpr std::string_view kOwn = "pypi:";
  if (reference.size() > kLongest) return "null";
  if (reference.starts_with(kOwn)) {
    reference.remove_prefix(kOwn.size());
    if (const auto url = Url::parse(reference)) return page_reference(*url);
    auto [package, version] = package_and_version(reference);
    return reference_value(package, version, {}, 100);
  }
  if (reference.starts_with("pkg:")) return purl_reference(reference.substr(4));
  const auto url = Url::parse(reference);
  return url ? page_reference(*url) : "null";
}

}  // namespace quarry::resource_pypi
