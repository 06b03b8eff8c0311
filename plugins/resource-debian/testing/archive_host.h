#pragma once

#include <quarry/paths.h>
#include <quarry/process.h>
#include <quarry/testing.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_debian::testing {

/// A regular file, directory, link or other entry of a tar archive.
struct TarEntry {
  std::string path;
  std::string bytes = {};
  char type =
      '0';  ///< as in the header: '0' file, '1' hard link, '2' link, '5' directory, '6' pipe
  std::string target = {};
};
/// An uncompressed tar archive (ustar), which source packages have under any name.
std::string tar_of(const std::vector<TarEntry>& entries);

/// A suite's index as gpgv would pass it on, in the armour of a signature that nobody made.
std::string clear_signed(const std::string& text);

/// A host with a cache, an archive with canned responses, and a gpgv that says `status`.
class ArchiveHost {
 public:
  ArchiveHost();
  ~ArchiveHost();
  ArchiveHost(const ArchiveHost&) = delete;
  ArchiveHost& operator=(const ArchiveHost&) = delete;

  /// Serves a native package "native" of `version`, and in `folder` the index of the suite stable,
  /// with `fields` more in it.
  void publish(const std::string& version,
               const std::string& date = "Sat, 12 Sep 2026 07:55:41 UTC",
               const std::string& fields = "", const std::string& folder = "stable");
  void answer(const std::string& path, const std::string& body, int status = 200);
  [[nodiscard]] std::vector<std::string> requested() const;

  static constexpr std::string_view kMirror = "http://archive.test/debian";
  std::string etag;  ///< of the index, if any; a request with it is answered with 304
  std::string status =
      "[GNUPG:] NEWSIG\n[GNUPG:] GOODSIG 1 x\n"
      "[GNUPG:] VALIDSIG F 2026-09-12 1 0 4 0 22 8 01 F\n";
  int exit = 0;
  int signal = 0;
  std::optional<Failure> run_failure;  ///< of gpgv, which then does not run
  quarry::testing::FakeHttp http;
  quarry::testing::FakeHost fake;
  std::filesystem::path cache;

 private:
  Outcome<HttpResponse> respond(const HttpRequest& request) const;
  static void run(const quarry_process_v1* self, const quarry_call* call,
                  const quarry_process_spec* spec, const quarry_process_sink* sink,
                  const quarry_reply* reply);

  std::map<std::string, HttpResponse> files_;
  std::string cache_text_;
  quarry_paths_v1 paths_;
  quarry_process_v1 processes_;
};

}  // namespace quarry::resource_debian::testing
