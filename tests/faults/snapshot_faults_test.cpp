#include "corpus/query/citations.h"
#include "corpus/tools/testing/text_page.h"
#include "resources/testing/setting.h"

#include <algorithm>
#include <fcntl.h>
#include <functional>
#include <unistd.h>

#include <gmock/gmock.h>

namespace quarry::resources {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::size_t kBlockBytes = 64u << 10;  // of text with its own digest
constexpr std::size_t kFileBytes = 100'000;

std::string lines_of(const std::string& word, std::size_t bytes) {
  std::string text;
  for (int i = 1; text.size() < bytes; ++i)
    text += word + " stands on line " + std::to_string(i) + "\n";
  return text;
}

const std::map<std::string, std::string> kFiles = {{"a.md", lines_of("alpha", kFileBytes)},
                                                   {"b.md", lines_of("beta", kFileBytes)},
                                                   {"c.md", lines_of("gamma", kFileBytes)},
                                                   {"d.md", "delta alone\n"}};

/// The parts of a snapshot that a question can see.
class Reader {
 public:
  explicit Reader(const Prepared& prepared) : docs_({{"docs", prepared.snapshot}}) {
    for (const auto& [path, text] : kFiles) {
      const auto last = static_cast<int>(std::ranges::count(text, '\n'));
      for (const int line : {1, last / 2, last}) {
        run(corpus::read_page, {{"path", "docs/" + path}, {"startLine", line}, {"limit", 40}});
      }
      const std::string word = text.substr(0, text.find(' '));
      run(corpus::grep_page, {{"pattern", word + ".* line 77$"}, {"context", 2}});
      run(corpus::search_page, {{"query", word + " stands"}, {"limit", 3}});
      cite(path, text, last);
    }
    run(corpus::grep_page, {{"pattern", "line 99$"}});
    run(corpus::list_page, {{"path", "docs"}});
  }

  std::vector<std::string> said;
  int false_citations = 0;  ///< "verified", although the undamaged text differs
  int missed_citations = 0;

 private:
  void run(corpus::Retrieve tool, const Json& arguments) {
    const auto page = corpus::text_page(tool, docs_, arguments, executor_);
    said.push_back(page ? *page : page.error().tag + ": " + page.error().message);
  }
  /// Quotes each of a few lines correctly and incorrectly; the incorrect one differs by a digit, as
  /// damage may cause.
  void cite(const std::string& path, const std::string& text, int last) {
    const std::string word = text.substr(0, text.find(' '));
    for (int line = 1; line < last; line += std::max(1, last / 7)) {
      const std::string place = "[docs:" + path + "#L" + std::to_string(line) + "]\n> ";
      const std::string quotation = word + " stands on line " + std::to_string(line) + "\n";
      if (!is_verified(place + quotation)) ++missed_citations;
      for (char wrong = '0'; wrong <= '9'; ++wrong) {
        std::string changed = quotation;
        changed[changed.size() - 2] = wrong;
        if (changed != quotation && is_verified(place + changed)) ++false_citations;
      }
    }
  }
  bool is_verified(const std::string& answer) {
    const auto citations = corpus::check_citations(docs_, answer);
    return citations.size() == 1 && citations.front().verified;
  }

