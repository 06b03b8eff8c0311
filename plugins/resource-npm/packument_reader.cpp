#include "resource-npm/packument_reader.h"

#include <utility>

namespace quarry::resource_npm {
namespace {

constexpr std::size_t kMostValue = std::size_t{16} << 10;
constexpr std::size_t kMostReadmeJson = std::size_t{2} << 20;  // as written
constexpr std::size_t kReleaseOverhead = 256;                  // approximate, without its texts

/// The strongest hash; a sha1 counts only without any other.
std::string strongest(std::string_view integrity, std::string_view shasum) {
  auto known = Integrity::parse(integrity);
  if (!known) known = Integrity::of_shasum(shasum);
  return known ? known->text() : std::string();
}

}  // namespace

void PathHandler::begin(char bracket) {
  if (bracket == '[') ++arrays_;
  ++depth_;
  if (is_followed()) began();
}

void PathHandler::end(char bracket) {
  if (bracket == '[') --arrays_;
  --depth_;
  if (path_.size() > depth_) path_.resize(depth_);
}

void PathHandler::key(std::string_view key) {
  if (!is_followed()) return;
  path_.resize(depth_ - 1);
  path_.emplace_back(key);
}

bool PathHandler::is_at(std::string_view first, std::string_view third, std::size_t depth) const {
  return arrays_ == 0 && depth_ == depth && path_.size() == depth && path_[0] == first &&
         (third.empty() || path_[2] == third);
}

bool PackumentReader::feed(std::string_view bytes) {
  return stream_.feed(bytes) && !too_large();
}

std::optional<Packument> PackumentReader::finish() {
  if (!stream_.whole() || !has_versions_ || too_large()) return std::nullopt;
  return std::move(packument_);
}

void PackumentReader::keep(std::string& place, std::string value) {
  kept_ += value.size();
  place = std::move(value);
}

/// The path of a beginning value is one shorter than its depth.
void PackumentReader::began() {
  const auto& at = path();
  if (at.size() == 2 && at[0] == "time" && at[1] == "unpublished") unpublished_ = true;
  if (at.empty() || at[0] != "versions") return;
  if (at.size() == 1) has_versions_ = true;
  if (at.size() != 2 || too_large()) return;
  kept_ += kReleaseOverhead + at[1].size();
  release_ = &packument_.releases.insert_or_assign(at[1], Release()).first->second;
  integrity_.clear();
  shasum_.clear();
}

std::size_t PackumentReader::capacity() {
  const bool wanted = is_at("name", "", 1) || is_at("etag", "", 1) || is_at("dist-tags", "", 2) ||
                      is_at("versions", "deprecated", 3) || is_at("versions", "dist", 4);
  return wanted && !too_large() ? kMostValue : 0;
}

void PackumentReader::string(std::string_view value) {
  const auto& at = path();
  if (is_at("name", "", 1)) keep(packument_.name, std::string(value));
  if (is_at("etag", "", 1)) keep(packument_.etag, std::string(value));
  if (is_at("dist-tags", "", 2)) {
    kept_ += at[1].size();
    keep(packument_.tags[at[1]], std::string(value));
  }
  if (release_ == nullptr) return;
  if (is_at("versions", "deprecated", 3)) keep(release_->deprecated, std::string(value));
  if (!is_at("versions", "dist", 4)) return;
  if (at[3] == "tarball") keep(release_->tarball, std::string(value));
  if (at[3] == "integrity") integrity_ = value;
  if (at[3] == "shasum") shasum_ = value;
  if (at[3] == "integrity" || at[3] == "shasum") {
    keep(release_->integrity, strongest(integrity_, shasum_));
  }
}

/// Some registries write `true`, or "" for a version that is no longer deprecated.
void PackumentReader::scalar(std::string_view text) {
  if (release_ == nullptr || !is_at("versions", "deprecated", 3)) return;
  if (text == "true") keep(release_->deprecated, "it is deprecated");
}

bool ReadmeReader::is_of_version() const {
  return is_at("versions", "readme", 3) && path()[1] == version_;
}

std::size_t ReadmeReader::capacity() {
  return is_at("readme", "", 1) || is_of_version() ? kMostReadmeJson : 0;
}

void ReadmeReader::string(std::string_view value) {
  (is_of_version() ? of_version_ : of_package_) = value;
}

}  // namespace quarry::resource_npm
