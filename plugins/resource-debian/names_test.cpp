// Names, versions, dates, control data and references.
#include "resource-debian/control.h"
#include "resource-debian/release.h"
#include "resource-debian/sources.h"
#include "resource-debian/version.h"
#include "resource-debian/wanted.h"

#include <gtest/gtest.h>

namespace quarry::resource_debian {
namespace {

TEST(Version, OrderIsThatOfDpkg) {
  // Each is older than the next, as dpkg --compare-versions says.
  const std::vector<std::string> ordered{
      "0~~",           "0~",         "0",        "0+a",     "0.1",   "1.0~rc1-1",
      "1.0-1~bpo12+1", "1.0-1",      "1.0-1+b1", "1.0-1.1", "1.0-2", "1.0-10",
      "1.0a-1",        "1.0+dfsg-1", "1.00.1-1", "1:0.1-1", "2:0"};
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    for (std::size_t j = 0; j < ordered.size(); ++j) {
      const int less = compare_versions(ordered[i], ordered[j]);
      EXPECT_EQ(less < 0, i < j) << ordered[i] << " " << ordered[j];
      EXPECT_EQ(less == 0, i == j) << ordered[i] << " " << ordered[j];
    }
  }
  EXPECT_EQ(compare_versions("1.0", "01.00"), 0);
  EXPECT_EQ(compare_versions("0:1.0-0", "1.0"), 0);
}

TEST(Version, PartsAreTaken) {
  EXPECT_EQ(without_epoch("2:9.0-1"), "9.0-1");
  EXPECT_EQ(upstream_version("2:9.0-rc-1"), "9.0-rc");
  EXPECT_EQ(without_rebuild("1.0-1+b12"), "1.0-1");
  EXPECT_EQ(without_rebuild("1.0-1+deb12u5"), "1.0-1+deb12u5");
  EXPECT_EQ(without_rebuild("1.0-1+b"), "1.0-1+b");
}

TEST(Version, NamesAreChecked) {
  for (const char* good : {"0ad", "libsigc++-2.0", "g++", "a.b"})
    EXPECT_TRUE(is_package_name(good)) << good;
  for (const char* bad : {"", "a", "Curl", "-curl", "../x", "a/b", "a b", "ä1"})
    EXPECT_FALSE(is_package_name(bad)) << bad;
  for (const char* good : {"1", "7.88.1-10+deb12u5", "2:9.0~rc1-1"})
    EXPECT_TRUE(is_version(good)) << good;
  for (const char* bad : {"", "abc", ":1", "1:", "a:1", "1/2", "1 2", "latest"})
    EXPECT_FALSE(is_version(bad)) << bad;
  for (const char* good : {"stable", "bookworm/updates", "bookworm-backports"})
    EXPECT_TRUE(is_suite_name(good)) << good;
  for (const char* bad : {"", "/a", "a/", "a//b", "../a", "a/../b", "a b"})
    EXPECT_FALSE(is_suite_name(bad)) << bad;
}

TEST(Control, FieldsAreRead) {
  const std::string stanza = "Package: curl\nBinary: curl,\n libcurl4\nEmpty:\npackage: other\n";
  EXPECT_EQ(field(stanza, "package"), "curl");
  EXPECT_EQ(field(stanza, "Binary"), "curl,\nlibcurl4");
  EXPECT_EQ(field(stanza, "Empty"), "");
  EXPECT_EQ(field(stanza, "libcurl4"), "");
}

TEST(Control, StanzasAreTheSameHoweverTheyAreCut) {
  const std::string text = "\nA: 1\nB: 2\n\n\n \nA: 2\n x\n\nA: 3";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    std::vector<std::string> found;
    StanzaReader reader([&](std::string_view stanza) {
      found.emplace_back(trimmed(stanza));
      return true;
    });
    EXPECT_TRUE(reader.feed(text.substr(0, cut)) && reader.feed(text.substr(cut)) && reader.end());
    EXPECT_EQ(found, (std::vector<std::string>{"A: 1\nB: 2", "A: 2\n x", "A: 3"})) << cut;
  }
}

TEST(Control, AStanzaHasALimit) {
  StanzaReader reader([](std::string_view) { return true; });
  EXPECT_FALSE(reader.feed("A: " + std::string(std::size_t{9} << 20, 'x')));
  EXPECT_TRUE(reader.too_large());
}

TEST(Control, ListsOfFilesAreReadWholeOrNotAtAll) {
  const std::string digest(64, 'a');
  EXPECT_EQ(listed_files("\n" + digest + " 12 x.dsc\n" + digest + " 3 y\n").size(), 2u);
  EXPECT_TRUE(listed_files(digest + " 12 x y").empty());
  EXPECT_TRUE(listed_files(digest + " -1 x").empty());
  EXPECT_TRUE(listed_files(digest + " 99999999999999999999 x").empty());
  EXPECT_TRUE(listed_files("abc 1 x").empty());
}

