#include "resource-debian/testing/archive_host.h"
#include "resource-debian/unpack.h"

namespace quarry::resource_debian {
namespace {

using testing::tar_of;
using testing::TarEntry;

/// Puts packages together from archives in memory.
class ContentTest : public ::testing::Test {
 protected:
  void add(const std::string& name, std::string bytes) {
    const std::string digest(64, 'a');
    description_.files.push_back({name, bytes.size(), digest});
    ASSERT_TRUE(blobs_[name].partial().write(0, bytes));
    ASSERT_TRUE(blobs_[name].publish({}));
  }
  /// Texts by path, "link" for links; or the failure's message under "".
  std::map<std::string, std::string> together(const std::string& format) {
    description_.format = format;
    description_.source = "p";
    description_.version = "1-1";
    const auto parts = parts_of(description_);
    if (!parts) return {{"", parts.failure().message}};
    const quarry::testing::FakeCall call;
    Spill spill("");
    Notes notes;
    const auto nodes = put_together(Call(call.get()), *parts, blobs_, spill, notes);
    if (!nodes) return {{"", nodes.failure().message}};
    std::map<std::string, std::string> out;
    for (const auto& [path, node] : *nodes) {
      out[path] = node.kind == Node::Kind::kLink ? "link" : spill.read(node).value_or("unreadable");
    }
    return out;
  }
  std::string refusal_of(const std::vector<TarEntry>& entries) {
    description_.files.clear();
    add("p_1-1.tar.gz", tar_of(entries));
    return together("3.0 (native)")[""];
  }

