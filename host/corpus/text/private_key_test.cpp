#include "corpus/text/private_key.h"

#include <string>

#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

/// Base64 digits that are not a key.
std::string digits(std::size_t count) {
  std::string out;
  while (out.size() < count) out += "MIIEvQIBADANBgkqhkiG9w0BAQEF+/Aa";
  return out.substr(0, count);
}

/// `line_end` between lines of 64 digits, as keys are written.
std::string key(const std::string& label, const std::string& line_end = "\n",
                std::size_t count = 192) {
  std::string out = "-----BEGIN " + label + "-----" + line_end;
  for (std::size_t at = 0; at < count; at += 64) {
    out += digits(std::min<std::size_t>(64, count - at)) + line_end;
  }
  return out + "-----END " + label + "-----\n";
}

TEST(PrivateKey, IsFoundUnderEachOfItsLabels) {
  for (const char* label : {"PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY",
                            "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY"}) {
    EXPECT_TRUE(holds_private_key(key(label))) << label;
    EXPECT_TRUE(holds_private_key("# notes\n\n" + key(label) + "more\n")) << label;
  }
}

TEST(PrivateKey, IsFoundHoweverItIsWrittenDown) {
  const std::pair<const char*, std::string> forms[] = {
      {"CRLF", key("PRIVATE KEY", "\r\n")},
      {"a YAML block", "key: |\n  " + key("PRIVATE KEY", "\n  ")},
      {"a JSON value", R"({"private_key": ")" + key("PRIVATE KEY", "\\n") + "\"}"},
      {"string literals", "\"" + key("RSA PRIVATE KEY", "\\n\"\n    \"") + "\""},
      {"literals that are joined", "'" + key("RSA PRIVATE KEY", "' +\n  '") + "'"},
      {"a comment", "// " + key("PRIVATE KEY", "\n// ")},
      {"a quotation", "> " + key("PRIVATE KEY", "\n> ")},
      {"one line", key("PRIVATE KEY", " ")},
      {"a short key", key("PRIVATE KEY", "\n", 64)},
      {"an encrypted key",
       "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n"
       "DEK-Info: AES-128-CBC,0123456789ABCDEF\n\n" +
           digits(64) + "\n"},
      {"PGP", "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n" + digits(64) + "\n"},
      {"without an end", "-----BEGIN PRIVATE KEY-----\n" + digits(640)},
  };
  for (const auto& [name, text] : forms) EXPECT_TRUE(holds_private_key(text)) << name << text;
}

TEST(PrivateKey, IsNotFoundInTextAboutKeys) {
  const std::pair<const char*, std::string> texts[] = {
      {"nothing", ""},
      {"words", "Never commit a PRIVATE KEY."},
      {"a parser",
       "if (line == \"-----BEGIN PRIVATE KEY-----\") return Kind::kPkcs8;\n"
       "if (line == \"-----BEGIN RSA PRIVATE KEY-----\") return Kind::kPkcs1;\n"},
      {"constants", "BEGIN = '-----BEGIN PRIVATE KEY-----'\nEND = '-----END PRIVATE KEY-----'\n"},
      {"a placeholder", "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n"},
      {"words in place of a key",
       "-----BEGIN PRIVATE KEY-----\n<your key here>\n-----END PRIVATE KEY-----\n"},
      {"prose", "It begins with -----BEGIN PRIVATE KEY----- and the key follows in base64 lines."},
      {"another language", "const h = `-----BEGIN ${kind} PRIVATE KEY-----`;\nimport x from 'y';"},
      {"a public key", key("PUBLIC KEY")},
      {"a certificate", key("CERTIFICATE")},
      {"an end", "-----END PRIVATE KEY-----\n" + digits(200)},
      {"the words at the end", "-----BEGIN PRIVATE KEY"},
  };
  for (const auto& [name, text] : texts) EXPECT_FALSE(holds_private_key(text)) << name;
}

// Each beginning of a key once had the rest of its line searched for a header.
TEST(PrivateKey, IsLookedForInALineOfManyBeginnings) {
  std::string line;
  for (int i = 0; i < 20'000; ++i) line += "-----BEGIN PRIVATE KEY-----x";
  EXPECT_FALSE(holds_private_key(line));
  EXPECT_TRUE(holds_private_key(line + key("PRIVATE KEY")));
}

}  // namespace
}  // namespace quarry::corpus