TEST(Names, OfFilesStayInTheirFolder) {
  EXPECT_TRUE(is_plain_name("curl_7.88.1-10+deb12u5.debian.tar.xz"));
  for (const char* bad : {"", ".", "..", "a/b", "../a", "-x", ".hidden"})
    EXPECT_FALSE(is_plain_name(bad)) << bad;
  EXPECT_FALSE(is_plain_name(std::string("a\nb")));
  EXPECT_TRUE(is_plain_path("pool/main/c/curl"));
  for (const char* bad : {"", "/pool", "pool/", "pool//x", "pool/../x"})
    EXPECT_FALSE(is_plain_path(bad)) << bad;
}

TEST(Release, TimesAreRead) {
  EXPECT_EQ(as_time("Sat, 12 Sep 2026 07:55:41 UTC"), 1789199741);
  EXPECT_EQ(as_time("Thu, 01 Jan 1970 00:00:00 UTC"), 0);
  EXPECT_EQ(as_time("Thu, 29 Feb 2024 12:00:00 +0000"), 1709208000);
  for (const char* bad :
       {"", "yesterday", "Sat, 12 Foo 2026 07:55:41 UTC", "Sat, 12 Sep 2026 07:55:41 CET",
        "Sat, 12 Sep 2026 25:55:41 UTC", "Sat, 40 Sep 2026 07:55:41 UTC"}) {
    EXPECT_EQ(as_time(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(as_day(1789199741), "2026-09-12 07:55 UTC");
  EXPECT_EQ(as_day(0), "1970-01-01 00:00 UTC");
}

TEST(Release, TheBestIndexIsTaken) {
  const std::string digest(64, 'a');
  const auto release = read_release(
      "Suite: stable\nComponents: main ../x\nDate: Sat, 12 Sep 2026 07:55:41 UTC\nSHA256:\n " +
      digest + " 1 main/source/Sources\n " + digest + " 2 main/source/Sources.gz\n " + digest +
      " 3 main/binary-amd64/Packages\n");
  ASSERT_TRUE(release) << release.failure().message;
  EXPECT_EQ(release->components, std::vector<std::string>{"main"});
  ASSERT_NE(release->sources_of("main"), nullptr);
  EXPECT_EQ(release->sources_of("main")->name, "main/source/Sources.gz");
  EXPECT_EQ(release->sources_of("contrib"), nullptr);
}

TEST(Reference, FormsAreRead) {
  const auto of = [](std::string_view package, std::string_view rest = {}) {
    return "{\"resource\":{\"name\":\"" + std::string(package) + "\",\"package\":\"" +
           std::string(package) + "\"" + std::string(rest) + "},\"confidence\":100}";
  };
  EXPECT_EQ(read_reference("debian:curl"), of("curl"));
  EXPECT_EQ(read_reference("debian:curl@7.88.1-10+deb12u5"),
            of("curl", R"(,"version":"7.88.1-10+deb12u5")"));
  EXPECT_EQ(read_reference("debian:vim=2:9.0-1"), of("vim", R"(,"version":"2:9.0-1")"));
  EXPECT_EQ(read_reference("debian:curl/bookworm"), of("curl", R"(,"suite":"bookworm")"));
  EXPECT_EQ(read_reference("debian:curl@1-1/bookworm/updates"),
            of("curl", R"(,"version":"1-1","suite":"bookworm/updates")"));
  EXPECT_EQ(read_reference("https://sources.debian.org/src/curl/"), of("curl"));
  EXPECT_EQ(read_reference("https://sources.debian.org/src/curl/latest/"), of("curl"));
  EXPECT_EQ(read_reference("https://sources.debian.org/src/curl/7.88.1-10%2Bdeb12u5/lib/url.c/#L3"),
            of("curl", R"(,"version":"7.88.1-10+deb12u5")"));
  EXPECT_EQ(read_reference("https://sources.debian.org/src/curl/sid/"),
            of("curl", R"(,"suite":"sid")"));
  EXPECT_EQ(read_reference("https://tracker.debian.org/pkg/curl"), of("curl"));
  EXPECT_EQ(read_reference("https://packages.debian.org/bookworm/curl"),
            of("curl", R"(,"suite":"bookworm")"));
  EXPECT_EQ(read_reference("https://packages.debian.org/source/sid/curl"),
            of("curl", R"(,"suite":"sid")"));
  EXPECT_EQ(read_reference("https://packages.debian.org/src:curl"), of("curl"));
  EXPECT_EQ(read_reference("pkg:deb/debian/curl@7.88.1-10%2Bdeb12u5?arch=source&distro=debian-12"),
            of("curl", R"(,"version":"7.88.1-10+deb12u5","suite":"bookworm")"));
  EXPECT_EQ(read_reference("pkg:deb/debian/curl?repository_url=https://deb.example.org/debian"),
            of("curl", R"(,"mirror":"https://deb.example.org/debian")"));
}

TEST(Reference, OthersAreNotTaken) {
  for (const char* other :
       {"", "curl", "debian:", "debian:curl@", "debian:curl/", "debian:../x", "debian:a b",
        "debian:Curl", "pkg:deb/ubuntu/curl", "pkg:deb/debian/curl@", "pkg:npm/curl",
        "https://sources.debian.org/", "https://sources.debian.org.evil.example/src/curl",
        "https://tracker.debian.org/teams/x", "https://example.org/src/curl", "ftp://x"}) {
    EXPECT_EQ(read_reference(other), "null") << other;
  }
}

TEST(Wanted, EqualSourcesAreEqualText) {
  const Settings settings = settings_of("{}");
  const auto text = [&](std::string_view resource) {
    const auto wanted = wanted_of(settings, resource);
    return wanted ? canonical(*wanted) : wanted.failure().message;
  };
  EXPECT_EQ(text(R"({"package":"curl"})"), R"({"package":"curl","suite":"stable"})");
  EXPECT_EQ(
      text(
          R"({"package":"curl","version":null,"suite":"stable/","components":["main","contrib","main"]})"),
      R"({"package":"curl","suite":"stable","components":["contrib","main"]})");
  EXPECT_EQ(
      text(
          R"({"package":"curl","mirror":"HTTPS://Deb.example.ORG/Debian//","specialNotes":"a\"b"})"),
      R"({"package":"curl","suite":"stable","mirror":"https://deb.example.org/Debian","specialNotes":"a\"b"})");
}

TEST(Wanted, SecuritySuitesHaveTheirOwnArchive) {
  const auto mirror = [](std::string_view configuration, std::string_view resource) {
    return wanted_of(settings_of(configuration), resource)->mirror;
  };
  EXPECT_EQ(mirror("{}", R"({"package":"curl"})"), "http://deb.debian.org/debian");
  EXPECT_EQ(mirror("{}", R"({"package":"curl","suite":"trixie-security"})"),
            "http://deb.debian.org/debian-security");
  EXPECT_EQ(mirror(R"({"mirror":"http://a/b/"})", R"({"package":"curl","suite":"x-security"})"),
            "http://a/b");
}

TEST(Wanted, AFailureNamesTheField) {
  const auto refused = [](std::string_view resource, std::string_view configuration = "{}") {
    const auto wanted = wanted_of(settings_of(configuration), resource);
    return wanted ? "accepted" : wanted.failure().message;
  };
  EXPECT_EQ(refused(R"({"package":"Curl"})"), "package \"Curl\" is no name of a package");
  EXPECT_EQ(refused(R"({"package":"curl","version":"latest"})"),
            "version \"latest\" is no version of a package");
  EXPECT_EQ(refused(R"({"package":"curl","suite":"../x"})"),
            "suite \"../x\" is no name of a suite");
  EXPECT_EQ(refused(R"({"package":"curl","components":["main","a b"]})"),
            "components/1 \"a b\" is no name of a component");
  EXPECT_EQ(refused(R"({"package":"curl","mirror":"ftp://x/y"})"),
            "mirror is not an https or http URL");
  EXPECT_EQ(refused(R"({"package":"curl","mirror":"http:///x"})"), "mirror has no valid host");
  EXPECT_EQ(refused(R"({"package":"curl","mirror":"http://me:secret@x/y"})"),
            "mirror has a user or password in it");
  EXPECT_EQ(refused(R"({"package":"curl","mirror":"http://x/y#z"})"),
            "mirror has a query or a fragment");
  EXPECT_EQ(refused(R"({"package":"curl","keyring":"key.gpg"})"),
            "keyring is not an absolute path");
  constexpr std::string_view kProject =
      R"({"acts_for":"project","mirrors":["http://a/b"],"keyrings":["/k.gpg"]})";
  EXPECT_EQ(refused(R"({"package":"curl","mirror":"http://a/b"})", kProject), "accepted");
  EXPECT_EQ(refused(R"({"package":"curl","mirror":"http://c/d"})", kProject),
            "mirror is not permitted here");
  EXPECT_EQ(refused(R"({"package":"curl","mirror":"http://a/b","keyring":"/k.gpg"})", kProject),
            "accepted");
  EXPECT_EQ(
      refused(R"({"package":"curl","mirror":"http://a/b","keyring":"/etc/shadow"})", kProject),
      "keyring is not permitted here");
}

}  // namespace
}  // namespace quarry::resource_debian
