#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "base/minisign.h"
#include "plugins/plugin_index.h"
#include "plugins/web_files.h"
#include "services/call.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace quarry::plugins {

/// An index as it is configured.
struct IndexSource {
  std::string name;
  std::string url;
};

/// An index that was read.
struct ReadIndex {
  IndexSource source;
  PluginIndex index;
  Clock::Wall fetched;             ///< when the server last had this content
  std::optional<Error> offline{};  ///< why the copy in the cache was read; empty: it is current
};

/// Indexes of plugins, with a copy of each in a directory. Where keys are trusted, an index is read
/// only if one of them signed it ("<url>.minisig"), copies included. Processes may use the
/// directory at the same time. [worker]
class IndexCache {
 public:
  /// `directory`: absolute; created when it is needed.
  IndexCache(std::filesystem::path directory, std::vector<MinisignKey> trusted)
      : directory_(std::move(directory)), trusted_(std::move(trusted)) {}

  /// The index as its server has it now; the copy, with the cause in `offline`, if the server
  /// cannot be reached (kUnavailable, kDeadlineExceeded). The error names the index.
  Result<ReadIndex> fetch(const IndexSource& source, WebFiles& web, const services::Call& call,
                          Clock::Wall now) const;
  /// The copy; kNotFound if there is none.
  [[nodiscard]] Result<ReadIndex> cached(const IndexSource& source) const;
  /// The file of the copy.
  [[nodiscard]] std::filesystem::path file_of(const IndexSource& source) const;

 private:
  struct Copy {
    std::string etag;
    std::string signature;  ///< text of the signature file; empty = it was not fetched
    Clock::Wall fetched;
    std::string text;  ///< of the index
  };

  [[nodiscard]] Result<Copy> load(const IndexSource& source) const;
  [[nodiscard]] Status store(const IndexSource& source, const Copy& copy) const;
  [[nodiscard]] Result<Copy> download(const IndexSource& source, WebFiles& web,
                                      const services::Call& call, const Result<Copy>& last) const;
  [[nodiscard]] Result<ReadIndex> read(const IndexSource& source, const Copy& copy) const;
  [[nodiscard]] Status check_signature(const Copy& copy) const;
  [[nodiscard]] Status check_not_older(const ReadIndex& fetched, const IndexSource& source,
                                       const Result<Copy>& last) const;

  std::filesystem::path directory_;
  std::vector<MinisignKey> trusted_;
};

}  // namespace quarry::plugins
