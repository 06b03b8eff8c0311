#include "corpus/text/decode.h"

#include <array>
#include <iconv.h>
#include <random>

#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

using namespace std::string_view_literals;

std::optional<std::string> decoded(std::string_view bytes) {
  std::string storage;
  const auto text = decode_text(bytes, storage);
  if (!text) return std::nullopt;
  return std::string(*text);
}

TEST(DecodeText, TakesUtf8AsItIsWithoutACopy) {
  std::string storage;
  const std::string_view bytes = "naïve\r\n";
  EXPECT_EQ(decode_text(bytes, storage)->data(), bytes.data());
  EXPECT_EQ(decoded(""), "");
}

TEST(DecodeText, DropsAByteOrderMark) {
  EXPECT_EQ(decoded("\xEF\xBB\xBFint x;"), "int x;");
}

/// `text` in another encoding.
std::string encoded(std::string text, const char* encoding) {
  const iconv_t conversion = ::iconv_open(encoding, "UTF-8");
  std::string out(text.size() * 4, ' ');
  char* from = text.data();
  char* to = out.data();
  std::size_t left = text.size();
  std::size_t space = out.size();
  EXPECT_EQ(::iconv(conversion, &from, &left, &to, &space), 0u) << text << " in " << encoding;
  ::iconv_close(conversion);
  out.resize(out.size() - space);
  return out;
}

struct EncodedText {
  const char* encoding;
  const char* text;
};

// yamadashy/repomix#1878, google/codesearch#53, microsoft/vscode#31903 (Big5),
// ggreer/the_silver_searcher#1204 (Latin-1), microsoft/vscode#116002 (double bytes)
TEST(DecodeText, ReadsNationalEncodings) {
  constexpr std::array<EncodedText, 21> kSamples = {{
      {"SHIFT_JIS", "// データベース接続を初期化します。\nvoid open_base();\n"},
      {"EUC-JP", "// 設定を読み込む\nint main() {}\n"},
      {"ISO-2022-JP", "// 設定を読み込む\nint main() {}\n"},
      {"GBK", "// 你好世界，这是一个测试文件。\nvoid order(int id) {}\n"},
      {"GB18030", "int x;  // 初始化数据库\n"},
      {"BIG5", "// 這是一個測試檔案，請仔細閱讀。\nint x;\n"},
      {"EUC-KR", "// 안녕하세요 세계\nvoid order(int id) {}\n"},
      {"CP949", "// 데이터베이스 연결을 초기화합니다\n"},
      {"WINDOWS-1250", "// Zażółć gęślą jaźń, połączenie z bazą\n"},
      {"WINDOWS-1250", "// Příliš žluťoučký kůň úpěl ďábelské ódy.\n"},
      {"ISO-8859-2", "// Příliš žluťoučký kůň úpěl ďábelské ódy.\n"},
      {"KOI8-U", "// Ініціалізація з'єднання з базою, пошук ґрунту\n"},
      {"WINDOWS-1253", "// Αρχικοποίηση “σύνδεσης” με τη βάση – πρώτα\n"},
      {"WINDOWS-1251", "// Инициализация соединения с базой\nint x;\n"},
      {"KOI8-R", "// Инициализация соединения с базой\nint x;\n"},
      {"WINDOWS-1252", "// L’été — déjà vu, 5 €\nint x;\n"},
      {"WINDOWS-1253", "// Αρχικοποίηση σύνδεσης με τη βάση\n"},
      {"WINDOWS-1254", "// Veritabanı bağlantısını başlatır, şifreyi çözer\n"},
      {"WINDOWS-1255", "// אתחול החיבור למסד הנתונים\n"},
      {"WINDOWS-1256", "// تهيئة الاتصال بقاعدة البيانات\n"},
      {"ISO-8859-1", "// Größe und Überschrift für Straße\n"},
  }};
  for (const auto& [encoding, text] : kSamples) {
    EXPECT_EQ(decoded(encoded(text, encoding)), text) << encoding;
  }
}

TEST(DecodeText, ReadsOneForeignLineInALongFile) {
  std::string text;
  for (int line = 0; line < 5000; ++line) text += "int value = compute(next);\n";
  text += "// 初始化数据库连接，然后返回。\n";
  EXPECT_EQ(decoded(encoded(text, "GBK")), text);
}

