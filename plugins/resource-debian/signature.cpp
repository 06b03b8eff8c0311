// Verifies the signature of an index by gpgv, which the host runs.
#include "resource-debian/release.h"

#include <quarry/process.hpp>

#include <algorithm>

namespace quarry::resource_debian {
namespace {

constexpr std::string_view kBegin = "-----BEGIN PGP SIGNED MESSAGE-----";
constexpr std::string_view kSignature = "-----BEGIN PGP SIGNATURE-----";
constexpr std::string_view kEnd = "-----END PGP SIGNATURE-----";
// Of what gpgv says about an index, which may have many signers and a short text.
constexpr std::size_t kMostErrors = std::size_t{1} << 20;
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 29;

// One signed message and nothing around it: gpgv accepts more, and tells not which part it signed.
bool is_one_signed_message(std::string_view text) {
  const auto is_line = [](std::string_view line, std::string_view wanted) {
    return trimmed(line) == wanted;
  };
  if (!is_line(next_line(text), kBegin)) return false;
  int stage = 0;  // 0: signed text, 1: signature, 2: after it
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (is_line(line, kBegin)) return false;
    if (is_line(line, kSignature) && stage++ != 0) return false;
    if (is_line(line, kEnd) && stage++ != 1) return false;
    if (stage == 2 && !trimmed(line).empty() && !is_line(line, kEnd)) return false;
  }
  return stage == 2;
}

// What gpgv said about the signatures of a text.
struct Said {
  bool good = false;     // by a key of the keyring that is neither expired nor revoked
  bool bad = false;      // made by a key of the keyring for another text
  bool weak = false;     // good, but of MD5, SHA-1 or RIPEMD-160
  bool expired = false;  // the key or the signature
  std::string unknown;   // a key that the keyring does not have
};

Said said_by(std::string_view status) {
  Said out;
  bool good_key = false;
  while (!status.empty()) {
    const auto parts = words(next_line(status));
    if (parts.size() < 2 || parts[0] != "[GNUPG:]") continue;
    const std::string_view what = parts[1];
    if (what == "NEWSIG") good_key = false;
    if (what == "GOODSIG") good_key = true;
    if (what == "BADSIG") out.bad = true;
    if (what == "EXPKEYSIG" || what == "EXPSIG" || what == "REVKEYSIG") out.expired = true;
    if (what == "NO_PUBKEY" && parts.size() > 2) out.unknown = parts[2];
    if (what != "VALIDSIG" || !good_key) continue;
    const std::string_view hash = parts.size() > 9 ? parts[9] : "1";
    (hash == "1" || hash == "2" || hash == "3" ? out.weak : out.good) = true;
    good_key = false;
  }
  return out;
}

Failure refusal(const Said& said, std::string_view errors, const std::string& keyring,
                const std::string& url) {
  const std::string of = "the signature of " + url;
  const auto says = [&](std::string_view text) {
    return errors.find(text) != std::string_view::npos;
  };
  if (says("keyblock resource") && says("No such file")) {
    return quarry::field_failure("/keyring", "names the file " + keyring + ", which does not exist",
                                 "install the package debian-archive-keyring, or name the keyring "
                                 "of this archive");
  }
  if (says("Permission denied")) {
    return quarry::field_failure("/keyring", "names the file " + keyring + ", which cannot be read",
                                 "make it readable for this user");
  }
  if (says("invalid packet") || says("read_block: read error") || says("invalid keyring")) {
    return quarry::field_failure(
        "/keyring", "names the file " + keyring + ", which is no keyring in binary form",
        "convert it: gpg --dearmor < key.asc > key.gpg");
  }
  if (said.bad) {
    return failure(QUARRY_DATA_LOSS, of + " is wrong: the index was changed after it was signed",
                   "use another mirror; the one named is broken, or not to be trusted");
  }
  if (said.expired) {
    return failure(QUARRY_DATA_LOSS, of + " was made by an expired or revoked key",
                   "update the keyring " + keyring + " (package debian-archive-keyring)");
  }
  if (said.weak) {
    return failure(QUARRY_DATA_LOSS, of + " uses a digest that is no longer secure",
                   "ask the archive to sign with SHA-256 or SHA-512");
  }
  if (!said.unknown.empty()) {
    return failure(QUARRY_DATA_LOSS,
                   of + " is by the key " + shown(said.unknown) + ", which is not in " + keyring,
                   "name the keyring of this archive in the field keyring, or update "
                   "debian-archive-keyring");
  }
  return failure(QUARRY_DATA_LOSS, of + " is missing or malformed",
                 "check the address of the mirror; a login page of the network may stand there");
}

Failure not_verified(const std::string& url, const std::string& why) {
  return failure(QUARRY_UNAVAILABLE, "the signature of " + url + " cannot be verified: " + why,
                 "try again; if this repeats, use another mirror of the archive");
}

// Why gpgv told nothing about a signature.
Failure not_run(Failure failed, const std::string& url) {
  if (failed.status == QUARRY_RESOURCE_EXHAUSTED || failed.status == QUARRY_CANCELLED) {
    return not_verified(url, "gpgv writes more than 1 MiB about it");
  }
  if (failed.status == QUARRY_DEADLINE_EXCEEDED) {
    return not_verified(url, "gpgv takes longer than a minute");
  }
  failed.message =
      "gpgv, which verifies the signature of an archive, did not run: " + failed.message;
  if (failed.hint.empty()) failed.hint = "install the package gpgv";
  return failed;
}

}  // namespace

Outcome<std::string> verified(const Host& host, const Call& call, std::string_view text,
                              const std::string& keyring, const std::string& url) {
  if (!is_one_signed_message(text)) return refusal({}, {}, keyring, url);
  std::string signed_text;
  std::string errors;
  const quarry::OpenedCall part(host, &call, std::chrono::seconds(60));
  quarry::Process gpgv;
  gpgv.program = "gpgv";
  gpgv.arguments = {"--status-fd", "2", "--keyring", keyring, "--output", "-", "-"};
  gpgv.environment = {"LC_ALL=C"};
  gpgv.input = text;
  gpgv.output_limit = std::max(text.size() + 1, kMostErrors);
  gpgv.file_limit = kMostErrors;
  gpgv.memory_limit = kMostMemory;
  const auto ended = quarry::run(
      host, part.call(), gpgv,
      [&](std::string_view bytes) {
        signed_text += bytes;
        return true;
      },
      [&](std::string_view bytes) {
        errors += bytes;
        return errors.size() < kMostErrors;
      });
  if (call.over()) return call.why();
  if (!ended) return not_run(ended.failure(), url);
  if (ended->signal != 0) {
    return not_verified(url, "gpgv was ended by signal " + std::to_string(ended->signal));
  }
  const Said said = said_by(errors);
  // Status 2 with a good signature: another one is by a key that the keyring does not have.
  if (!said.good || said.bad || signed_text.empty()) {
    return refusal(said, errors, keyring, url);
  }
  return signed_text;
}

}  // namespace quarry::resource_debian