  corpus::Collection docs_;
  InlineExecutor executor_;
};

/// A kind of damage to a file or directory.
struct Fault {
  std::string name;
  std::function<void(const fs::path&)> act;
};

void overwrite(const fs::path& path, std::size_t at, const std::string& bytes) {
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (fd)
    static_cast<void>(!::pwrite(fd.get(), bytes.data(), bytes.size(), static_cast<off_t>(at)));
}

void flip(const fs::path& path, std::size_t at) {
  const auto bytes = read_file(path);
  if (bytes && at < bytes->size()) overwrite(path, at, std::string(1, (*bytes)[at] ^ 1));
}

void zero(const fs::path& path, std::size_t at, std::size_t size) {
  const std::size_t end = fs::file_size(path);
  if (at < end) overwrite(path, at, std::string(std::min(size, end - at), '\0'));
}

void replace_by_file(const fs::path& path) {
  fs::remove_all(path);
  std::ofstream(path) << "something else";
}

void replace_by_directory(const fs::path& path) {
  fs::remove_all(path);
  fs::create_directories(path / "something else");
}

std::vector<Fault> faults_of_files(std::size_t size) {
  std::vector<Fault> faults = {
      {"missing", [](const fs::path& path) { fs::remove(path); }},
      {"empty", [](const fs::path& path) { fs::resize_file(path, 0); }},
      {"cut in half", [=](const fs::path& path) { fs::resize_file(path, size / 2); }},
      {"cut by a byte", [=](const fs::path& path) { fs::resize_file(path, size - 1); }},
      {"longer", [=](const fs::path& path) { fs::resize_file(path, size + 4096); }},
      {"all zeros", [=](const fs::path& path) { zero(path, 0, size); }},
      {"a directory", replace_by_directory},
      {"another file", replace_by_file},
      {"unreadable", [](const fs::path& path) { fs::permissions(path, fs::perms::none); }},
  };
  for (const std::size_t at : {std::size_t{0}, size / 3, size / 2, size - 1}) {
    const std::string where = " at " + std::to_string(at);
    faults.push_back({"a flipped bit" + where, [=](const fs::path& path) { flip(path, at); }});
    faults.push_back({"zeros" + where, [=](const fs::path& path) { zero(path, at, 4096); }});
  }
  return faults;
}

/// A cache with one snapshot, and copies of it to damage.
class SnapshotFaults : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    master_ = new TempDirectory;
    Setting setting(1, master_->path());
    fill(setting);
    const auto prepared = setting.prepare();
    ASSERT_TRUE(prepared) << prepared.error().message;
    ASSERT_TRUE(corpus::build_indexes(*prepared->snapshot, setting.executor, {}));
    setting.reopen();
    right_ = Reader(*setting.prepare()).said;
    name_ = setting.snapshots().front();
  }
  static void TearDownTestSuite() { delete std::exchange(master_, nullptr); }

  static void fill(Setting& setting) { setting.fake->files = kFiles; }
  static fs::path snapshot_in(const fs::path& cache) { return cache / "snapshots" / name_; }
  /// The files of the snapshot, relative to it.
  static std::vector<fs::path> parts() {
    std::vector<fs::path> parts;
    for (const auto& entry : fs::recursive_directory_iterator(snapshot_in(master_->path()))) {
      if (entry.is_regular_file()) {
        parts.push_back(entry.path().lexically_relative(snapshot_in(master_->path())));
      }
    }
    return parts;
  }

  static bool names_damage(const std::string& said) {
    return said.contains("SnapshotDamaged") || said.contains("is damaged") ||
           said.contains("copy in the cache is damaged");
  }
  /// Expects each tool to give the right answer or to name the damage.
  static void expect_no_lie(const Reader& reader, const std::string& what) {
    ASSERT_EQ(reader.said.size(), right_.size()) << what;
    for (std::size_t i = 0; i < right_.size(); ++i) {
      EXPECT_TRUE(reader.said[i] == right_[i] || names_damage(reader.said[i]))
          << what << ", tool " << i << " said:\n"
          << reader.said[i].substr(0, 400);
    }
    EXPECT_EQ(reader.false_citations, 0) << what;
  }
  static void expect_right(const Result<Prepared>& prepared, const std::string& what) {
    ASSERT_TRUE(prepared) << what << ": " << prepared.error().message;
    EXPECT_EQ(prepared->stale, "") << what;
    const Reader reader(*prepared);
    EXPECT_TRUE(reader.said == right_) << what;
    EXPECT_EQ(reader.missed_citations, 0) << what;
    EXPECT_EQ(reader.false_citations, 0) << what;
  }

  struct Copy {
    TempDirectory temp;
    Copy() { fs::copy(master_->path(), temp.path() / "cache", fs::copy_options::recursive); }
    [[nodiscard]] fs::path cache() const { return temp.path() / "cache"; }
  };

  /// Damages the cache before a process starts.
  static void damage_before_start(const fs::path& part, const Fault& fault) {
    const std::string what = part.string() + " " + fault.name + " before the start";
    const Copy copy;
    fault.act(copy.cache() / part);
    const bool gone = !fs::exists(snapshot_in(copy.cache()));
    Setting setting(2, copy.cache());
    fill(setting);
    {
      const auto first = setting.prepare();
      ASSERT_TRUE(first) << what << ": " << first.error().message;
      expect_no_lie(Reader(*first), what);
    }
    expect_right(setting.prepare(), what + ", then");
    setting.reopen();
    expect_right(setting.prepare(), what + ", later");
    EXPECT_THAT(setting.snapshots(), ::testing::SizeIs(1)) << what;
    EXPECT_TRUE(gone || setting.fake->fetched == 0 || !setting.problems.empty())
        << what << ": it was rebuilt without a message";
  }

  /// Damages the snapshot while a question of the process reads it.
  static void damage_while_open(const fs::path& part, const Fault& fault, bool read_before) {
    const std::string what = part.string() + ' ' + fault.name + " while it is open" +
                             (read_before ? " and was read" : "");
    const Copy copy;
    Setting setting(2, copy.cache());
    fill(setting);
    {
      const auto open = setting.prepare();
      ASSERT_TRUE(open) << what;
      EXPECT_TRUE(!read_before || Reader(*open).said == right_) << what;
      fault.act(copy.cache() / part);
      const Reader reader(*open);
      EXPECT_EQ(reader.false_citations, 0) << what;
      if (!read_before) expect_no_lie(reader, what);
    }
    setting.reopen();
    const auto next = setting.prepare();
    ASSERT_TRUE(next) << what << ": " << next.error().message;
    expect_no_lie(Reader(*next), what);
    expect_right(setting.prepare(), what + ", then");
  }

  static TempDirectory* master_;
  static std::string name_;
  static std::vector<std::string> right_;
};

