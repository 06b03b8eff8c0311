#pragma once

#include "base/error.h"
#include "base/json.h"
#include "plugins/call.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::plugins {

/// What a resource type says about itself.
struct ResourceDescription {
  std::string type;    ///< "git", the name of its component
  std::string title;   ///< "Git repository"
  std::string schema;  ///< JSON Schema of the fields but `type` and `name`
  std::vector<std::string> examples;
  bool in_place = false;  ///< every one is read where it is (Tree::use_in_place)
};

/// The state a source is in.
struct ResourceVersion {
  std::string id;              ///< commit, exact version, state of a tree; never empty
  bool immutable = false;      ///< files of this id never change
  std::string display;         ///< for a person; the id when the plugin said nothing
  std::string integrity = {};  ///< what the files must hash to, a part of the version; may be empty
  Json fields = Json::object();  ///< members of the resource that were left out and are known now
};

/// What is known about fetched files beside their bytes.
struct ResourceMetadata {
  std::string permalink;  ///< template with {version} {path} {start} {end}; may be empty
  std::vector<std::string> notes = {};      ///< sentences about what the files do not show
  std::vector<std::string> generated = {};  ///< paths the plugin made itself; without permalinks
};

/// Takes the files of one fetch. The first error ends the fetch, and is its outcome. [worker]
class Tree {
 public:
  virtual ~Tree() = default;
  /// `path` is what the plugin said: check it (normalise_relative_path).
  virtual Status add_file(std::string_view path, std::string_view bytes) = 0;
  /// Absolute.
  virtual Status add_directory(const std::filesystem::path& directory) = 0;
  /// Of a file with more bytes than this the bytes are not wanted.
  [[nodiscard]] virtual std::uint64_t file_limit() const = 0;
  virtual Status add_large(std::string_view path, std::uint64_t size) = 0;
  virtual Status add_link(std::string_view path) = 0;
  virtual Status use_in_place(const std::filesystem::path& directory) = 0;
  /// An empty directory for this fetch; the string stays valid until the fetch ended.
  virtual Result<std::string_view> scratch() = 0;
};

/// A type of resource (quarry/resource.h says what each function means). Failures of the plugin are
/// its own words; one that answers garbage is kInternal and names the plugin. [worker], several at
/// once; describe and parse_reference [any].
class ResourceType {
 public:
  virtual ~ResourceType() = default;
  [[nodiscard]] virtual const ResourceDescription& describe() const = 0;
  /// `resource` with `type` and `name`; so is the value.
  virtual Result<Json> normalise(const Call& call, const Json& resource) = 0;
  virtual Result<ResourceVersion> resolve(const Call& call, const Json& resource) = 0;
  virtual Result<ResourceMetadata> fetch(const Call& call, const Json& resource,
                                         const ResourceVersion& version, Tree& tree) = 0;
  /// Nothing when the reference is not of this type; `name` is not part of the value.
  virtual Result<std::optional<Json>> parse_reference(std::string_view reference) = 0;
};

/// By type.
using ResourceTypes = std::map<std::string, std::shared_ptr<ResourceType>, std::less<>>;

}  // namespace quarry::plugins
