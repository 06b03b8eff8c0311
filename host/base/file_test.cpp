#include "base/file.h"

#include "base/hash.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace quarry {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override { root_ = *make_temp_directory(fs::temp_directory_path(), "quarry-test-"); }
  void TearDown() override { fs::remove_all(root_); }
  fs::path root_;
};

TEST_F(Files, AreReplacedInOneStepAndKeepTheirMode) {
  const fs::path path = root_ / "file";
  ASSERT_TRUE(write_file_atomically(path, "one"));
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_TRUE(write_file_atomically(path, "two"));
  EXPECT_EQ(*read_file(path), "two");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms{0640});
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), {}), 1) << "no temporary file is left";
}

TEST_F(Files, SayWhichPathFailedAndWhy) {
  const auto missing = read_file(root_ / "none");
  EXPECT_EQ(missing.error().code, Code::kNotFound);
  EXPECT_THAT(missing.error().message, ::testing::HasSubstr("none: No such file"));
  EXPECT_FALSE(write_file_atomically(root_ / "no" / "file", ""));
}

TEST_F(Files, AreReadUpToALimit) {
  ASSERT_TRUE(write_file_atomically(root_ / "file", std::string(100, 'x')));
  EXPECT_EQ(read_file(root_ / "file", 99).error().code, Code::kResourceExhausted);
  EXPECT_TRUE(read_file(root_ / "file", 100));
  EXPECT_EQ(read_file(root_).error().code, Code::kInvalidArgument) << "a directory is not a file";
}

TEST_F(Files, AreMappedWhole) {
  ASSERT_TRUE(write_file_atomically(root_ / "file", "bytes"));
  ASSERT_TRUE(write_file_atomically(root_ / "empty", ""));
  EXPECT_EQ(MappedFile::open(root_ / "file")->bytes(), "bytes");
  EXPECT_EQ(MappedFile::open(root_ / "empty")->bytes(), "");
  EXPECT_FALSE(MappedFile::open(root_ / "none"));
}

TEST_F(Files, ThatArePipesAreNeitherReadNorMapped) {
  const auto pipe = root_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(MappedFile::open(pipe).error().code, Code::kInvalidArgument);
  EXPECT_EQ(read_file(pipe, 10).error().code, Code::kInvalidArgument);
}

TEST_F(Files, OfPrivateStateAreRestrictedToTheirOwner) {
  const auto mode = [&] {
    struct stat status {};
    EXPECT_EQ(::stat((root_ / "file").c_str(), &status), 0);
    return status.st_mode & 07777;
  };
  const auto set = [&](mode_t to) { ASSERT_EQ(::chmod((root_ / "file").c_str(), to), 0); };
  ASSERT_TRUE(write_file_atomically(root_ / "file", "key"));
  for (const mode_t readable : {0600, 0640, 0604, 0655}) {
    set(readable);
    EXPECT_TRUE(restrict_to_owner(root_ / "file")) << readable;
    EXPECT_EQ(mode(), 0600u);
  }
  for (const mode_t writable : {0620, 0602}) {
    set(writable);
    const Status refused = restrict_to_owner(root_ / "file");
    ASSERT_FALSE(refused) << writable;
    EXPECT_EQ(refused.error().code, Code::kPermissionDenied);
    EXPECT_THAT(refused.error().message, ::testing::HasSubstr("others may write to it"));
    EXPECT_EQ(mode(), writable) << "its owner decides";
  }
}

TEST_F(Files, OfAnotherUserOrKindAreNoPrivateState) {
  EXPECT_EQ(restrict_to_owner(root_ / "none").error().code, Code::kNotFound);
  fs::create_symlink(root_ / "none", root_ / "link");
  EXPECT_THAT(restrict_to_owner(root_ / "link").error().message,
              ::testing::HasSubstr("a link to a file that does not exist"));
  EXPECT_THAT(restrict_to_owner(root_).error().message, ::testing::HasSubstr("not a regular file"));
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_TRUE(write_file_atomically(root_ / "file", "key"));
  ASSERT_EQ(::chown((root_ / "file").c_str(), 1, 1), 0);
  EXPECT_THAT(restrict_to_owner(root_ / "file").error().message,
              ::testing::HasSubstr("another user (uid 1)"));
}