TempDirectory* SnapshotFaults::master_ = nullptr;
std::string SnapshotFaults::name_;
std::vector<std::string> SnapshotFaults::right_;

TEST_F(SnapshotFaults, AreTriedOnEveryFileThereIs) {
  std::vector<std::string> names;
  for (const fs::path& part : parts()) names.push_back(part.string());
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("resource.json", "snapshot", "segment-1/text",
                                                     "segment-1/tables", "segment-1/words"));
}

TEST_F(SnapshotFaults, OfEveryFileHealWhenAProcessStarts) {
  for (const fs::path& part : parts()) {
    const std::size_t size = fs::file_size(snapshot_in(master_->path()) / part);
    for (const Fault& fault : faults_of_files(size)) {
      damage_before_start(fs::path("snapshots") / name_ / part, fault);
    }
  }
}

TEST_F(SnapshotFaults, OfEveryFileHealWhileAProcessReads) {
  for (const fs::path& part : parts()) {
    const std::size_t size = fs::file_size(snapshot_in(master_->path()) / part);
    for (const Fault& fault : faults_of_files(size)) {
      damage_while_open(fs::path("snapshots") / name_ / part, fault, false);
    }
    for (const Fault& fault : faults_of_files(size)) {
      damage_while_open(fs::path("snapshots") / name_ / part, fault, true);
    }
  }
}

TEST_F(SnapshotFaults, OfEveryBlockOfTextAreFound) {
  const fs::path text = fs::path("snapshots") / name_ / "segment-1/text";
  const std::size_t size = fs::file_size(master_->path() / text);
  for (std::size_t at = 0; at < size; at += kBlockBytes) {
    const std::string where = " at " + std::to_string(at);
    const std::size_t middle = std::min(at + kBlockBytes / 2, size - 1);
    const Fault faults[] = {
        {"a flipped bit" + where, [=](const fs::path& path) { flip(path, middle); }},
        {"a page of zeros" + where, [=](const fs::path& path) { zero(path, middle, 4096); }},
        {"zeros" + where, [=](const fs::path& path) { zero(path, at, kBlockBytes); }},
        {"a cut" + where, [=](const fs::path& path) { fs::resize_file(path, middle); }},
    };
    for (const Fault& fault : faults) {
      damage_before_start(text, fault);
      damage_while_open(text, fault, false);
      damage_while_open(text, fault, true);
    }
  }
}

TEST_F(SnapshotFaults, OfEveryDirectoryHeal) {
  const std::vector<Fault> faults = {
      {"missing", [](const fs::path& path) { fs::remove_all(path); }},
      {"a file", replace_by_file},
      {"another directory", replace_by_directory},
      {"unreadable", [](const fs::path& path) { fs::permissions(path, fs::perms::none); }},
  };
  const fs::path snapshot = fs::path("snapshots") / name_;
  for (const fs::path& part : {snapshot / "segment-1", snapshot}) {
    for (const Fault& fault : faults) {
      damage_before_start(part, fault);
      damage_while_open(part, fault, true);
    }
  }
  for (const char* const part : {"snapshots", "building"}) {
    for (std::size_t i = 0; i < 2; ++i) {
      const Copy copy;
      faults[i].act(copy.cache() / part);
      Setting setting(2, copy.cache());
      fill(setting);
      expect_right(setting.prepare(), part + (" " + faults[i].name));
    }
  }
}