  Description description_;
  Blobs blobs_;
};

TEST_F(ContentTest, TheOneTopFolderIsLeftOut) {
  add("p_1-1.tar.gz", tar_of({{"./p-1/", "", '5'},
                              {"./p-1/a", "1"},
                              {"p-1/b/c", "2"},
                              {"p-1/l", "", '2', "a"},
                              {"p-1/h", "", '1', "p-1/a"},
                              {"p-1/pipe", "", '6'},
                              {"p-1/debian/source/format", "3.0 (native)\n"}}));
  EXPECT_EQ(together("3.0 (native)"),
            (std::map<std::string, std::string>{{"a", "1"},
                                                {"b/c", "2"},
                                                {"l", "link"},
                                                {"h", "1"},
                                                {"debian/source/format", "3.0 (native)\n"}}));
}

TEST_F(ContentTest, SeveralTopEntriesStay) {
  add("p_1-1.tar.gz", tar_of({{"a", "1"}, {"b/c", "2"}}));
  EXPECT_EQ(together("1.0"), (std::map<std::string, std::string>{{"a", "1"}, {"b/c", "2"}}));
}

TEST_F(ContentTest, QuiltAddsDebianAndItsPatches) {
  add("p_1.orig.tar.xz",
      tar_of({{"p/a", "1\n"}, {"p/debian/old", "x"}, {"p/.pc/x", "x"}, {"p/more/x", "x"}}));
  add("p_1.orig-more.tar.gz", tar_of({{"m/y", "2"}}));
  add("p_1.orig.tar.xz.asc", "signature");
  add("p_1-1.debian.tar.xz",
      tar_of({{"debian/source/format", "3.0 (quilt)\n"},
              {"debian/patches/series", "# x\n\nreal.patch -p1\n"},
              {"debian/patches/real.patch", "", '2', "../other.patch"},
              {"debian/other.patch", "--- x/a\n+++ y/a\n@@ -1 +1 @@\n-1\n+3\n"}}));
  auto files = together("3.0 (quilt)");
  EXPECT_EQ(files["a"], "3\n");
  EXPECT_EQ(files["more/y"], "2");
  EXPECT_FALSE(files.contains("more/x"));
  EXPECT_FALSE(files.contains("debian/old"));
  EXPECT_FALSE(files.contains(".pc/x"));
}

TEST_F(ContentTest, PathsThatLeadOutAreRefused) {
  EXPECT_EQ(refusal_of({{"p/../../x", "1"}}),
            "p_1-1.tar.gz has the path \"p/../../x\", which leads out of it");
  EXPECT_EQ(refusal_of({{"p/l", "", '2', "/etc"}, {"p/l/passwd", "x"}}),
            "p_1-1.tar.gz has \"p/l\" as a file and as a folder");
  EXPECT_EQ(refusal_of({{"p/h", "", '1', "/etc/passwd"}}),
            "p_1-1.tar.gz has the hard link \"p/h\" to \"/etc/passwd\", which is not in it");
  EXPECT_EQ(refusal_of({{"p/d/x", "1"}, {"p/d", "1"}}),
            "p_1-1.tar.gz has \"p/d\" as a file and as a folder");
}

TEST_F(ContentTest, AnAbsolutePathIsBelowThePackage) {
  add("p_1-1.tar.gz", tar_of({{"/etc/passwd", "1"}, {"b", "2"}}));
  EXPECT_EQ(together("1.0"), (std::map<std::string, std::string>{{"etc/passwd", "1"}, {"b", "2"}}));
}

TEST_F(ContentTest, PartsThatTheFormatDoesNotHaveAreRefused) {
  add("p_1-1.tar.gz", tar_of({}));
  add("p_1-1.exe", "x");
  EXPECT_EQ(together("3.0 (native)")[""],
            "p_1-1.dsc names the file p_1-1.exe, which its format does not have");
  EXPECT_EQ(together("3.0 (git)")[""], "source format \"3.0 (git)\" of p is not supported");
  description_.files.clear();
  EXPECT_EQ(together("3.0 (quilt)")[""], "p_1-1.dsc lacks an archive, or its SHA-256");
}

TEST_F(ContentTest, CopiesAreSummed) {
  Nodes nodes;
  for (int i = 0; i < 100; ++i) {
    nodes[std::to_string(i)] = {Node::Kind::kFile, 7, std::uint64_t{1} << 20, true};
  }
  EXPECT_EQ(check_total(nodes, 1 << 20, "p", 4 << 20), std::nullopt);
  const auto failed = check_total(nodes, 1000, "p", 4 << 20);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->status, QUARRY_RESOURCE_EXHAUSTED);
  EXPECT_EQ(
      failed->message,
      "p unpacks to more than 200 times its size of 1000 bytes, counting 64 hard links as copies");
  EXPECT_EQ(check_total(nodes, 1000, "p", 4096), std::nullopt)
      << "large files are listed, not written";
}

TEST_F(ContentTest, SizesBeyondAllLimitsAreRefusedAtTheirHeader) {
  std::string tar = tar_of({{"p/a", "1"}});
  // 8 PiB in base 256; the checksum of the header with spaces in its place.
  tar.replace(124, 12, std::string("\x80\0\0\0\0\x20\0\0\0\0\0\0", 12));
  tar.replace(148, 8, "        ");
  unsigned sum = 0;
  for (int i = 0; i < 512; ++i) sum += static_cast<unsigned char>(tar[static_cast<std::size_t>(i)]);
  std::string octal(7, '0');
  for (std::size_t i = 6; sum > 0; sum /= 8) octal[--i] = static_cast<char>('0' + sum % 8);
  octal[6] = '\0';
  tar.replace(148, 7, octal);
  add("p_1-1.tar.gz", tar);
  EXPECT_NE(together("3.0 (native)")[""].find("unpacks to more than 34359738368 bytes"),
            std::string::npos)
      << together("3.0 (native)")[""];
}

TEST_F(ContentTest, PathsThatNoTreeKeepsAreLeftOut) {
  std::string deep = "p-1/";
  while (deep.size() < 1'000'000) deep += "d/";  // looking up each folder of it would take hours
  std::vector<TarEntry> entries{{"p-1/a", "1"}};
  for (const std::string& path : {"p-1/" + std::string(5000, 'n'), deep + "x"}) {
    entries.push_back({"././@LongLink", path + '\0', 'L'});
    entries.push_back({"short", "2"});
  }
  const quarry::testing::FakeCall call;
  Spill spill("");
  add("p_1.tar.gz", tar_of(entries));
  const auto unpacked =
      unpack(Call(call.get()), blobs_["p_1.tar.gz"].file(), "p_1.tar.gz", spill, true);
  ASSERT_TRUE(unpacked) << unpacked.failure().message;
  EXPECT_EQ(unpacked->nodes.size(), 1u);
  EXPECT_EQ(unpacked->long_paths.count, 2u);
}

TEST_F(ContentTest, ADamagedArchiveIsNamed) {
  add("p_1-1.tar.gz", "nothing of the kind");
  EXPECT_EQ(together("3.0 (native)")[""].substr(0, 32), "p_1-1.tar.gz cannot be unpacked:");
}

TEST(Description, IsReadSignedOrNot) {
  const std::string text = "Format: 3.0 (quilt)\nSource: pp\nVersion: 1-1\nChecksums-Sha256:\n " +
                           std::string(64, 'a') + " 3 p_1.orig.tar.gz\n";
  for (const std::string& form : {text, testing::clear_signed(text), "\n" + text}) {
    const auto read = read_description(form, "p.dsc");
    ASSERT_TRUE(read) << read.failure().message;
    EXPECT_EQ(read->version, "1-1");
    EXPECT_EQ(read->files.size(), 1u);
  }
  EXPECT_FALSE(read_description("", "p.dsc"));
  EXPECT_FALSE(read_description("Source: ../pp\nVersion: 1\n", "p.dsc"));
  EXPECT_EQ(read_description(
                "Source: pp\nVersion: 1\nChecksums-Sha256:\n " + std::string(64, 'a') + " 3 ../x\n",
                "p.dsc")
                .failure()
                .message,
            "p.dsc names the file \"../x\", which is no plain file name");
}

}  // namespace
}  // namespace quarry::resource_debian