TEST_F(Files, AreInDirectoriesOfTheirOwnerAlone) {
  const mode_t before = ::umask(0);
  ASSERT_TRUE(create_private_directories(root_ / "a" / "b"));
  ::umask(before);
  for (const char* made : {"a", "a/b"}) {
    struct stat status {};
    ASSERT_EQ(::stat((root_ / made).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0700u) << made;
  }
  ASSERT_EQ(::chmod((root_ / "a").c_str(), 0755), 0);
  EXPECT_TRUE(create_private_directories(root_ / "a"));
  struct stat status {};
  ASSERT_EQ(::stat((root_ / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0755u) << "its owner decides";
  ASSERT_TRUE(write_file_atomically(root_ / "file", ""));
  EXPECT_FALSE(create_private_directories(root_ / "file"));
  EXPECT_FALSE(create_private_directories(root_ / "file" / "c"));
}

TEST_F(Files, ThatAreCutShortReadAsZerosWhereTheyAreMapped) {
  const std::string bytes(1u << 20, 'x');
  ASSERT_TRUE(write_file_atomically(root_ / "file", bytes));
  const auto mapped = MappedFile::open(root_ / "file");
  fs::resize_file(root_ / "file", 10);
  EXPECT_EQ(mapped->bytes().substr(0, 11), std::string("xxxxxxxxxx\0", 11));
  EXPECT_EQ(std::ranges::count(mapped->bytes(), '\0'), std::ptrdiff_t{(1 << 20) - 10});
}

TEST_F(Files, TellWhetherTheyHaveChangedSinceTheyWereMapped) {
  const fs::path path = root_ / "file";
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  const auto map = [&] {
    EXPECT_TRUE(write_file_atomically(path, "bytes"));
    fs::last_write_time(path, long_ago);
    return *MappedFile::open(path);
  };
  const MappedFile written = map();
  EXPECT_FALSE(written.has_changed());
  std::ofstream(path, std::ios::in | std::ios::out) << "b";
  EXPECT_TRUE(written.has_changed());

  MappedFile cut = map();
  fs::resize_file(path, 3);
  fs::last_write_time(path, long_ago);
  EXPECT_TRUE(cut.has_changed());
  const MappedFile moved = std::move(cut);
  EXPECT_TRUE(moved.has_changed());
  EXPECT_FALSE(cut.has_changed()) << "nothing is mapped";

  const MappedFile linked = map();
  fs::create_hard_link(path, root_ / "link");
  EXPECT_FALSE(linked.has_changed());
  ASSERT_TRUE(write_file_atomically(path, "others"));
  EXPECT_FALSE(linked.has_changed()) << "the path leads to another file";
  fs::remove(path);
  EXPECT_FALSE(linked.has_changed());
}

TEST_F(Files, HaveChangedIfAPageCannotBeRead) {
  const fs::path path = root_ / "file";
  ASSERT_TRUE(write_file_atomically(path, std::string(1u << 20, 'x')));
  const auto mapped = MappedFile::open(path);
  const auto sound = MappedFile::open(root_ / "file");
  fs::rename(path, root_ / "elsewhere");
  fs::resize_file(root_ / "elsewhere", 10);
  EXPECT_FALSE(mapped->has_changed()) << "not read yet";
  EXPECT_EQ(mapped->bytes()[5000], '\0');
  EXPECT_TRUE(mapped->has_changed());
  EXPECT_FALSE(sound->has_changed());
}

TEST_F(Files, GuardNothingButWhatTheyMap) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto read_beyond = [&] {
    { const auto unmapped = MappedFile::open(root_ / "file"); }
    const Fd fd(::open((root_ / "file").c_str(), O_RDONLY | O_CLOEXEC));
    const auto* const data =
        static_cast<const char*>(::mmap(nullptr, 8192, PROT_READ, MAP_SHARED, fd.get(), 0));
    std::exit(data[5000]);
  };
  ASSERT_TRUE(write_file_atomically(root_ / "file", "short"));
  EXPECT_DEATH(read_beyond(), "") << "an unguarded page still ends the process";
}

TEST_F(Files, LockOutEachOther) {
  const fs::path path = root_ / "lock";
  auto first = FileLock::acquire(path, FileLock::Mode::kExclusive);
  ASSERT_TRUE(first);
  EXPECT_EQ(FileLock::try_acquire(path, FileLock::Mode::kShared).error().code, Code::kUnavailable);
  { const FileLock released = std::move(*first); }
  const auto shared = FileLock::try_acquire(path, FileLock::Mode::kShared);
  EXPECT_TRUE(shared);
  EXPECT_TRUE(FileLock::try_acquire(path, FileLock::Mode::kShared));
}

TEST_F(Files, LockADirectoryWithoutLeavingAnythingInIt) {
  const auto lock = FileLock::acquire(root_, FileLock::Mode::kExclusive);
  ASSERT_TRUE(lock);
  EXPECT_FALSE(FileLock::try_acquire(root_, FileLock::Mode::kExclusive));
  EXPECT_TRUE(fs::is_empty(root_));
}

TEST_F(Files, HaveTheStandardDigest) {
  ASSERT_TRUE(write_file_atomically(root_ / "file", "abc"));
  EXPECT_EQ(*sha256_file(root_ / "file"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace quarry
