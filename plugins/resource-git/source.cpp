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

Json version_at(const Found& found, const Fields& fields) {
  Json version{
      {"id", found.commit},
      {"immutable", true},
      {"display", std::string(short_name(found.ref)) + " at " + found.commit.substr(0, 7)}};
  if (!fields.search_paths.empty()) version["ref"] = found.ref;  // for continue_branch
  return version;
}

std::string version_of_commit(const std::string& commit) {
  return Json{{"id", commit}, {"immutable", true}, {"display", commit.substr(0, 7)}}.dump();
}

std::string version_of(const Found& found, const Fields& fields) {
  Json version = version_at(found, fields);
  if (fields.branch.empty() && found.ref.starts_with("refs/heads/"))
    version["resource"] = {{"branch", short_name(found.ref)}};
  return version.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Source::Source(Host host, Settings settings)
    : host_(host), settings_(settings), remotes_(host, std::move(settings)) {}

Outcome<std::string> Source::resolve(const Call& outer, std::string_view resource) {
  const auto read = read_fields(resource);
  if (!read) return read.failure();
  const Fields& fields = *read;
  if (is_commit(fields.branch)) return version_of_commit(fields.branch);
  const TimedCall timed(host_, outer, settings_.timeout);
  const auto refs = remotes_.refs(timed.call(), fields, wanted_prefixes(fields.branch));
  if (!refs) return in_time(timed, refs.failure(), fields);
  const auto found = find_ref(*refs, fields.branch);
  if (found) return version_of(*found, fields);
  if (!fields.search_paths.empty()) {
    const auto continued = find_continued_ref(*refs, fields.branch, fields.search_paths.front());
    if (continued) return version_of(continued->found, fields);
  }
  if (is_short_commit(fields.branch)) {
    auto version = resolve_short_commit(timed.call(), fields);
    return version ? version : in_time(timed, version.failure(), fields);
  }
  return in_time(timed, missing(timed.call(), fields), fields);
}

/// A remote finds no commit by its first digits, but lists those that refs lead to.
Outcome<std::string> Source::resolve_short_commit(const Call& call, const Fields& fields) {
  const auto refs = remotes_.refs(
      call, fields, {"HEAD", "refs/heads/", "refs/tags/", "refs/pull/", "refs/merge-requests/"});
  if (!refs) return refs.failure();
  const auto commits = commits_beginning_with(*refs, fields.branch);
  if (commits.size() == 1) return version_of_commit(commits.front());
  const std::string which = commits.empty() ? "no branch or tag leads to a commit that begins so"
                                            : std::to_string(commits.size()) + " commits begin so";
  Failure failure = field_failure(
      "/branch", fields.branch + " is not found in " + to_url(fields.location) + ": " + which,
      "If it is a commit, give all 40 digits: a server finds no commit by its first ones.");
  failure.status = QUARRY_NOT_FOUND;
  return failure;
}

/// Gives a branch that goes on in the search path its whole name: that of `ref`, as resolve found
/// it, or of the remote's ref when that is empty, as in a lock file.
void Source::continue_branch(const Call& call, Fields& fields, std::string ref) {
  if (fields.branch.empty() || is_commit(fields.branch) || fields.search_paths.empty()) return;
  std::string& path = fields.search_paths.front();
  if (ref.empty()) {
    const auto refs = remotes_.refs(call, fields, wanted_prefixes(fields.branch));
    if (!refs || find_ref(*refs, fields.branch)) return;
    const auto continued = find_continued_ref(*refs, fields.branch, path);
    if (!continued) return;
    ref = continued->found.ref;
  }
  const std::string begin = fields.branch + "/";
  const std::string_view name = short_name(ref);
  if (!name.starts_with(begin)) return;
  const std::string_view continued = name.substr(begin.size());
  fields.branch = name;
  if (path == continued) {
    fields.search_paths.erase(fields.search_paths.begin());
  } else {
    path.erase(0, continued.size() + 1);
  }
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
  Fields fields = *read;
  const std::string commit = json::string(version, "id").value_or("");
  if (!is_commit(commit)) {
    return Failure{
        QUARRY_INVALID_ARGUMENT, "a version of a git repository is a commit's 40 digits", {}, {}};
  }
  const TimedCall timed(host_, outer, settings_.timeout);
  const Call& call = timed.call();
  continue_branch(call, fields, json::string(version, "ref").value_or(""));
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
