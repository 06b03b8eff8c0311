#include "resource-git/failure.h"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resource_git {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Failure answered(int status, std::string body = "", bool with_credentials = false) {
  return explain(Refused{"https://example.org/r", status, std::move(body), "", with_credentials});
}
quarry_status status_of(std::string_view errors) {
  return explain("cannot fetch r", 0, errors).status;
}

TEST(GitRefusal, OfAServerTellsWhatToDo) {
  const auto anonymous = answered(401);
  EXPECT_EQ(anonymous.status, QUARRY_UNAUTHENTICATED);
  EXPECT_THAT(anonymous.message, AllOf(HasSubstr("private or does not exist"), HasSubstr("401")));
  EXPECT_THAT(anonymous.hint, HasSubstr("token"));

  const auto wrong_token = answered(401, "Bad credentials\n", true);
  EXPECT_EQ(wrong_token.status, QUARRY_UNAUTHENTICATED);
  EXPECT_THAT(wrong_token.message,
              AllOf(HasSubstr("refused the credentials"), HasSubstr("Bad credentials")));

  const auto missing = answered(404, "Repository not found.");
  EXPECT_EQ(missing.status, QUARRY_NOT_FOUND);
  EXPECT_THAT(missing.message, HasSubstr("404: Repository not found."));

  EXPECT_EQ(answered(403).status, QUARRY_PERMISSION_DENIED);
  EXPECT_EQ(answered(502).status, QUARRY_UNAVAILABLE);
  EXPECT_EQ(answered(400).status, QUARRY_INVALID_ARGUMENT);
}

TEST(GitRefusal, ForAskingTooOftenSaysHowLongToWait) {
  const auto often = explain(Refused{"https://example.org/r", 429, "slow down", "30", false});
  EXPECT_EQ(often.status, QUARRY_UNAVAILABLE);
  EXPECT_THAT(often.message,
              AllOf(HasSubstr("too many requests"), HasSubstr("slow down"), HasSubstr("30 s")));
  const std::string noon = "Wed, 21 Oct 2026 12:00:00 GMT";
  const auto until = explain(Refused{"https://example.org/r", 429, "", noon, false});
  EXPECT_THAT(until.message, ::testing::EndsWith("; it asks to wait until " + noon));
  EXPECT_EQ(answered(403, "API rate limit exceeded for 192.0.2.1").status, QUARRY_UNAVAILABLE);
}

TEST(GitRefusal, RepeatsNoWebPage) {
  EXPECT_THAT(answered(404, "<!DOCTYPE html><html>…").message, Not(HasSubstr("<")));
  EXPECT_THAT(answered(404, std::string(5000, 'x')).message, Not(HasSubstr("xxxx")));
  EXPECT_THAT(answered(404, "a\x1b[31mb").message, Not(HasSubstr("\x1b")));
}

TEST(GitFailure, IsSortedByGitsOwnWords) {
  const std::pair<const char*, quarry_status> table[] = {
      {"fatal: repository 'https://x/' not found\n", QUARRY_NOT_FOUND},
      {"remote: Repository not found.\nfatal: repository 'https://x/' not found", QUARRY_NOT_FOUND},
      {"fatal: could not read Username for 'https://x': terminal prompts disabled",
       QUARRY_UNAUTHENTICATED},
      {"fatal: Authentication failed for 'https://x/'", QUARRY_UNAUTHENTICATED},
      {"fatal: unable to access 'https://x/': The requested URL returned error: 403",
       QUARRY_PERMISSION_DENIED},
      {"fatal: unable to access 'https://x/': The requested URL returned error: 429",
       QUARRY_UNAVAILABLE},
      {"fatal: unable to access 'https://x/': The requested URL returned error: 503",
       QUARRY_UNAVAILABLE},
      {"fatal: unable to access 'https://x/': Could not resolve host: x", QUARRY_UNAVAILABLE},
      {"fatal: unable to access 'https://x/': server certificate verification failed. CAfile: none",
       QUARRY_UNAVAILABLE},
      {"fatal: unable to access 'http://x/': Failed to connect to x port 80: Connection refused",
       QUARRY_UNAVAILABLE},
      {"error: RPC failed; curl 18 transfer closed\nfatal: early EOF", QUARRY_UNAVAILABLE},
      {"fatal: remote error: upload-pack: not our ref aaaa", QUARRY_NOT_FOUND},
      {"error: Server does not allow request for unadvertised object aaaa", QUARRY_NOT_FOUND},
      {"fatal: couldn't find remote ref refs/heads/x", QUARRY_NOT_FOUND},
      {"git@x: Permission denied (publickey).\nfatal: Could not read from remote repository.",
       QUARRY_UNAUTHENTICATED},
      {"Host key verification failed.\nfatal: Could not read from remote repository.",
       QUARRY_PERMISSION_DENIED},
      {"fatal: write error: No space left on device", QUARRY_RESOURCE_EXHAUSTED},
      {"fatal: Out of memory, malloc failed (tried to allocate 1 bytes)",
       QUARRY_RESOURCE_EXHAUSTED},
      {"error: object aaaa: hasDotgit: contains '.git'\nfatal: fsck error in packed object",
       QUARRY_DATA_LOSS},
      {"fatal: pack is corrupted (SHA1 mismatch)\nfatal: fetch-pack: invalid index-pack output",
       QUARRY_DATA_LOSS},
      {"fatal: pack signature mismatch", QUARRY_DATA_LOSS},
      {"fatal: protocol error: bad pack header", QUARRY_DATA_LOSS},
      {"fetch-pack: unexpected disconnect while reading sideband packet\nfatal: protocol error: "
       "bad "
       "pack header",
       QUARRY_UNAVAILABLE},
      {"error: inflate: data stream error (incorrect header check)\nfatal: pack has bad object at "
       "offset 12: inflate returned -3\nfatal: fetch-pack: invalid index-pack output\nfatal: the "
       "remote end hung up unexpectedly",
       QUARRY_DATA_LOSS},
      {"fatal: pack has 3 unresolved deltas", QUARRY_DATA_LOSS},
      {"fatal: failed to apply delta", QUARRY_DATA_LOSS},
      {"error: remote did not send all necessary objects", QUARRY_DATA_LOSS},
      {"fatal: early EOF\nfatal: fetch-pack: invalid index-pack output", QUARRY_UNAVAILABLE},
      {"fatal: unable to access 'https://x/': The requested URL returned error: 302",
       QUARRY_UNAVAILABLE},
      {"fatal: something new", QUARRY_INTERNAL}};
  for (const auto& [errors, status] : table) EXPECT_EQ(status_of(errors), status) << errors;
}

