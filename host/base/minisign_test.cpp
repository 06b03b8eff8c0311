#include "base/minisign.h"

#include <array>

#include <gtest/gtest.h>

namespace quarry {
namespace {

// Made by minisign 0.11.
constexpr std::string_view kSigner = "RWRn0hb2vTDoctklTFPNyGpb1raIWYDHE4izol3VTFCplw6EO9GtMvRY";
constexpr std::string_view kOther = "RWRs7ztFX6bU+oFyHsIWQfjlsuysx0XhhNr7HK58iKdOAJOglyP/CIuW";
constexpr std::string_view kSignedMessage = "id = \"org.example.hello\"\n";
constexpr std::string_view kPrehashedFile =
    "untrusted comment: signature from minisign secret key\n"
    "RURn0hb2vTDocmqRCtEMXZ1DxU3EPHz2/eSNV6YW6VJsvNVgc5gmAcR6nrk0bIA5QlERdDCYK0RANtM5ZcFgQr29hGQS1w"
    "uKsQo=\n"
    "trusted comment: hello 1.0.0\n"
    "XG6UjvKFOOqWqcu0CD1SCE0ISaobQVbpWCrzC69PeNvS4tLFDsvenebq2Mban8FcnduT/iGU1h3v0JLwHNspAQ==\n";
constexpr std::string_view kLegacyFile =
    "untrusted comment: signature from minisign secret key\n"
    "RWRn0hb2vTDocghd+spHocS5tLv1uVtwjfjvfJMSNc6AVKuEZBH/Tur4hUOJD3FgP5Saje4Ls0mfYdeSGiGQYtN23GSmEP"
    "ZOrQ4=\n"
    "trusted comment: hello 1.0.0\n"
    "hs2Me7L8Y1V6nw3s80MYFxu6btQAsVMZ5bn3gHzh4sXl96c/UHOjZuWEOPN/A3cxqqMg9qAkTLtyxI0iTJsGAg==\n";
constexpr std::array kBothForms{kPrehashedFile, kLegacyFile};

bool verifies(std::string_view key, std::string_view file, std::string_view message) {
  const auto signature = parse_minisign_signature(file);
  return signature && verify_minisign(*parse_minisign_key(key), *signature, message);
}

TEST(Minisign, VerifiesBothFormsOfSignatures) {
  for (const auto file : kBothForms) {
    EXPECT_TRUE(verifies(kSigner, file, kSignedMessage));
    EXPECT_EQ(parse_minisign_signature(file)->trusted_comment, "hello 1.0.0");
  }
  EXPECT_TRUE(parse_minisign_signature(kPrehashedFile)->prehashed);
  EXPECT_FALSE(parse_minisign_signature(kLegacyFile)->prehashed);
}

TEST(Minisign, NamesKeysAsTheProgramDoes) {
  EXPECT_EQ(minisign_key_id(parse_minisign_key(kSigner)->id), "72E830BDF616D267");
  EXPECT_EQ(parse_minisign_signature(kLegacyFile)->key_id, parse_minisign_key(kSigner)->id);
}

TEST(Minisign, RefusesAnotherKeyOrMessage) {
  for (const auto file : kBothForms) {
    EXPECT_FALSE(verifies(kOther, file, kSignedMessage));
    EXPECT_FALSE(verifies(kSigner, file, ""));
    EXPECT_FALSE(verifies(kSigner, file, std::string(kSignedMessage) + "\n"));
  }
}

TEST(Minisign, RefusesAnotherKeyUnderTheSameId) {
  auto forged = *parse_minisign_key(kOther);
  forged.id = parse_minisign_key(kSigner)->id;
  EXPECT_FALSE(verify_minisign(forged, *parse_minisign_signature(kLegacyFile), kSignedMessage));
}

TEST(Minisign, RefusesAChangedTrustedComment) {
  for (const auto form : kBothForms) {
    std::string file(form);
    file.replace(file.find("1.0.0"), 5, "9.0.0");
    EXPECT_TRUE(parse_minisign_signature(file));
    EXPECT_FALSE(verifies(kSigner, file, kSignedMessage));
  }
}

TEST(Minisign, RefusesOneFormAsTheOther) {
  auto signature = *parse_minisign_signature(kLegacyFile);
  signature.prehashed = true;
  EXPECT_FALSE(verify_minisign(*parse_minisign_key(kSigner), signature, kSignedMessage));
}

TEST(Minisign, EveryChangedCharacterOfASignatureIsRefused) {
  for (const auto form : kBothForms) {
    const auto second = form.find('\n') + 1;
    for (auto i = second; i + 1 < form.size(); ++i) {
      std::string file(form);
      file[i] = file[i] == 'A' ? 'B' : 'A';
      EXPECT_FALSE(verifies(kSigner, file, kSignedMessage)) << i;
    }
  }
}

TEST(Minisign, EveryPrefixOfAFileIsRefused) {
  for (std::size_t size = 0; size + 1 < kLegacyFile.size(); ++size) {
    EXPECT_FALSE(verifies(kSigner, kLegacyFile.substr(0, size), kSignedMessage)) << size;
  }
  EXPECT_TRUE(verifies(kSigner, kLegacyFile.substr(0, kLegacyFile.size() - 1), kSignedMessage))
      << "the last end of line may be missing";
}

TEST(Minisign, RefusesTextBehindASignatureAndUnknownAlgorithms) {
  EXPECT_FALSE(parse_minisign_signature(std::string(kLegacyFile) + "more\n"));
  std::string file(kLegacyFile);
  file.replace(file.find("RW"), 2, "AA");
  EXPECT_FALSE(parse_minisign_signature(file));
}

TEST(Minisign, TakesTheLinesOfOtherSystems) {
  std::string file;
  for (const char c : kLegacyFile) file += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_TRUE(verifies(kSigner, file, kSignedMessage));
}

TEST(Minisign, RefusesTextsThatAreNoKeys) {
  for (const std::string& text :
       {std::string(), std::string("RW"), std::string(kSigner.substr(1)),
        std::string(kSigner) + "=", "XX" + std::string(kSigner.substr(2)), std::string(56, '='),
        std::string(56, '\n'), std::string(kSigner.substr(0, 55)) + "\n"}) {
    EXPECT_FALSE(parse_minisign_key(text)) << text;
  }
}

}  // namespace
}  // namespace quarry
