// grep() must find exactly the lines that ripgrep finds in the same files, in which ripgrep, to
// which a carriage return is a character of the line, gets no "\r\n".

#include "corpus/query/grep.h"

#include "base/executor.h"
#include "corpus/index/trigram_index.h"
#include "corpus/segment/testing/directory_fixture.h"
#include "corpus/snapshot/pack.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <random>
#include <set>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

constexpr std::size_t kPatterns = 600;  // distinct, in each of kSeeds tests
constexpr unsigned kSeeds = 4;
constexpr int kFiles = 40;

using Lines = std::set<std::pair<std::string, std::uint32_t>>;

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  std::string out;
  std::array<char, 65536> buffer;
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0;) {
    out.append(buffer.data(), n);
  }
  return out;
}

class Ripgrep : public DirectoryFixture, public ::testing::WithParamInterface<unsigned> {
 protected:
  std::string_view any(std::initializer_list<std::string_view> of) {
    return of.begin()[random_() % of.size()];
  }

  std::string text() {
    std::string out;
    const unsigned lines = random_() % 40;
    for (unsigned line = 0; line < lines; ++line) {
      for (unsigned words = random_() % 9; words > 0; --words) {
        out += any({"func ",
                    "return",
                    "NewReader(",
                    "err != nil ",
                    "x",
                    "0x1F ",
                    "2024-05-17 ",
                    "snake_case_name ",
                    "CamelCase",
                    "\tif (a == b) {",
                    "};",
                    " // TODO: ",
                    "task",
                    "TASK",
                    "Kiss ",
                    "stra\u00DFe ",
                    "STRASSE",
                    "\u00E9t\u00E9 ",
                    "\u00C9T\u00C9",
                    "\u212Aelvin ",
                    "ma\u017Fk ",
                    "\u65E5\u672C\u8A9E",
                    "\u0663\u0664 ",
                    "a\u00A0b ",
                    "\u2028",
                    "ab",
                    "ba",
                    "abab ",
                    "a.b",
                    "[]*+?",
                    "$HOME ",
                    "^top",
                    "\\n",
                    "e\u0301",
                    "\u0130i\u0131 ",
                    "\U0001F600 "});
      }
      out += any({"\n", "\n", "\n", "\r\n", "\n\n", " \n"});
    }
    if (random_() % 3 == 0) out += "no newline at the end";
    return out;
  }

  std::string word() {
    return std::string(any(
        {"func",         "return",        "NewReader", "err",    "nil",          "x",       "0x1F",
         "2024",         "snake_case",    "Camel",     "if",     "TODO",         "task",    "kiss",
         "stra\u00DFe",  "\u00E9t\u00E9", "kelvin",    "mask",   "\u65E5\u672C", "ab",      "ba",
         "abab",         "a\\.b",         "\\$HOME",   "\\^top", "\\[\\]",       "newline", "zebra",
         "nothing here", "\u212A",        "\u017F",    "e"}));
  }

  std::string atom() {
    switch (random_() % 6) {
      case 0:
        return std::string(any({"[a-z]", "[A-Z]", "[0-9]", "[^a-z]", "[^ ]", "[a-cx-z_]",
                                "[[:alpha:]]", "[\\w.]", "[^\\s]", "[\\d-]", "[^\\w ]"}));
      case 1:
        return std::string(any({".", "\\w", "\\d", "\\s", "\\W", "\\D", "\\S", "\\p{Lu}", "\\pL",
                                "\\p{Greek}", "\\x41", "\\x{e9}", "\\t"}));
      case 2:
        return "(" + word() + "|" + word() + ")";
      case 3:
        return "(?:" + word() + ")";
      default:
        return word();
    }
  }

  std::string pattern() {
    std::string out;
    if (random_() % 12 == 0) out += "(?i)";
    if (random_() % 8 == 0) out += any({"^", "^\\s*", "\\b"});
    for (unsigned parts = 1 + random_() % 4; parts > 0; --parts) {
      std::string part = atom();
      const bool single = part.front() == '[' || part.front() == '(' || part.front() == '.';
      if (single) part += any({"", "", "*", "+", "?", "{2}", "{1,3}", "{0,2}", "+?", "*?"});
      out += part;
      if (random_() % 6 == 0) out += ".*";
    }
    if (random_() % 10 == 0) out += "|" + word();
    if (random_() % 8 == 0) out += any({"$", "\\s*$", "\\b"});
    return out;
  }

  static std::string without_returns(std::string text) {
    std::erase(text, '\r');
    return text;
  }

