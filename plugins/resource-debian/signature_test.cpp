#include "resource-debian/release.h"
#include "resource-debian/testing/archive_host.h"

namespace quarry::resource_debian {
namespace {

using testing::ArchiveHost;
using testing::clear_signed;

constexpr char kGood[] =
    "[GNUPG:] NEWSIG\n[GNUPG:] GOODSIG 1 x\n[GNUPG:] VALIDSIG F d 1 0 4 0 22 8 01 F\n";

/// The signed text, or the failure's message.
std::string verify(const std::string& status, const std::string& text = clear_signed("a: 1\n"),
                   int exit = 0) {
  ArchiveHost archive;
  archive.status = status;
  archive.exit = exit;
  const quarry::testing::FakeCall call;
  const auto said =
      verified(Host(archive.fake.get()), Call(call.get()), text, "/k.gpg", "http://x/InRelease");
  return said ? *said : said.failure().message;
}

TEST(Signature, OneGoodSignatureIsEnough) {
  EXPECT_EQ(verify(kGood), "a: 1\n");
  EXPECT_EQ(
      verify(std::string("[GNUPG:] NEWSIG\n[GNUPG:] ERRSIG 2 1 8 01 1 9\n[GNUPG:] NO_PUBKEY 2\n") +
                 kGood,
             clear_signed("a: 1\n"), 2),
      "a: 1\n");
}

/// A bug: gpgv could say no more than the index was long, which was "did not run".
TEST(Signature, OfAShortIndexMayHaveALongStatus) {
  std::string status;
  for (int signer = 0; signer < 200; ++signer) {
    status += "[GNUPG:] NEWSIG\n[GNUPG:] NO_PUBKEY " + std::to_string(signer) + "\n";
  }
  EXPECT_EQ(verify(status + kGood), "a: 1\n");
  EXPECT_EQ(verify(status),
            "the signature of http://x/InRelease is by the key 199, which is not in /k.gpg");
}

TEST(Signature, ThatCannotBeVerifiedIsRefusedWithItsCause) {
  const auto refusal = [](const auto& prepare) {
    ArchiveHost archive;
    prepare(archive);
    const quarry::testing::FakeCall call;
    const auto said = verified(Host(archive.fake.get()), Call(call.get()), clear_signed("a: 1\n"),
                               "/k.gpg", "http://x/InRelease");
    return said ? *said : said.failure().message;
  };
  EXPECT_EQ(refusal([](ArchiveHost& archive) {
              archive.status = std::string(std::size_t{2} << 20, 'x') + "\n" + kGood;
            }),
            "the signature of http://x/InRelease cannot be verified: gpgv writes more than 1 MiB "
            "about it");
  EXPECT_EQ(refusal([](ArchiveHost& archive) { archive.signal = 9; }),
            "the signature of http://x/InRelease cannot be verified: gpgv was ended by signal 9");
  EXPECT_EQ(refusal([](ArchiveHost& archive) {
              archive.run_failure = Failure{QUARRY_NOT_FOUND, "it was not found in PATH", {}, {}};
            }),
            "gpgv, which verifies the signature of an archive, did not run: "
            "it was not found in PATH");
  EXPECT_EQ(refusal([](ArchiveHost& archive) {
              archive.run_failure = Failure{QUARRY_DEADLINE_EXCEEDED, "out of time", {}, {}};
            }),
            "the signature of http://x/InRelease cannot be verified: gpgv takes longer than a "
            "minute");
}

TEST(Signature, EveryOtherIsRefusedWithItsCause) {
  const std::string of = "the signature of http://x/InRelease ";
  EXPECT_EQ(verify(""), of + "is missing or malformed");
  EXPECT_EQ(verify("[GNUPG:] NO_PUBKEY ABC\n"), of + "is by the key ABC, which is not in /k.gpg");
  EXPECT_EQ(verify("[GNUPG:] BADSIG 1 x\n"),
            of + "is wrong: the index was changed after it was signed");
  EXPECT_EQ(verify(kGood + std::string("[GNUPG:] BADSIG 1 x\n")),
            of + "is wrong: the index was changed after it was signed");
  for (const std::string late : {"EXPKEYSIG", "REVKEYSIG", "EXPSIG"}) {
    EXPECT_EQ(verify("[GNUPG:] NEWSIG\n[GNUPG:] " + late +
                     " 1 x\n[GNUPG:] VALIDSIG F d 1 0 4 0 22 8 01 F\n"),
              of + "was made by an expired or revoked key");
  }
  EXPECT_EQ(
      verify("[GNUPG:] NEWSIG\n[GNUPG:] GOODSIG 1 x\n[GNUPG:] VALIDSIG F d 1 0 4 0 1 2 01 F\n"),
      of + "uses a digest that is no longer secure");
  EXPECT_EQ(verify("gpgv: keyblock resource '/k.gpg': No such file or directory\n"),
            "keyring names the file /k.gpg, which does not exist");
  EXPECT_EQ(verify("gpgv: [don't know]: invalid packet (ctb=2d)\n"),
            "keyring names the file /k.gpg, which is no keyring in binary form");
}

TEST(Signature, AnIndexIsOneSignedMessageAndNothingElse) {
  const std::string good = clear_signed("a: 1\n");
  for (const std::string& text :
       {std::string(), std::string("a: 1\n"), "x\n" + good, good + "x\n", good + good,
        good.substr(0, good.size() - 20), clear_signed(good)}) {
    EXPECT_EQ(verify(kGood, text), "the signature of http://x/InRelease is missing or malformed")
        << text;
  }
}

}  // namespace
}  // namespace quarry::resource_debian
