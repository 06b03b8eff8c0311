#pragma once

#include "resource-npm/json_stream.h"
#include "resource-npm/packument.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_npm {

/// Tracks the path of the current value in a registry's response.
class PathHandler : public JsonStream::Handler {
 public:
  void begin(char bracket) override;
  void end(char bracket) override;
  void key(std::string_view key) override;

 protected:
  /// The keys that lead to the value, or to the object that began.
  [[nodiscard]] const std::vector<std::string>& path() const { return path_; }
  /// True for a value `depth` keys deep, in no array, beneath the first key `first`, and, if
  /// `third` is not empty, beneath that third key.
  [[nodiscard]] bool is_at(std::string_view first, std::string_view third, std::size_t depth) const;
  /// Called when an object begins.
  virtual void began() {}

 private:
  [[nodiscard]] bool is_followed() const { return arrays_ == 0 && depth_ <= kDeepest; }
  static constexpr std::size_t kDeepest = 4;  // versions, <version>, dist, tarball

  std::vector<std::string> path_;
  std::size_t depth_ = 0;
  std::size_t arrays_ = 0;
};

/// Parses a packument incrementally. It keeps the members of Packument, at most kMostKept bytes.
class PackumentReader final : private PathHandler {
 public:
  static constexpr std::size_t kMostKept = std::size_t{32} << 20;

  /// False when it is not JSON, or has too much to keep; then feed no more.
  [[nodiscard]] bool feed(std::string_view bytes);
  [[nodiscard]] bool too_large() const { return kept_ > kMostKept; }
  /// nullopt unless the packument was complete.
  [[nodiscard]] std::optional<Packument> finish();
  /// True if the registry says that all versions were unpublished.
  [[nodiscard]] bool is_unpublished() const { return unpublished_; }

 private:
  void began() override;
  std::size_t capacity() override;
  void string(std::string_view value) override;
  void scalar(std::string_view text) override;
  void keep(std::string& place, std::string value);

  JsonStream stream_{*this};
  Packument packument_;
  Release* release_ = nullptr;  ///< of the version being read
  std::string integrity_;
  std::string shasum_;
  bool has_versions_ = false;
  bool unpublished_ = false;
  std::size_t kept_ = 0;
};

/// Reads the readme from a registry's full response incrementally: of the version, else of the
/// package; empty when there is none, or it exceeds the limit.
class ReadmeReader final : private PathHandler {
 public:
  explicit ReadmeReader(std::string_view version) : version_(version) {}
  [[nodiscard]] bool feed(std::string_view bytes) { return stream_.feed(bytes); }
  [[nodiscard]] std::string finish() { return of_version_.empty() ? of_package_ : of_version_; }

 private:
  std::size_t capacity() override;
  void string(std::string_view value) override;
  void scalar(std::string_view) override {}
  [[nodiscard]] bool is_of_version() const;

  JsonStream stream_{*this};
  const std::string version_;
  std::string of_package_;
  std::string of_version_;
};

}  // namespace quarry::resource_npm
