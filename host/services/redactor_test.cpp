#include "services/redactor.h"

#include "base/json.h"

#include <quarry/base64.hpp>

#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::services {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Redactor, LeavesTextAloneWithoutSecrets) {
  EXPECT_EQ(Redactor().redact("sk-123456"), "sk-123456");
  EXPECT_EQ(Redactor().redact_json(R"(["sk-123456"])"), R"(["sk-123456"])");
}

TEST(Redactor, ReplacesEveryOccurrence) {
  Redactor redactor;
  redactor.add("KEY", "sk-123456");
  EXPECT_EQ(redactor.redact("a sk-123456 b sk-123456"), "a [secret KEY] b [secret KEY]");
}

TEST(Redactor, PrefersTheLongerOfTwoSecrets) {
  Redactor redactor;
  redactor.add("SHORT", "sk-1");
  redactor.add("LONG", "sk-1-and-more");
  EXPECT_EQ(redactor.redact("sk-1-and-more sk-1"), "[secret LONG] [secret SHORT]");
}

/// A key with characters that encodings treat differently.
constexpr std::string_view kKey = "sk-Owner_7/x+Y\"q\\z&%41<9~0123456789";

/// `text` with every byte as `form` writes it.
template <class Form>
std::string each(std::string_view text, Form form) {
  std::string out;
  for (const char c : text) out += form(static_cast<unsigned char>(c));
  return out;
}

std::string hex(unsigned value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return {kDigits[value >> 4], kDigits[value & 15]};
}

std::string percent(std::string_view text) {
  return each(text, [](unsigned char c) {
    return std::isalnum(c) ? std::string(1, static_cast<char>(c)) : "%" + hex(c);
  });
}

std::string entities(std::string_view text) {
  return each(text, [](unsigned char c) -> std::string {
    if (c == '&') return "&amp;";
    if (c == '<') return "&lt;";
    if (c == '"') return "&#34;";
    return {static_cast<char>(c)};
  });
}

std::string url_alphabet(std::string text) {
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  while (text.ends_with('=')) text.pop_back();
  return text;
}

// chocolatey.org#560 (as it is), SAP/jenkins-library#2284 (in a URL), actions/runner#291 (base64
// with text after it), azure-pipelines-agent#5030 (base64), yc-software/qm#80 (the alphabet of
// URLs).
TEST(Redactor, KnowsASecretHoweverAServerWritesIt) {
  Redactor redactor;
  redactor.add("KEY", kKey);
  const std::string key(kKey);
  std::string upper = key;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  const std::string json = json_string(key);
  const std::string in_json = json.substr(1, json.size() - 2);
  const std::string nested = json_string(json);
  const std::pair<const char*, std::string> texts[] = {
      {"as it is", key},
      {"in a word", "Bearer" + key + "x"},
      {"in upper case", upper},
      {"percent-encoded", percent(key)},
      {"percent-encoded twice", percent(percent(key))},
      {"every byte percent-encoded", each(key, [](unsigned c) { return "%" + hex(c); })},
      {"as a JSON string", in_json},
      {"as a JSON string in one", nested},
      {"with \\u escapes", each(key, [](unsigned c) { return "\\u00" + hex(c); })},
      {"with \\x escapes", each(key, [](unsigned c) { return "\\x" + hex(c); })},
      {"in HTML", entities(key)},
      {"in HTML twice", entities(entities(key))},
      {"with entities of numbers",
       each(key, [](unsigned c) { return "&#" + std::to_string(c) + ";"; })},
      {"in base64", to_base64(key)},
      {"in base64 after a user", to_base64("u:" + key)},
      {"in base64 after another user", to_base64("me:" + key)},
      {"in base64 between others", to_base64("user:" + key + ":more")},
      {"in the alphabet of URLs", url_alphabet(to_base64("bot:" + key))},
      {"in base64 and percent-encoded", percent(to_base64("x:" + key))},
      {"in hexadecimal digits", each(key, hex)},
      {"over two lines", key.substr(0, 20) + "\r\n\t" + key.substr(20)},
      {"over two lines in JSON", key.substr(0, 20) + "\\r\\n " + key.substr(20)},
      {"cut at its end", key.substr(0, 25)},
      {"cut before an ellipsis", key.substr(0, 20) + "… and so on"},
      {"cut at its beginning", "…" + key.substr(12) + " is wrong"},
      {"after the escape of a line break", "\\n" + key},
      {"after a percent sign", "100%" + key},
  };
  for (const auto& [how, text] : texts) {
    const std::string shown = redactor.redact("key=" + text);
    EXPECT_THAT(shown, HasSubstr("[secret KEY]")) << how << ": " << text;
    EXPECT_LT(shown.size(), sizeof "key=Bearer[secret KEY]….. and so on is wrong")
        << how << ": " << shown;
  }
}