TEST_F(SnapshotFaults, OfACacheThatIsRemovedMeanwhileHeal) {
  const Copy copy;
  Setting setting(2, copy.cache());
  fill(setting);
  expect_right(setting.prepare(), "before");
  fs::remove_all(copy.cache());
  expect_right(setting.prepare(), "after");
}

TEST_F(SnapshotFaults, FoundWhileReadingAreRepairedWithoutAnotherQuestion) {
  const Copy copy;
  Setting setting(2, copy.cache());
  fill(setting);
  zero(snapshot_in(copy.cache()) / "segment-1/text", kBlockBytes, 4096);
  Gate fetching;
  setting.fake->while_fetching = [&](const services::Call&) { fetching.open(); };
  {
    const auto prepared = setting.prepare();
    ASSERT_TRUE(prepared);
    const Reader reader(*prepared);  // possibly after the build of the indexes, which reads too
  }
  fetching.wait();
  expect_right(setting.prepare(), "meanwhile");
  EXPECT_EQ(setting.fake->fetched, 1);
  setting.reopen();
  EXPECT_THAT(setting.problems, ::testing::Contains(HasSubstr("damaged and is rebuilt")));
  expect_right(setting.prepare(), "afterwards");
  EXPECT_EQ(setting.fake->fetched, 1);
  setting.reopen();
  EXPECT_THAT(setting.leftovers(), IsEmpty());
}

TEST_F(SnapshotFaults, ThatComeAgainAreRepairedForWhoAsksOnly) {
  const Copy copy;
  Setting setting(2, copy.cache());
  fill(setting);
  int expected = 0;
  for (const bool first : {true, false}) {
    const auto prepared = setting.prepare();
    ASSERT_TRUE(prepared);
    EXPECT_EQ(setting.fake->fetched, expected);
    zero(snapshot_in(copy.cache()) / "segment-1/text", kBlockBytes, 4096);
    EXPECT_GT(Reader(*prepared).missed_citations, 0);
    if (first) expect_right(setting.prepare(), "in the first place");
    if (first) ++expected;
  }
  setting.library->shutdown();
  EXPECT_EQ(setting.fake->fetched, expected) << "no resource was fetched without a request";
  setting.reopen();
  expect_right(setting.prepare(), "in the end");
}

TEST_F(SnapshotFaults, AreNamedWhenTheSourceIsNotThere) {
  const Copy copy;
  Setting setting(2, copy.cache());
  fill(setting);
  zero(snapshot_in(copy.cache()) / "segment-1/text", kBlockBytes, 4096);
  setting.fake->resolve_error = Error{Code::kUnavailable, "the network is down"};
  // The build of the indexes may find the damage first.
  if (const auto first = setting.prepare()) expect_no_lie(Reader(*first), "without the source");
  const auto next = setting.prepare();
  ASSERT_FALSE(next) << "a damaged state must not answer again";
  EXPECT_THAT(next.error().message, HasSubstr("the network is down"));
  {
    const std::lock_guard lock(setting.fake->mutex);
    setting.fake->resolve_error.reset();
  }
  expect_right(setting.prepare(), "with the source again");
}

TEST_F(SnapshotFaults, AreNotTakenOverByTheNextState) {
  const Copy copy;
  Setting setting(2, copy.cache());
  fill(setting);
  zero(snapshot_in(copy.cache()) / "segment-1/text", kBlockBytes, 4096);
  expect_no_lie(Reader(*setting.prepare()), "damaged");
  {
    const std::lock_guard lock(setting.fake->mutex);
    setting.fake->version = version_of("v2", true, "version 2");
    setting.fake->files["e.md"] = "epsilon\n";
  }
  const auto next = setting.sync();
  ASSERT_TRUE(next) << next.error().message;
  for (const auto& [path, text] : kFiles) EXPECT_EQ(text_of(*next, path), text);
  for (const auto& segment : next->snapshot->segments()) EXPECT_TRUE(segment->check_all());
}

}  // namespace
}  // namespace quarry::resources
