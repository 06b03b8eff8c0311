#pragma once

#include "package_source/archive_reader.h"
#include "package_source/file_slot.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::package_source {

/// A file of a package, as it is requested and checked.
struct Download {
  HttpRequest request;
  std::string what;        ///< for messages: "the tarball of react 18.2.0"
  std::uint64_t most = 0;  ///< bytes
  Validators known = {};   ///< makes the request conditional
  /// Digests that `check` gets beside SHA-256, as OpenSSL names them.
  std::vector<std::string> algorithms = {};
  /// The failure of a file with other digests than it must have; may be empty. `digests`: the bytes
  /// of each, in the order of `algorithms`, and SHA-256 behind them.
  std::function<Problem(const File& file, const std::vector<std::string>& digests)> check = {};
  /// The failure for another status than that of the file; the body is its beginning.
  std::function<Failure(const HttpResponse& response)> refused;
  /// The failure for one of the host's HTTP; may be empty.
  std::function<Failure(const Failure& failure)> not_received = {};
  std::function<Failure()> too_large;
};

/// Downloads a file into the slot's partial file, checks it, and makes it the slot's file. A
/// transfer that was cut is continued, here or at the next call. Facts without a digest: the server
/// says that nothing has changed. What fails the check is removed. [worker]
Outcome<FileFacts> download(const Exchange& exchange, FileSlot& slot, const Download& wanted);

/// The slot `name` of the cache with a file that `wanted` accepts; nullopt when there is none. Its
/// request is not needed. [worker]
std::optional<FileSlot> find_intact(const Exchange& exchange, const std::string& name,
                                    const Download& wanted);

/// The slot `name` with the checked file: that of the cache, else a download. [worker]
Outcome<FileSlot> obtain(const Exchange& exchange, const std::string& name, const Download& wanted,
                         std::string_view scratch = {});

/// The digests of a file, each by its algorithm; fails when it cannot be read. [worker]
Outcome<std::vector<std::string>> digests_of(const Call& call, const File& file,
                                             const std::vector<std::string>& algorithms);
/// Its SHA-256 in hexadecimal digits.
Outcome<std::string> sha256_of(const Call& call, const File& file);

}  // namespace quarry::package_source