TEST(Redactor, KeepsTheTextAroundASecret) {
  Redactor redactor;
  redactor.add("KEY", "ab%41cd-9876543");
  EXPECT_EQ(redactor.redact("%5C \\ &amp; ab%2541cd-9876543%20&lt;b\\n"),
            "%5C \\ &amp; [secret KEY]%20&lt;b\\n");
}

TEST(Redactor, LeavesWhatLooksLikeASecretAlone) {
  Redactor redactor;
  redactor.add("KEY", "sk-ant-api03-0123456789abcdefghij");
  for (const std::string_view text :
       {"set `sk-ant-api03-` first", "sk-ant-api03-… of Anthropic", "sk-ant-api03-9876543210", "a",
        "%", "\\", "&;", "&#xZZ;", "\\u12", "%%%%%41", ""}) {
    EXPECT_EQ(redactor.redact(text), text);
  }
}

TEST(Redactor, LeavesWordsInOtherWordsAndInResults) {
  Redactor redactor;
  for (const std::string_view value :
       {"", "a", "sk1", "none", "ollama", "hunter2", "postgres", "lm-studio", "20240101"}) {
    redactor.add("KEY", value);
  }
  constexpr std::string_view kText = "banana sk1 nonesuch ollamas hunter25 postgresql 120240101";
  EXPECT_EQ(redactor.redact(kText), kText);
  EXPECT_EQ(redactor.redact("no 'postgres' nor hunter2"), "no '[secret KEY]' nor [secret KEY]");
  EXPECT_EQ(redactor.redact_json(R"({"postgres":"hunter2 lm-studio 20240101"})"),
            R"({"postgres":"hunter2 lm-studio 20240101"})");
  EXPECT_EQ(redactor.redact_json(R"({"m":"bad hunter2"})", Redactor::Words::kReplaced),
            R"({"m":"bad [secret KEY]"})");
}

TEST(Redactor, ChangesTheStringsOfJsonAlone) {
  Redactor redactor;
  redactor.add("K\"EY", "12345678901234");
  redactor.add("OTHER", "nice-key-42\"\\");
  const Json row = {{"n", 12345678901234}, {"t", "is\nnice-key-42\"\\ or 12345678901234"}};
  const std::string text = to_text(row);
  const std::string clean = redactor.redact_json(text);
  EXPECT_EQ(*parse_json(clean),
            Json({{"n", 12345678901234}, {"t", "is\n[secret OTHER] or [secret K\"EY]"}}));
  EXPECT_EQ(clean.substr(0, 20), text.substr(0, 20)) << "members keep their order";
}

TEST(Redactor, CleansEveryPartOfAnError) {
  Redactor redactor;
  redactor.add("KEY", "sk-123456");
  Error error{Code::kInternal, "bad sk-123456", "drop sk-123456"};
  error.details.push_back({"/key", "is sk-123456"});
  error.facts = R"({"said":"sk-123456"})";
  const Error clean = redactor.redact(error);
  EXPECT_EQ(clean.message, "bad [secret KEY]");
  EXPECT_EQ(clean.hint, "drop [secret KEY]");
  EXPECT_EQ(clean.details[0].message, "is [secret KEY]");
  EXPECT_EQ(clean.facts, R"({"said":"[secret KEY]"})");
}

/// Each of these made a decoder slow or deep that looks back over all it has.
TEST(Redactor, TakesTextsThatDecodeAgainAndAgain) {
  Redactor redactor;
  redactor.add("KEY", kKey);
  for (const std::string_view piece : {"%4", "%25", "\\", "&amp;", ";", "\\u002", "&#38;#"}) {
    std::string text;
    while (text.size() < 200'000) text += piece;
    EXPECT_EQ(redactor.redact(text + "31"), text + "31");
  }
}

TEST(Redactor, LearnsWhileOthersAsk) {
  Redactor redactor;
  std::jthread writer([&] {
    for (int i = 0; i < 100; ++i) redactor.add("K", "value-" + std::to_string(i));
  });
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(redactor.redact("nothing here").empty());
}

}  // namespace
}  // namespace quarry::services