TEST(GitFailure, IsNotSortedByTheNameOfTheRepository) {
  const auto failed = explain(
      "cannot fetch x", 0,
      "fatal: unable to access 'https://x/foliojs/tiny-inflate/': The requested URL returned "
      "error: 502\n");
  EXPECT_EQ(failed.status, QUARRY_UNAVAILABLE);
  EXPECT_THAT(failed.message, HasSubstr("tiny-inflate"));
  EXPECT_EQ(failed.hint, "The server has a problem; try again later.");
  EXPECT_EQ(
      explain("x", 0, "fatal: unable to access 'https://x/openssl/': Connection refused").hint,
      "Check that the server runs, and its port.");
  EXPECT_FALSE(is_local_damage("fatal: unable to access 'https://x/packfile/': it is gone"));
}

TEST(GitFailure, OfASlowServerNamesTheMinimumSpeed) {
  const auto slow =
      explain("cannot fetch x", 0,
              "error: RPC failed; curl 28 Operation too slow. Less than 1000 bytes/sec "
              "transferred the last 30 seconds\nfatal: early EOF\n");
  EXPECT_EQ(slow.status, QUARRY_UNAVAILABLE);
  EXPECT_EQ(slow.message, "cannot fetch x: the server was slower than 1 kB/s for 30 s");
}

TEST(GitFailure, SaysWhatGitSaidWithoutItsChatter) {
  EXPECT_EQ(explain("cannot fetch r", 0,
                    "remote: Enumerating objects: 9, done.\nwarning: redirecting to x\n"
                    "remote: Repository not found.\nerror: first\nfatal: it is gone\n")
                .message,
            "cannot fetch r: it is gone (remote: Repository not found.)");
  EXPECT_EQ(words_of("error: only this\n"), "only this");
  EXPECT_THAT(explain("cannot fetch r", 0, "").message, HasSubstr("without a message"));
}

TEST(GitFailure, NamesTheCauseRatherThanItsConsequence) {
  const auto full = explain("cannot fetch r", 0,
                            "fatal: write error: No space left on device\n"
                            "fatal: fetch-pack: invalid index-pack output\n");
  EXPECT_EQ(full.status, QUARRY_RESOURCE_EXHAUSTED);
  EXPECT_EQ(full.message, "cannot fetch r: write error: No space left on device");
  EXPECT_THAT(disk_full("cannot fetch r", "/cache").message,
              HasSubstr("No space left on device beneath /cache"));
}

TEST(GitFailure, OfAServerWithAnotherKeyDoesNotTellToTrustIt) {
  const auto changed = explain(
      "cannot ask r", 0,
      "@@@@@@@@@@@\n@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\n@@@@@@@@@@@\n"
      "IT IS POSSIBLE THAT SOMEONE IS DOING SOMETHING NASTY!\n"
      "Offending key in /home/me/.ssh/known_hosts:1\nHost key verification failed.\n"
      "fatal: Could not read from remote repository.\n");
  EXPECT_EQ(changed.status, QUARRY_PERMISSION_DENIED);
  EXPECT_THAT(changed.message, HasSubstr("known_hosts:1 Host key verification failed."));
  EXPECT_THAT(changed.message, Not(HasSubstr("NASTY")));
  EXPECT_THAT(changed.hint, HasSubstr("Verify the server"));
}

TEST(GitFailure, BySignalNamesTheLimitOrTheSignal) {
  EXPECT_EQ(explain("x", SIGXFSZ, "").status, QUARRY_RESOURCE_EXHAUSTED);
  EXPECT_THAT(explain("x", SIGKILL, "").message, HasSubstr("signal 9"));
}

TEST(GitFailure, KnowsWhenTheCopyIsToBlame) {
  EXPECT_TRUE(
      is_local_damage("error: object file objects/aa/bb is empty\nfatal: loose object corrupt"));
  EXPECT_TRUE(is_local_damage("fatal: packfile x is corrupt"));
  EXPECT_FALSE(is_local_damage("fatal: Authentication failed"));
}

}  // namespace
}  // namespace quarry::resource_git