  /// The same files as a directory for ripgrep and as a snapshot, with an index or without.
  void lay_out(const std::filesystem::path& directory) {
    auto writer = *SnapshotWriter::create(new_directory(), {}, {false, false, false});
    for (int file = 0; file < kFiles; ++file) {
      const std::string path =
          std::string(any({"src/", "", "docs/api/"})) + std::to_string(file) + ".txt";
      const std::string bytes = text();
      std::filesystem::create_directories((directory / path).parent_path());
      std::ofstream(directory / path, std::ios::binary) << without_returns(bytes);
      ASSERT_TRUE(writer->add(path, bytes));
    }
    plain_ = *writer->finish();
    const Segment& segment = *plain_->segments().front();
    InlineExecutor executor;
    const auto copy = new_directory();
    std::filesystem::copy(plain_->directory(), copy, std::filesystem::copy_options::recursive);
    const auto beside = copy / std::filesystem::relative(segment.directory(), plain_->directory());
    ASSERT_TRUE(TrigramIndex::build(segment, beside / TrigramIndex::kFileName, executor, {}));
    indexed_ = *Snapshot::open(copy);
    ASSERT_TRUE(indexed_->trigrams(0));
  }

  /// The result of ripgrep for every pattern: one process for each, two at a time.
  std::vector<Lines> ripgrep(const std::vector<std::string>& patterns,
                             const std::filesystem::path& directory) {
    const auto files = new_directory();
    std::array<std::string, 2> scripts;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      const std::string name = (files / std::to_string(i)).string();
      std::ofstream(name) << patterns[i] << '\n';
      scripts[i % 2] += "rg --no-config -uuu -a -n --no-heading -j1 -f " + name + " . > " + name +
                        ".out 2> " + name + ".err\n";
    }
    std::ofstream(files / "even") << scripts[0];
    std::ofstream(files / "odd") << scripts[1];
    output_of("cd " + directory.string() + " && (sh " + (files / "even").string() + " & sh " +
              (files / "odd").string() + "; wait)");
    std::vector<Lines> out(patterns.size());
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      const auto name = (files / std::to_string(i)).string();
      EXPECT_EQ(*read_file(name + ".err"), "") << patterns[i];
      std::ifstream found(name + ".out");
      for (std::string line; std::getline(found, line);) {
        const std::size_t path_end = line.find(':');
        const std::string path = line.substr(2, path_end - 2);  // without "./"
        out[i].emplace(path, std::stoul(line.substr(path_end + 1)));
      }
    }
    return out;
  }

  static Lines ours(const std::shared_ptr<const Snapshot>& snapshot, const std::string& pattern) {
    GrepQuery query;
    query.pattern = pattern;
    query.limit = 1000;
    InlineExecutor executor;
    const auto result = grep(Collection({{"r", snapshot}}), query, executor, {});
    EXPECT_TRUE(result) << pattern << ": " << result.error().message;
    Lines out;
    if (!result) return out;
    EXPECT_FALSE(result->truncated) << pattern;
    for (const GrepFile& file : result->files) {
      for (const GrepLine& line : file.lines) out.emplace(file.path.substr(2), line.number);
    }
    return out;
  }

  /// Removes lines with letters beyond ASCII: \b knows only ASCII letters here (line_syntax.h).
  void drop_other_than_ascii(Lines& lines) const {
    std::erase_if(lines, [this](const auto& place) {
      const FileRef file = *plain_->find(place.first);
      const std::string_view line = plain_->segment(file).line(file.file, place.second);
      return std::ranges::any_of(line, [](char byte) { return byte < 0; });
    });
  }

  std::mt19937 random_{GetParam()};
  std::shared_ptr<const Snapshot> plain_;
  std::shared_ptr<const Snapshot> indexed_;
};

TEST_P(Ripgrep, FindsTheSameLines) {
  ASSERT_THAT(output_of("rg --version"), ::testing::StartsWith("ripgrep"))
      << "this test needs the program rg (package ripgrep)";
  const auto directory = new_directory();
  lay_out(directory);
  std::set<std::string> different;
  while (different.size() < kPatterns) different.insert(pattern());
  const std::vector<std::string> patterns(different.begin(), different.end());
  const std::vector<Lines> expected = ripgrep(patterns, directory);
  std::size_t with_matches = 0;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    Lines theirs = expected[i];
    Lines plain = ours(plain_, patterns[i]);
    Lines indexed = ours(indexed_, patterns[i]);
    with_matches += theirs.empty() ? 0 : 1;
    if (patterns[i].contains("\\b")) {
      for (Lines* lines : {&theirs, &plain, &indexed}) drop_other_than_ascii(*lines);
    }
    EXPECT_EQ(plain, theirs) << patterns[i];
    EXPECT_EQ(indexed, theirs) << patterns[i] << " with an index";
  }
  EXPECT_GT(with_matches, patterns.size() / 4) << "too few patterns have matches";
}

INSTANTIATE_TEST_SUITE_P(Seeds, Ripgrep, ::testing::Range(0u, kSeeds));

}  // namespace
}  // namespace quarry::corpus
