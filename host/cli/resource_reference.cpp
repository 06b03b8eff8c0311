#include "cli/resource_reference.h"

#include "base/random.h"
#include "base/working_directory.h"
#include "cli/connection.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

bool is_readable_kind(const std::filesystem::file_status& found) {
  return std::filesystem::is_directory(found) || std::filesystem::is_regular_file(found);
}

}  // namespace

Result<std::string> resource_reference(const std::string& text) {
  const bool path = text.starts_with('/') || text.starts_with('.') || text.starts_with('~');
  if (path && text.starts_with('.')) {
    if (const auto there = absolute_path(text); !there) return there.error();
  }
  std::error_code failed;
  const bool readable = is_readable_kind(std::filesystem::status(text, failed));
  if (!readable && path && !text.starts_with('~')) {
    if (failed == std::errc::permission_denied) {
      return Error{Code::kPermissionDenied, "\"" + text + "\" cannot be read", ""};
    }
    Error missing{Code::kNotFound, "there is no folder or file \"" + text + "\"",
                  "Check the spelling."};
    missing.details = {{"/resources", "has a path that does not exist: " + text}};
    return std::move(missing).tagged("CollectionError");
  }
  const bool holds_slash = text.find('/') != std::string::npos && !text.starts_with('@');
  if (!readable || !(path || holds_slash)) return text;
  return std::filesystem::canonical(text, failed).string();
}

Result<Json> recognised(Connection& connection, const std::string& reference) {
  const auto known = connection.call("resources.recognise", to_text({{"reference", reference}}));
  if (!known) return known.error();
  const Json answer = parse_json(*known).value_or(Json());
  if (answer.is_object() && answer.contains("resource") && answer["resource"].is_object()) {
    return answer["resource"];
  }
  return Error{Code::kInternal, "the answer has no resource for \"" + reference + "\""};
}

bool is_folder_or_file(const std::string& text) {
  std::error_code ignored;
  return is_readable_kind(std::filesystem::status(text, ignored));
}

Result<Json> recognised_source(Connection& connection, const std::string& source) {
  std::error_code ignored;
  if (is_folder_or_file(source)) {
    return recognised(connection, std::filesystem::canonical(source, ignored).string());
  }
  const auto reference = resource_reference(source);
  if (!reference) return reference.error();
  return recognised(connection, *reference);
}

Result<std::vector<std::string>> resource_names(Connection& connection) {
  const auto listed = connection.call("resources.list", "{}");
  if (!listed) return listed.error();
  const auto list = parse_json(*listed);
  if (!list) return list.error();
  std::vector<std::string> names;
  for (const Json& one : (*list)["resources"]) names.push_back(one.value("name", ""));
  return names;
}

Result<std::vector<std::string>> resource_references(Connection& connection,
                                                     const std::vector<std::string>& texts) {
  std::vector<std::string> references;
  for (const std::string& text : texts) {
    auto reference = resource_reference(text);
    std::error_code ignored;
    if (!text.contains('/') && reference && *reference == text &&
        std::filesystem::exists(text, ignored)) {
      const auto names = resource_names(connection);
      if (!names) return names.error();
      if (std::ranges::find(*names, text) == names->end())
        reference = resource_reference("./" + text);
    }
    if (!reference) return std::move(reference).error();
    references.push_back(std::move(*reference));
  }
  return references;
}

std::string fresh_thread() {
  return random_hex(6);
}

Result<std::string> last_thread(Connection& connection) {
  const auto listed = connection.call("threads.list", "{}");
  if (!listed) return listed.error();
  const Json threads = (*parse_json(*listed))["threads"];
  for (const Json& thread : threads) {
    if (!thread.value("single", false)) return thread["id"].get<std::string>();
  }
  return Error{Code::kNotFound, "there is no conversation to continue",
               "Ask without --continue first: every question starts one."};
}

Option resource_option(std::vector<std::string>& resources, const std::string& help) {
  return {"-r,--resource",
          "NAME|PATH|REFERENCE",
          help + ": a name, a folder, or a reference such as npm:react@18",
          &resources,
          {.one_each = true}};
}

}  // namespace quarry::cli
