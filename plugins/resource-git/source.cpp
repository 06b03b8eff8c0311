#include "resource-git/source.h"

#include "resource-git/forge.h"
#include "resource-git/repository.h"

#include <quarry/json.hpp>

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::resource_git {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kNamesInHint = 8;

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

std::string version_of(const Found& found, const std::string& branch) {
  const std::string name(short_name(found.ref));
  Json version{{"id", found.commit},
               {"immutable", true},
               {"display", name + " at " + found.commit.substr(0, 7)}};
  if (branch.empty() && found.ref.starts_with("refs/heads/"))
    version["resource"] = {{"branch", name}};
  return version.dump();
}

}  // namespace

Source::Source(Host host, Settings settings)
    : host_(host), settings_(settings), remotes_(host, std::move(settings)) {}

Outcome<std::string> Source::resolve(const Call& outer, std::string_view resource) {
  const auto read = read_fields(resource);
  if (!read) return read.failure();
  const Fields& fields = *read;
  if (is_commit(fields.branch)) {
    return Json{{"id", fields.branch}, {"immutable", true}, {"display", fields.branch.substr(0, 7)}}
        .dump();
  }
  const TimedCall timed(host_, outer, settings_.timeout);
  const auto refs = remotes_.refs(timed.call(), fields, wanted_prefixes(fields.branch));
  if (!refs) return in_time(timed, refs.failure(), fields);
  const auto found = find_ref(*refs, fields.branch);
  if (!found) return in_time(timed, missing(timed.call(), fields), fields);
  return version_of(*found, fields.branch);
}

/// The failure for a missing branch; lists existing ones.
Failure Source::missing(const Call& call, const Fields& fields) {
  const auto refs = remotes_.refs(call, fields, {"HEAD", "refs/heads/", "refs/tags/"});
  if (!refs) return refs.failure();
  const std::string url = to_url(fields.location);
  const auto names = nearest(*refs, fields.branch, kNamesInHint);
  if (names.empty()) {
    return {QUARRY_NOT_FOUND,
            "the repository " + url + " is empty: it has no branch yet",
            "Push a commit to it first.",
            {}};
  }
  const auto head = find_ref(*refs, "");
  const std::string standard =
      head && head->ref != "HEAD"
          ? " Its default branch is " + std::string(short_name(head->ref)) + "."
          : "";
  if (fields.branch.empty()) {
    return field_failure("/branch", "is missing, and " + url + " has no default branch",
                         "Set one of its branches: " + joined(names) + ".");
  }
  Failure failure =
      field_failure("/branch", fields.branch + " does not exist in " + url,
                    "The nearest branches and tags are " + joined(names) + "." + standard);
  failure.status = QUARRY_NOT_FOUND;
  return failure;
}

Outcome<std::string> Source::fetch(const Call& outer, std::string_view resource,
                                   std::string_view version, Tree& tree) {
  const auto read = read_fields(resource);
  if (!read) return read.failure();
  const Fields& fields = *read;
  const std::string commit = json::string(version, "id").value_or("");
  if (!is_commit(commit)) {
    return Failure{
        QUARRY_INVALID_ARGUMENT, "a version of a git repository is a commit's 40 digits", {}, {}};
  }
  const TimedCall timed(host_, outer, settings_.timeout);
  const Call& call = timed.call();
  Checkout checkout(host_, call, remotes_, fields, commit);
  const auto notes = checkout.run(tree);
  if (!notes) return in_time(timed, notes.failure(), fields);
  Json metadata{{"permalink", permalink(fields.location, settings_.permalinks)}};
  if (!notes->empty()) metadata["notes"] = *notes;
  return metadata.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Failure Source::in_time(const TimedCall& call, Failure failure, const Fields& fields) const {
  if (failure.status != QUARRY_DEADLINE_EXCEEDED || !call.timed_out()) return failure;
  return {QUARRY_DEADLINE_EXCEEDED,
          to_url(fields.location) + " took longer than " +
              std::to_string(settings_.timeout.count()) + " s",
          "Give a searchPath, or raise timeout_seconds in [resource_type.git].",
          {}};
}

}  // namespace quarry::resource_git