TEST(DecodeText, ReadsLatin1AndTheEndOfFilesOfDos) {
  EXPECT_EQ(decoded("caf\xE9 au lait"), "café au lait");
  EXPECT_EQ(decoded("# \xE9t\xE9 \xE0 la fran\xE7"
                    "aise\r\n"),
            "# été à la française\r\n");
  EXPECT_EQ(decoded("Gr\xF6\xDF"
                    "e\r\n\x1A"),
            "Größe\r\n\x1A");
}

TEST(DecodeText, RepairsDamagedUtf8) {
  EXPECT_EQ(decoded("größer als früher, schön \xFF"), "größer als früher, schön \xEF\xBF\xBD");
}

TEST(DecodeText, MakesNewlinesOfCarriageReturnsAlone) {
  EXPECT_EQ(decoded("one\rtwo\r"), "one\ntwo\n");
  EXPECT_EQ(decoded("10 %\r20 %\r\n"), "10 %\r20 %\r\n");
}

// microsoft/vscode#17408
TEST(DecodeText, ReadsUtf16WithoutAMark) {
  for (const char* encoding : {"UTF-16LE", "UTF-16BE"}) {
    for (const std::string_view text :
         {"<xml>\r\n", "naïve – “quoted”\n", "// Инициализация базы данных\nint x;\n",
          "// データベース接続\nvoid f() {}\n", "smile 😀\n"}) {
      EXPECT_EQ(decoded(encoded(std::string(text), encoding)), text) << encoding;
    }
  }
}

TEST(DecodeText, DoesNotTakeNumbersForUtf16) {
  std::string numbers;
  for (int i = 0; i < 500; ++i) numbers += {static_cast<char>(i), static_cast<char>(i / 256)};
  EXPECT_EQ(decoded(numbers), std::nullopt);
  EXPECT_EQ(decoded("RIFF\x24\x08\0\0WAVEfmt \x10\0\0\0"sv), std::nullopt);
  EXPECT_EQ(decoded("a\0b"sv), std::nullopt);
  EXPECT_EQ(decoded("\0bin"sv), std::nullopt);
}

TEST(DecodeText, KnowsNoiseAsBinary) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string noise(60 + random() % 4000, ' ');
    for (char& byte : noise) byte = static_cast<char>(1 + random() % 255);
    EXPECT_EQ(decoded(noise), std::nullopt) << round;
  }
}

TEST(DecodeText, ConvertsUtf16OfBothByteOrders) {
  EXPECT_EQ(decoded("\xFF\xFEh\0\xE9\0\n\0"sv), "hé\n");
  EXPECT_EQ(decoded("\xFE\xFF\0h\0\xE9\0\n"sv), "hé\n");
  EXPECT_EQ(decoded("\xFF\xFE\x3D\xD8\x00\xDE"sv), "\xF0\x9F\x98\x80") << "a surrogate pair";
  EXPECT_EQ(decoded("\xFE\xFF\x20\xAC"sv), "€");
}

TEST(DecodeText, RepairsBrokenUtf16) {
  EXPECT_EQ(decoded("\xFF\xFEhehehehe\x3D\xD8"sv)->substr(12), "\xEF\xBF\xBD") << "half a pair";
  EXPECT_EQ(decoded("\xFF\xFEhehehehe!"sv)->substr(12), "\xEF\xBF\xBD") << "half a unit";
}

TEST(DecodeText, KnowsBinariesByANul) {
  EXPECT_EQ(decoded("\x7F"
                    "ELF\0"sv),
            std::nullopt);
  EXPECT_EQ(decoded("\xFF\xFEh\0\0\0"sv), std::nullopt) << "a NUL within UTF-16";
}

TEST(DecodeText, KnowsBinariesByWhatIsNoText) {
  EXPECT_EQ(decoded("\x01\x02\x03\x04 ok"), std::nullopt);
  EXPECT_EQ(decoded("\xFC\xFD\xFE\xF0\x01 four"), std::nullopt);
  EXPECT_TRUE(decoded("\x1B[1mbold\x1B[0m")) << "colours of a terminal are text";
  EXPECT_TRUE(decoded("\xEF\xBF\xBD\xEF\xBF\xBD\xE9 repaired before")) << "U+FFFD itself is text";
}

}  // namespace
}  // namespace quarry::corpus
