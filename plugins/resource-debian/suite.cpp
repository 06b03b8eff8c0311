#include "resource-debian/suite.h"

#include "package_source/answer.h"
#include "package_source/digest.h"
#include "package_source/exchange.h"

#include <quarry/json.hpp>

namespace quarry::resource_debian {
namespace {

constexpr std::size_t kMostIndex = std::size_t{32} << 20;
constexpr std::int64_t kFuture = 600;  // seconds that the clocks may differ

// One name for a suite of an archive, verified with a keyring.
std::string name_of(const Wanted& wanted) {
  return package_source::sha256_hex(wanted.suite_url() + '\n' + wanted.keyring);
}

// True for the index of `suite`. That of "buster/updates", as security suites were called until
// Debian 10, calls itself "buster".
bool is_index_of(const Release& release, std::string_view suite) {
  constexpr std::string_view kUpdates = "/updates";
  if (suite == release.suite || suite == release.codename) return true;
  return suite.ends_with(kUpdates) &&
         is_index_of(release, suite.substr(0, suite.size() - kUpdates.size()));
}

// A caller with a token learns nothing about the keyrings of this machine.
Failure of_signature(const Wanted& wanted, const Failure& failed, const std::string& url) {
  if (!wanted.for_project || failed.message.find(wanted.keyring) == std::string::npos) {
    return failed;
  }
  return failure(QUARRY_PERMISSION_DENIED, "the signature of " + url + " cannot be verified here",
                 "ask the owner of this host for the keyring of this archive");
}

Failure is_old(const std::string& url, std::int64_t date, std::int64_t seen) {
  return failure(QUARRY_UNAVAILABLE,
                 url + " is of " + as_day(date) + ", older than that of " + as_day(seen) +
                     " which was seen before",
                 "the mirror is out of date, or replays an old index: try again later, or use "
                 "another mirror");
}

}  // namespace

Seen seen_of(const Wanted& wanted, std::string_view version) {
  const auto release = json::member(version, "release").value_or("{}");
  if (json::string(release, "of") != name_of(wanted)) return {};
  return {json::string(release, "sha256").value_or(""), json::integer(release, "date").value_or(0),
          json::integer(release, "validUntil").value_or(0),
          json::string(release, "etag").value_or(""),
          json::string(release, "modified").value_or("")};
}

std::string seen_json(const Wanted& wanted, const Suite& suite) {
  return "{\"of\":\"" + name_of(wanted) + "\",\"sha256\":\"" + suite.sha256 +
         "\",\"date\":" + std::to_string(suite.release.date) +
         ",\"validUntil\":" + std::to_string(suite.release.valid_until) +
         ",\"etag\":" + json::quoted(suite.etag) + ",\"modified\":" + json::quoted(suite.modified) +
         "}";
}

std::int64_t Suites::now() const {
  const auto* clock = host_.service<quarry_clock_v1>(QUARRY_CLOCK);
  if (clock != nullptr) return clock->wall_ms(clock) / 1000;
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

Outcome<package_source::Document> Suites::ask(const Call& call, const std::string& url,
                                              const package_source::Document& kept) const {
  HttpRequest request{"GET", url, {{"cache-control", "max-age=0", {}}}, {}, {}, -1};
  kept.validators.add_to(request);
  auto response = package_source::receive({host_, call}, request, kMostIndex);
  if (!response) return response.failure();
  if (response->status == 304) return kept;
  if (response->status == 200 && response->body.empty())
    return failure(QUARRY_UNAVAILABLE, url + " is empty", "try again later, or use another mirror");
  if (response->status == 200 && package_source::is_web_page(response->body)) {
    return package_source::web_page_failure(response->body, url);
  }
  if (response->status == 200) {
    return package_source::Document{std::move((*response).body),
                                    package_source::Validators::of(response->headers)};
  }
  Failure failed = http_failure(*response, url);
  if (failed.status == QUARRY_NOT_FOUND) {
    failed.message = "the archive has no suite of this name: " + failed.message;
    failed.hint =
        "check the fields suite and mirror; a flat archive, or one without InRelease, is "
        "not supported";
  }
  return failed;
}

Outcome<Suite> Suites::unchanged(const Wanted& wanted, const Seen& seen) const {
  Suite suite{{}, seen.sha256, seen.etag, seen.modified, true};
  suite.release.date = seen.date;
  suite.release.valid_until = seen.valid_until;
  if (seen.sha256.empty()) {
    return failure(QUARRY_UNAVAILABLE,
                   wanted.suite_url() + "InRelease was answered as unchanged, and was never seen",
                   "try again later, or use another mirror");
  }
  if (auto wrong = check_times(wanted, suite.release)) return *wrong;
  return suite;
}

Problem Suites::check(const Wanted& wanted, const Release& release) const {
  const std::string url = wanted.suite_url() + "InRelease";
  if (!is_index_of(release, wanted.suite)) {
    return failure(QUARRY_DATA_LOSS,
                   url + " is the index of another suite: Suite \"" + shown(release.suite) +
                       "\", Codename \"" + shown(release.codename) + "\"",
                   "name one of these in the field suite, or use another mirror");
  }
  return check_times(wanted, release);
}

Problem Suites::check_times(const Wanted& wanted, const Release& release) const {
  const std::string url = wanted.suite_url() + "InRelease";
  if (release.date > now() + kFuture) {
    return failure(QUARRY_UNAVAILABLE, url + " is of the future: " + as_day(release.date),
                   "check the clock of this machine, or use another mirror");
  }
  if (wanted.check_valid_until && release.valid_until != 0 && release.valid_until < now()) {
    return failure(QUARRY_UNAVAILABLE, url + " expired on " + as_day(release.valid_until),
                   "the mirror is out of date, or replays an old index: use another mirror, or set "
                   "checkValidUntil = false for an archive of the past");
  }
  return std::nullopt;
}

Outcome<Suite> Suites::current(const Call& call, const Wanted& wanted, const Seen& seen) const {
  const std::string url = wanted.suite_url() + "InRelease";
  const std::string name = store_.entry_name("suite-" + name_of(wanted));
  if (call.over()) return call.why();
  auto kept = package_source::kept_document(host_, name).value_or(package_source::Document());
  // Without the text in the cache, what the version remembers still spares a transfer.
  if (kept.body.empty()) kept = {{}, {seen.etag, seen.modified}};
  auto got = ask(call, url, kept);
  if (!got) return got.failure();
  if (got->body.empty()) return unchanged(wanted, seen);
  const bool is_new = got->body != kept.body;
  const auto text = verified(host_, call, got->body, wanted.keyring, url);
  if (!text) return of_signature(wanted, text.failure(), url);
  auto release = read_release(*text);
  if (!release) return release.failure();
  if (auto wrong = check(wanted, *release)) return *wrong;
  std::int64_t newest = seen.date;
  if (is_new && !kept.body.empty()) {
    // What was kept was verified when it was stored, with the same keyring.
    const auto before = read_release(kept.body);
    if (before) newest = std::max(newest, before->date);
  }
  if (release->date < newest) return is_old(url, release->date, newest);
  const package_source::Validators& now = got->validators;
  if (is_new || now.etag != kept.validators.etag) package_source::keep_document(host_, name, *got);
  return Suite{*release, package_source::sha256_hex(got->body), now.etag, now.last_modified, false};
}

}  // namespace quarry::resource_debian
